// The box in the header: a combobox whose listbox shows the best results of each kind while one types.

import { Words } from "../shared/words";
import type { Kind } from "./data";
import type { Answer, Engine } from "./engine";
import { find } from "./engine-loader";
import { address, line, part } from "./lines";

const SHOWN = 10;
let made = 0;

export class SearchBox extends HTMLElement {
  #field!: HTMLInputElement;
  #popup!: HTMLElement;
  #list!: HTMLElement;
  #status!: HTMLElement;
  #words!: Words;
  #engine?: Engine;
  #options: HTMLAnchorElement[] = [];
  #active = -1;
  readonly #id = `apidiff-search-${(made += 1)}`;

  connectedCallback(): void {
    const field = this.querySelector("input");
    if (!field || this.#field) return;
    this.#field = field;
    this.#words = new Words(this);
    this.#popup = part("div", "apidiff-search-popup");
    this.#popup.hidden = true;
    this.#status = part("p", "apidiff-search-status");
    this.#status.setAttribute("role", "status");
    this.#list = part("div", "apidiff-search-list");
    this.#list.id = this.#id;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", this.#words.say("results"));
    this.#popup.append(this.#list);
    this.append(this.#popup, this.#status);
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.#id);
    field.setAttribute("aria-keyshortcuts", "/ Control+K");
    field.setAttribute("aria-expanded", "false");
    field.addEventListener("focus", () => void this.#load());
    // What an input method shows while it composes is not yet what is meant.
    field.addEventListener("input", (event) => (event as InputEvent).isComposing || this.#answer());
    field.addEventListener("compositionend", () => this.#answer());
    field.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusout", (event) => this.contains(event.relatedTarget as Node | null) || this.#close());
    // The field keeps the focus when a result is pressed, so that the list is still there when it is let go.
    this.#popup.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#popup.addEventListener("mousedown", (event) => event.preventDefault());
    if (document.activeElement === field) void this.#load();
  }

  async #load(): Promise<void> {
    if (this.#engine) return;
    try {
      const engine = await find();
      if (this.#engine) return;
      this.#engine = engine;
      this.#answer();
      await engine.ready;
    } catch {
      this.#status.textContent = this.#words.say("failed");
      return;
    }
    // What a reader has begun to choose from stays, and what was closed meanwhile (it says nothing) stays closed.
    if (this.#active < 0 && this.#status.textContent) this.#answer();
  }

  #answer(): void {
    const typed = this.#field.value.trim();
    if (!typed || document.activeElement !== this.#field) return this.#close();
    if (!this.#engine) {
      this.#status.textContent = this.#words.say("loading");
      return;
    }
    const answer = this.#engine.ask(typed);
    if (!answer.total && !answer.whole) {
      this.#close();
      this.#status.textContent = this.#words.say("loading");
      return;
    }
    this.#active = -1;
    this.#field.removeAttribute("aria-activedescendant");
    this.#show(this.#engine, answer, typed);
    this.#status.textContent = this.#said(answer, typed);
  }

  #said(answer: Answer, typed: string): string {
    if (!answer.total) return this.#words.say("nothing", { q: typed });
    const count = this.#words.say(answer.total === 1 ? "one" : "count", { n: answer.total });
    return answer.near ? `${this.#words.say("near", { q: typed })} ${count}` : count;
  }

  #show(engine: Engine, answer: Answer, typed: string): void {
    const groups = new Map<Kind, HTMLElement>();
    for (const result of answer.show(0, SHOWN)) {
      let group = groups.get(result.entry.kind);
      if (!group) {
        group = part("div", "apidiff-search-group");
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", engine.label(`search.${result.entry.kind}`));
        const title = part("div", "apidiff-search-title", engine.label(`search.${result.entry.kind}`));
        title.setAttribute("aria-hidden", "true");
        group.append(title);
        groups.set(result.entry.kind, group);
      }
      group.append(this.#option(address(result), line(engine, result)));
    }
    const shown = [...groups.values()];
    if (answer.near) {
      const near = this.#words.say(answer.total ? "near" : "nothing", { q: typed });
      shown.unshift(part("p", "apidiff-search-note", near));
    }
    this.#list.replaceChildren(...shown);
    if (answer.total > SHOWN) {
      const all = new URL(this.querySelector("form")?.action ?? "");
      all.searchParams.set("q", typed);
      const words = part("span", "apidiff-found-all", this.#words.say("all", { n: answer.total }));
      this.#list.append(this.#option(all.href, [words]));
    }
    // Read from the list: its order is that of its groups, not of the results.
    this.#options = [...this.#list.querySelectorAll<HTMLAnchorElement>("[role=option]")];
    this.#options.forEach((option, place) => {
      option.id = `${this.#id}-${place}`;
    });
    this.#popup.hidden = false;
    this.#list.scrollTop = 0;
    // The list is wider than the field and reaches to the left of it, or to the right where there is no room.
    this.#popup.classList.toggle("apidiff-search-onward", this.getBoundingClientRect().right < this.#popup.offsetWidth);
    this.#field.setAttribute("aria-expanded", String(this.#options.length > 0));
  }

  #option(goal: string, children: HTMLElement[]): HTMLAnchorElement {
    const option = document.createElement("a");
    option.className = "apidiff-found";
    option.href = goal;
    option.tabIndex = -1;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.append(...children);
    return option;
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.#popup.hidden) this.#answer();
      this.#move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape" && !this.#popup.hidden) {
      event.preventDefault();
      this.#close();
    } else if (event.key === "Enter" && this.#active >= 0 && !this.#popup.hidden) {
      event.preventDefault();
      this.#options[this.#active]?.click();
      this.#close();
    }
  }

  /** The place after the last and before the first is the field itself. */
  #move(step: number): void {
    const places = this.#options.length + 1;
    this.#active = ((this.#active + 1 + step + places) % places) - 1;
    this.#options.forEach((option, place) => option.setAttribute("aria-selected", String(place === this.#active)));
    const option = this.#options[this.#active];
    if (option) {
      this.#field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.#field.removeAttribute("aria-activedescendant");
  }

  #close(): void {
    this.#popup.hidden = true;
    this.#active = -1;
    this.#field.setAttribute("aria-expanded", "false");
    this.#field.removeAttribute("aria-activedescendant");
    this.#status.textContent = "";
  }
}

