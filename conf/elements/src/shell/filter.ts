// A box above a list that shows the lines, or the rows of tables, in which all words stand that are typed.
import { bringAll } from "../shared/parts";

/** Puts a box into every part that asks for one; the server writes its words into data-apidiff-filter. */
export function addFilters(): void {
  for (const part of document.querySelectorAll<HTMLElement>("[data-apidiff-filter]")) addFilter(part);
}

function addFilter(part: HTMLElement): void {
  const box = document.createElement("input");
  box.type = "search";
  box.className = "form-control apidiff-filter";
  box.placeholder = part.dataset.apidiffFilter ?? "";
  box.setAttribute("aria-label", box.placeholder);
  // An empty part filters the tables of the section it stands in.
  const scope = part.childElementCount ? part : (part.parentElement ?? part);
  let texts: Promise<[HTMLElement, string][]> | undefined;
  box.addEventListener("input", async () => {
    texts ??= wholeList(scope);
    const all = await texts;
    const words = box.value.toLowerCase().split(/\s+/);
    for (const [row, text] of all) row.hidden = !words.every((word) => text.includes(word));
    for (const section of scope.querySelectorAll<HTMLElement>("section:has(tbody)"))
      section.hidden = !section.querySelector("tbody > tr:not([hidden])");
  });
  part.prepend(box);
}

/** Every line or row with its words: what a line holds is part of it, and what a heavy page keeps elsewhere is brought. */
async function wholeList(scope: HTMLElement): Promise<[HTMLElement, string][]> {
  await bringAll(scope);
  for (const lid of scope.querySelectorAll(".apidiff-part-lid:not(:has(> .apidiff-part))")) {
    lid.querySelector(":scope > summary")?.remove();
    lid.replaceWith(...lid.childNodes);
  }
  return [...scope.querySelectorAll<HTMLElement>("tbody > tr, details.apidiff-line")]
    .filter((row) => !row.parentElement?.closest("details.apidiff-line"))
    .map((row) => [row, (row.textContent ?? "").toLowerCase()]);
}
