// The code as it was pasted, with a mark at every find.
import type { Words } from "../shared/words";
import { type Find, isUnknown } from "./data";
import { element } from "./nodes";

/** The code in a frame that scrolls, with line numbers. */
export function codeView(words: Words, code: string, lines: number, finds: readonly Find[]): HTMLElement {
  const source = element("code");
  let at = 0;
  for (const find of finds) {
    if (find.use.from < at) continue; // within the one before
    source.append(code.slice(at, find.use.from), markOf(words, find, code.slice(find.use.from, find.use.to)));
    at = find.use.to;
  }
  source.append(code.slice(at));
  const numbers = Array.from({ length: lines }, (_, index) => index + 1).join("\n");
  const frame = element(
    "div",
    { class: "apidiff-port-frame", tabindex: "0", role: "region", "aria-label": words.say("code") },
    element("pre", { class: "apidiff-port-numbers", "aria-hidden": "true" }, numbers),
    element("pre", { class: "apidiff-port-source" }, source),
  );
  return element("section", { class: "apidiff-port-code" }, element("h2", {}, words.say("code")), frame);
}

function markOf(words: Words, find: Find, text: string): HTMLElement {
  const risk = isUnknown(find) ? "unknown" : (find.risk ?? "none");
  const said = words.say(isUnknown(find) ? "unknown.short" : `risk.${risk}`);
  return element(
    "a",
    {
      class: `apidiff-port-mark apidiff-port-${risk}`,
      href: `#port-find-${find.number}`,
      id: `port-mark-${find.number}`,
      "data-find": String(find.number),
      "data-sign": `${find.number} ${said}`,
      "aria-label": words.say("mark", { number: find.number, code: text.replace(/\s+/g, " "), risk: said }),
    },
    text,
  );
}

/** The mark of a find. */
export function mark(body: HTMLElement, number: number): HTMLElement | null {
  return body.querySelector<HTMLElement>(`#port-mark-${number}`);
}
