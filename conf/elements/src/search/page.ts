// The search page: every result for what stands in the address as ?q=…, which follows the typing, so that it can be sent.

import { Words } from "../shared/words";
import type { Answer, Engine } from "./engine";
import { find } from "./engine-loader";
import { address, line, part } from "./lines";

const STEP = 40;

export class SearchPage extends HTMLElement {
  #words!: Words;
  readonly #field = document.createElement("input");
  readonly #status = part("p", "apidiff-results-status");
  readonly #list = part("ul", "apidiff-results");
  readonly #more = document.createElement("button");
  #engine?: Engine;
  #answer?: Answer;
  #typed?: string;

  connectedCallback(): void {
    if (this.#words) return;
    this.#words = new Words(this);
    this.#field.type = "search";
    this.#field.className = "form-control";
    this.#field.placeholder = this.#words.say("hint");
    this.#field.setAttribute("aria-label", this.#words.say("hint"));
    this.#field.autocomplete = "off";
    this.#field.spellcheck = false;
    this.#status.setAttribute("role", "status");
    this.#more.type = "button";
    this.#more.className = "apidiff-button apidiff-results-more";
    this.#more.textContent = this.#words.say("more");
    this.#more.hidden = true;
    const keys = part("p", "apidiff-results-keys", this.#words.say("keys"));
    // In place of what is said where there is no script.
    this.replaceChildren(this.#field, keys, this.#status, this.#list, this.#more);
    this.#field.addEventListener("input", (event) => (event as InputEvent).isComposing || this.#ask());
    this.#field.addEventListener("compositionend", () => this.#ask());
    this.#more.addEventListener("click", () => this.#add());
    window.addEventListener("popstate", () => this.#read());
    this.#read();
    this.#field.focus();
    void this.#load();
  }

  #read(): void {
    this.#field.value = new URLSearchParams(window.location.search).get("q") ?? "";
    this.#ask();
  }

  async #load(): Promise<void> {
    this.#status.textContent = this.#words.say("loading");
    try {
      const engine = await find();
      await engine.ready;
      this.#engine = engine;
    } catch {
      this.#status.textContent = this.#words.say("failed");
      return;
    }
    this.#typed = undefined;
    this.#ask();
  }

  #ask(): void {
    const typed = this.#field.value.trim();
    if (!this.#engine || typed === this.#typed) return;
    this.#typed = typed;
    const here = new URL(window.location.href);
    if (typed) here.searchParams.set("q", typed);
    else here.searchParams.delete("q");
    if (here.href !== window.location.href) window.history.replaceState(window.history.state, "", here);
    this.#list.replaceChildren();
    this.#answer = this.#engine.ask(typed);
    const { total, near } = this.#answer;
    const count = this.#words.say(total === 1 ? "one" : "count", { n: total });
    this.#status.textContent = !typed
      ? ""
      : !total
        ? this.#words.say("nothing", { q: typed })
        : near
          ? `${this.#words.say("near", { q: typed })} ${count}`
          : count;
    this.#add();
  }

  #add(): void {
    const { total, show } = this.#answer as Answer;
    const from = this.#list.children.length;
    for (const result of show(from, from + STEP)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.className = "apidiff-found";
      link.href = address(result);
      link.append(...line(this.#engine as Engine, result));
      item.append(link);
      this.#list.append(item);
    }
    this.#more.hidden = this.#list.children.length >= total;
    // The button may be gone: the first of what it brought is where a reader goes on.
    if (from) this.#list.children[from]?.querySelector("a")?.focus();
  }
}
