// What the theme's own scripts (Bootstrap among them) would do: menus, colours, sidebars of a phone, the place in the contents,
// regions that scroll, copying. Nothing here is needed to read a page.
import { followContents } from "./shell/contents";
import { announceCopying } from "./shell/copying";
import { addFilters } from "./shell/filter";
import { followAddress } from "./shell/language";
import { connectMenus } from "./shell/menus";
import { connectModes } from "./shell/modes";
import { watchRegions } from "./shell/regions";
import { connectSidebars } from "./shell/sidebars";
import { bringWhenOpened, leadToWholePages } from "./shared/parts";
import { Words } from "./shared/words";

const words = new Words(document.body);
followAddress();
bringWhenOpened();
leadToWholePages();
addFilters();
connectModes();
connectMenus();
connectSidebars();
followContents();
announceCopying();
watchRegions(words);
