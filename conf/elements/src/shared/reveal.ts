// Shows what the address points to.
import { anchorOf } from "./anchor";
import { bringAnchor, standing } from "./parts";
import { showOthers, SPANS } from "./shown";

/** Brings the goal of the address to the page where a part holds it, opens the lids around it and brings forth what hides it. */
export async function reveal(): Promise<void> {
  const anchor = anchorOf(window.location.hash);
  const brought = !standing(anchor) && (await bringAnchor(anchor));
  const goal = document.getElementById(anchor);
  if (goal) bringForth(goal, brought);
  else followToEvidence();
}

/** `scroll`: whether the browser could not yet go there itself. */
function bringForth(goal: HTMLElement, scroll: boolean): void {
  let changed = scroll;
  if (goal.closest("[hidden][data-other]")) {
    showOthers(true);
    document.dispatchEvent(new Event("apidiff-others"));
    changed = true;
  }
  const own = goal instanceof HTMLDetailsElement ? goal : goal.querySelector<HTMLDetailsElement>(":scope > details");
  for (let part: HTMLElement | null = goal; part; part = part.parentElement) {
    const lid = part === goal ? own : part;
    if (lid instanceof HTMLDetailsElement && !lid.open) changed = lid.open = true;
    if (part.hidden && part.matches(SPANS)) {
      part.hidden = false;
      changed = true;
    }
  }
  if (changed) goal.scrollIntoView();
}

/** What a mapping rests on once stood on the mapping's own page: an address that points there leads to its new place. */
function followToEvidence(): void {
  const { hash, pathname, search } = window.location;
  if (hash.length > 1 && /\/mappings\/[^/]+$/.test(pathname)) {
    const page = document.querySelector<HTMLAnchorElement>(".apidiff-evidence-links a");
    if (page) window.location.replace(page.href + search + hash);
  }
}
