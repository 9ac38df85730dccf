// Shows and hides what carries data-torch and data-mindspore, by the chosen pair. No state beside the page itself.
import { anchorOf } from "./anchor";
import { chosen, covers, type Pair } from "./versions";

export const SPANS = "[data-torch], [data-mindspore]";

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

/** The list of what is on the page names only what is shown. */
function contents(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".page-toc a[href^='#']")) {
    const goal = document.getElementById(anchorOf(link.getAttribute("href") ?? ""));
    const entry = link.closest("li");
    if (entry && goal) entry.hidden = goal.closest("[hidden]") !== null;
  }
}
