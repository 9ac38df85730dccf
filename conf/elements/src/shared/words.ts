// The words of an element, in the page's language: the server writes them as JSON into the attribute data-words, those of
// elements that stand several times on every page once, into an attribute of the body that is called like the element.

/** The words of `element` by key. A key that is missing shows as the key. `{name}` stands for a value given by `say`. */
export class Words {
  readonly #table: Record<string, string>;

  constructor(element: HTMLElement) {
    this.#table = JSON.parse(element.dataset.words ?? document.body.getAttribute(`data-${element.localName}`) ?? "{}") as Record<string, string>;
  }

  say(key: string, values: Record<string, string | number> = {}): string {
    const text = this.#table[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  }
}
