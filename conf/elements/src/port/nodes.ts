// DOM nodes from text. Text stays text: nothing here reads markup.

type Attributes = Record<string, string>;

/** An element with attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Nodes of a record's text: what stands between backticks is code. */
export function prose(text: string): (Node | string)[] {
  return text.split(/`+([^`]+)`+/).map((piece, index) => (index % 2 ? element("code", {}, piece) : piece));
}

/** A coloured word, as on the pages. */
export function badge(kind: string, value: string, word: string): HTMLElement {
  return element("span", { class: `apidiff-badge apidiff-${kind}-${value}` }, word);
}
