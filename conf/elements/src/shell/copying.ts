// A button on every block of code that copies it.
import { Words } from "../shared/words";

const SHOWN_MS = 2000;
const PAGES = "M8 8h12v12H8zM4 16V4h12";
const TICK = "M4 12l5 5L20 6";
const SVG = "http://www.w3.org/2000/svg";

function icon(lines: string): SVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  drawing.setAttribute("class", "apidiff-icon");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  path.setAttribute("d", lines);
  drawing.append(path);
  return drawing;
}

/** Copies a block's text. A site served over plain HTTP has no clipboard to write to: there the selection is copied. */
async function copy(block: HTMLElement): Promise<void> {
  if ("clipboard" in navigator) {
    await navigator.clipboard.writeText((block.textContent ?? "").replace(/\n$/, ""));
    return;
  }
  window.getSelection()?.selectAllChildren(block);
  if (!document.execCommand("copy")) throw new Error("the browser copies nothing");
}

/** Adds the buttons. What was copied is said to screen readers too. */
export function addCopyButtons(words: Words): void {
  const said = document.createElement("div");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  document.body.append(said);
  for (const block of document.querySelectorAll<HTMLElement>("div.highlight pre")) {
    const button = document.createElement("button");
    const name = (text: string, lines: string) => {
      button.dataset.tooltip = text;
      button.setAttribute("aria-label", text);
      button.replaceChildren(icon(lines));
    };
    const tell = (text: string, lines: string) => {
      name(text, lines);
      said.textContent = text;
      window.setTimeout(() => {
        name(words.say("copy"), PAGES);
        said.textContent = "";
      }, SHOWN_MS);
    };
    button.type = "button";
    button.className = "copybtn";
    name(words.say("copy"), PAGES);
    button.addEventListener("click", () => {
      copy(block).then(
        () => tell(words.say("copy.done"), TICK),
        () => tell(words.say("copy.failed"), PAGES),
      );
    });
    block.after(button);
  }
}
