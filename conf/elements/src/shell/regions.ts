// What scrolls sideways can be reached by keyboard, and has a name. What fits takes no stop on the way.
import { ADDED } from "../shared/parts";
import { Words } from "../shared/words";

const SCROLLS = ".pst-scrollable-table-container, .bd-article pre";

function nameOf(region: Element, words: Words): string {
  const caption = region.querySelector("caption");
  const section = region.closest("section");
  const title = caption ?? section?.querySelector("h1, h2, h3, h4, h5, h6");
  const text = title?.textContent?.replace(/#$/, "").trim() ?? "";
  return words.say(region.matches("pre") ? "region.code" : "region.table", { name: text });
}

/** Watches every region from when it is shown: one in a closed part has no size before. */
export function watchRegions(words: Words): void {
  const names = new Map<Element, string>();
  const counts = new Map<string, number>();
  /** Of several in one section, each has a name of its own; a region keeps its name. */
  const own = (region: Element): string => {
    const known = names.get(region);
    if (known) return known;
    const name = nameOf(region, words);
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const found = number > 1 ? words.say("region.again", { name, number }) : name;
    names.set(region, found);
    return found;
  };
  const check = (region: Element) => {
    if (region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight + 1) {
      region.setAttribute("tabindex", "0");
      region.setAttribute("role", "region");
      if (!region.hasAttribute("aria-label")) region.setAttribute("aria-label", own(region));
    } else if (region.getAttribute("role") === "region") {
      for (const name of ["tabindex", "role", "aria-label"]) region.removeAttribute(name);
    }
  };
  const observer = new ResizeObserver((seen) => {
    for (const one of seen) check(one.target.matches(SCROLLS) ? one.target : (one.target.parentElement ?? one.target));
  });
  const watch = (root: ParentNode) => {
    for (const region of root.querySelectorAll(SCROLLS)) {
      observer.observe(region);
      // A table that grows (filtered, another version) leaves the size of its region as it is.
      if (region.firstElementChild?.matches("table")) observer.observe(region.firstElementChild);
    }
  };
  watch(document);
  document.addEventListener(ADDED, (event) => watch((event as CustomEvent<HTMLElement>).detail));
}
