// What a heavy page does not hold itself stands on plain pages of its own (apidiff/sphinxext/page_parts.py). A link stands in
// the place of each part; here the part is brought to the link's place.
import { showFor } from "./shown";

const LINKS = "p.apidiff-part";
/** Tells what has come to the page: `detail` holds the element around it. */
export const ADDED = "apidiff-added";

interface Table {
  anchors: Record<string, number>;
  inside: Record<string, number>;
}

const UNPACKED = window.location.protocol === "file:";
const pages = new Map<string, Promise<Document>>();

/** A page of parts, asked for once. Rejects, and may be asked again, where it cannot be had: at file:// none can. */
function pageAt(address: string): Promise<Document> {
  if (UNPACKED) return Promise.reject(new Error("a page opened from a file may not ask for files"));
  let page = pages.get(address);
  if (!page) {
    page = fetch(address).then(async (answer) => {
      if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
      return new DOMParser().parseFromString(await answer.text(), "text/html");
    });
    page.catch(() => pages.delete(address));
    pages.set(address, page);
  }
  return page;
}

async function contentOf(link: HTMLAnchorElement): Promise<Node[]> {
  const page = await pageAt(link.href.replace(/#.*/, ""));
  const part = page.getElementById(link.hash.slice(1));
  if (!part) throw new Error(`${link.href} is not there`);
  // The title that it has on a page of its own stands here already.
  return [...(document.importNode(part, true) as HTMLElement).childNodes].filter((node) => node.nodeName !== "H2");
}

/** Puts what the links of `line` lead to into its place. The links stay where it cannot be had. */
async function bring(line: HTMLElement): Promise<void> {
  const content = await Promise.all([...line.querySelectorAll<HTMLAnchorElement>("a")].map(contentOf));
  const around = line.parentElement;
  if (!around) return; // brought by another call meanwhile
  line.replaceWith(...content.flat());
  showFor(around);
  addCopyButtons(around);
  document.dispatchEvent(new CustomEvent(ADDED, { detail: around }));
}

/** sphinx-copybutton listens to every button with its class, but makes them for what is there at first alone. */
function addCopyButtons(root: HTMLElement): void {
  const button = document.querySelector(".copybtn:not(.success)");
  if (!button) return;
  let number = document.querySelectorAll(".copybtn").length;
  for (const code of root.querySelectorAll("div.highlight pre")) {
    if (code.nextElementSibling?.matches(".copybtn")) continue;
    code.id ||= `codecell${number++}`;
    const copy = button.cloneNode(true) as HTMLElement;
    copy.dataset.clipboardTarget = `#${code.id}`;
    code.after(copy);
  }
}

/** Brings every part in `root`, those in parts too, open or not. What cannot be had stays a link. */
export async function bringAll(root: ParentNode): Promise<void> {
  const tried = new Set<HTMLElement>();
  for (;;) {
    const lines = [...root.querySelectorAll<HTMLElement>(LINKS)].filter((line) => !tried.has(line));
    if (!lines.length) return;
    for (const line of lines) tried.add(line);
    await Promise.allSettled(lines.map(bring));
  }
}

/** Brings what stands under a lid when it is opened. */
export function bringWhenOpened(): void {
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open) return;
      for (const line of target.querySelectorAll<HTMLElement>(`:scope > ${LINKS}`)) void bring(line).catch(() => undefined);
    },
    { capture: true }, // toggle does not bubble
  );
}

/** Leads links to anchors in parts, which go to plain pages for readers without script, to the pages that bring the parts. */
export function leadToWholePages(): void {
  const lead = ({ target }: Event): void => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href*='.part-']") : null;
    if (!link || link.closest(LINKS) || UNPACKED) return;
    link.href = link.href.replace(/\.part-\d+\.html(?=#(?!part-\d+$))/, ".html");
  };
  for (const kind of ["click", "auxclick", "contextmenu"]) document.addEventListener(kind, lead, { capture: true });
}

/**
 * Brings the part that holds `anchor`, and those around it, where the anchor is not on the page. Tells whether it then is.
 */
export async function bringAnchor(anchor: string): Promise<boolean> {
  if (!anchor || standing(anchor)) return Boolean(anchor);
  const link = document.querySelector<HTMLAnchorElement>(`${LINKS} a`);
  if (!link || UNPACKED) return false;
  try {
    const answer = await fetch(link.href.replace(/\.part-\d+\.html#.*/, ".parts.json"));
    const { anchors, inside } = (await answer.json()) as Table;
    const chain: number[] = [];
    for (let part = anchors[anchor]; part !== undefined; part = inside[part]) chain.unshift(part);
    for (const part of chain) {
      const line = document.querySelector(`${LINKS} a[href$="#part-${part}"]`)?.closest<HTMLElement>(LINKS);
      if (line) await bring(line);
    }
  } catch {
    return false;
  }
  return standing(anchor) !== null;
}

/** What an anchor names on the page; not the place that is kept for it where a link stands for its part. */
export function standing(anchor: string): HTMLElement | null {
  const goal = document.getElementById(anchor);
  return goal?.closest(LINKS) ? null : goal;
}
