// Runs before anything is painted: the colours that the reader has chosen, and a mark that scripts run.
import { show } from "./shell/modes";

document.documentElement.dataset.script = "";
show();
