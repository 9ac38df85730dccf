// Shows and hides what carries data-torch and data-mindspore, by the chosen pair. No state beside the page itself.
import { chosen, covers, type Pair } from "./versions";

const SPANS = "[data-torch], [data-mindspore]";

/** Whether other answers than that for the chosen versions are shown as well. */
export function othersShown(): boolean {
  return document.documentElement.dataset.apidiffOthers === "shown";
}

/** Brings forth, or hides again, the sections about other answers (data-other). */
export function showOthers(shown: boolean): void {
  if (shown) document.documentElement.dataset.apidiffOthers = "shown";
  else delete document.documentElement.dataset.apidiffOthers;
  showFor(document);
}

/** Whether a part is right for the pair. */
export function fits(part: HTMLElement, pair: Pair): boolean {
  const { torch, mindspore } = part.dataset;
  if (torch !== undefined && !covers("torch", torch, pair.torch)) return false;
  return mindspore === undefined || covers("mindspore", mindspore, pair.mindspore);
}

/** Shows and hides every part of `root`, itself included. Call it on what you add to the page. */
export function showFor(root: ParentNode, pair: Pair = chosen()): void {
  const parts = [...root.querySelectorAll<HTMLElement>(SPANS)];
  if (root instanceof HTMLElement && root.matches(SPANS)) parts.push(root);
  for (const part of parts) part.hidden = !fits(part, pair) && !(othersShown() && part.dataset.other !== undefined);
  for (const part of parts) open(part, fits(part, pair));
  const places = [...root.querySelectorAll<HTMLElement>("[data-chosen]")];
  for (const place of places) place.textContent = place.dataset.chosen === "torch" ? pair.torch : pair.mindspore;
  contents();
}

/** Opens the section of the answer for the chosen versions, whose lid is then not needed; closes that of any other. */
function open(part: HTMLElement, answers: boolean): void {
  const lid = part.dataset.other === undefined ? null : part.querySelector<HTMLDetailsElement>(":scope > details");
  if (!lid || part.hasAttribute("data-answers") === answers) return;
  part.toggleAttribute("data-answers", answers);
  lid.open = answers;
}

/** Shows what the address points to: opens the lids around it and brings forth the hidden parts it stands in. */
export function reveal(): void {
  const goal = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  if (!goal) {
    followToEvidence();
    return;
  }
  let changed = false;
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

/** The list of what is on the page names only what is shown. */
function contents(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".page-toc a[href^='#']")) {
    const goal = document.getElementById(decodeURIComponent((link.getAttribute("href") ?? "").slice(1)));
    const entry = link.closest("li");
    if (entry && goal) entry.hidden = goal.closest("[hidden]") !== null;
  }
}
