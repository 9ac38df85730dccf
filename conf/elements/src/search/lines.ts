// How a result looks, in the box and on the search page: name, kind, risk, and one line of text with what fits marked.

import { contentRoot } from "../shared/load";
import type { Engine, Result } from "./engine";
import type { Marked } from "./marks";

/** What of a result is shown, as the children of a link or an item. */
export function line(engine: Engine, result: Result): HTMLElement[] {
  const { entry } = result;
  const head = part("span", "apidiff-found-head");
  const prose = entry.kind === "page" || entry.kind === "run";
  head.append(marked(part(prose ? "span" : "code", "apidiff-found-name"), result.name));
  if (entry.status) head.append(badge(engine, `answer.${entry.status}`));
  const risk = result.risk ?? entry.risk;
  if (risk) head.append(badge(engine, `risk.${risk}`));
  head.append(part("span", "apidiff-found-kind", entry.within || engine.label(`search.${entry.kind}`)));
  return result.line.text ? [head, marked(part("span", "apidiff-found-text"), result.line)] : [head];
}

function marked(holder: HTMLElement, { text, marks }: Marked): HTMLElement {
  let from = 0;
  for (const [start, end] of marks) {
    holder.append(text.slice(from, start), part("mark", "", text.slice(start, end)));
    from = end;
  }
  holder.append(text.slice(from));
  return holder;
}

export function address(result: Result): string {
  return new URL(result.address, contentRoot()).href;
}

function badge(engine: Engine, key: string): HTMLElement {
  return part("span", `apidiff-badge apidiff-${key.replace(".", "-")}`, engine.label(key));
}

export function part(tag: string, classes: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.textContent = text;
  return made;
}
