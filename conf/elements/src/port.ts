// <apidiff-port>: a box for a snippet of PyTorch code. The parser, what it needs to know and everything that shows the
// finds are loaded when the box is first used.
import { contentRoot, loadScript } from "./shared/load";
import { Words } from "./shared/words";
import type { Panel } from "./port/panel";
import type { Table } from "./port/data";
import { SAMPLE } from "./port/sample";

declare global {
  interface Window {
    apidiffPort?: Table;
    apidiffPortParser?: { panel: (host: HTMLElement, words: Words, table: Table) => Panel };
  }
}

const KEPT = "apidiff.port";
const PAUSE_MS = 120;

class Port extends HTMLElement {
  #words = new Words(this);
  #box = document.createElement("textarea");
  #says = document.createElement("p");
  #panel: Promise<Panel> | undefined;
  #timer = 0;

  connectedCallback(): void {
    if (this.contains(this.#box)) return;
    const box = this.#box;
    box.id = "apidiff-port-code";
    box.rows = Number(this.dataset.rows) || 10;
    box.spellcheck = false;
    box.autocapitalize = "off";
    box.setAttribute("autocomplete", "off");
    box.setAttribute("aria-describedby", "apidiff-port-private");
    box.wrap = "off";
    box.className = "apidiff-port-box";
    const label = document.createElement("label");
    label.htmlFor = box.id;
    label.textContent = this.#words.say("label");
    const told = document.createElement("p");
    told.id = "apidiff-port-private";
    told.className = "apidiff-port-private";
    told.textContent = this.#words.say("private");
    this.#says.setAttribute("role", "status");
    this.#says.className = "apidiff-port-says";
    const buttons = document.createElement("div");
    buttons.className = "apidiff-port-buttons";
    buttons.append(
      this.#button("sample", () => this.#put(SAMPLE)),
      this.#button("clear", () => this.#put("")),
    );
    this.replaceChildren(label, told, box, buttons, this.#says);
    for (const event of ["focus", "click", "paste"]) box.addEventListener(event, () => void this.#open());
    box.addEventListener("input", () => this.#changed(PAUSE_MS));
    const kept = read();
    if (kept) this.#put(kept, false);
  }

  #button(word: string, act: () => void): HTMLButtonElement {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "apidiff-port-button";
    made.dataset.act = word;
    made.textContent = this.#words.say(word);
    made.addEventListener("click", act);
    return made;
  }

  #put(code: string, focus = true): void {
    this.#box.value = code;
    this.#box.setSelectionRange(0, 0);
    this.#box.scrollTop = 0;
    if (focus) this.#box.focus();
    this.#changed(0);
  }

  #changed(pause: number): void {
    keep(this.#box.value);
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      void this.#open().then((panel) => panel?.show(this.#box.value));
    }, pause);
  }

  /** The panel, loaded once; tells where that fails, and may be asked again. */
  async #open(): Promise<Panel | undefined> {
    this.#panel ??= this.#load();
    try {
      return await this.#panel;
    } catch {
      this.#panel = undefined;
      this.#says.textContent = this.#words.say("failed");
      return undefined;
    }
  }

  async #load(): Promise<Panel> {
    this.#says.textContent = this.#words.say("loading");
    const root = contentRoot();
    await Promise.all(
      [this.dataset.table ?? "", this.dataset.parser ?? ""].map((path) => loadScript(new URL(path, root).href)),
    );
    const { apidiffPort, apidiffPortParser } = window;
    if (!apidiffPort || !apidiffPortParser) throw new Error("the scripts of the panel hold something else");
    const host = document.createElement("div");
    const panel = apidiffPortParser.panel(host, this.#words, apidiffPort);
    this.#says.textContent = "";
    this.append(host);
    return panel;
  }
}

// What was pasted stays in this tab, so that a reader may look up a page and come back.
function read(): string {
  try {
    return window.sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function keep(code: string): void {
  try {
    window.sessionStorage.setItem(KEPT, code);
  } catch {
    // Too long, or a browser that keeps nothing.
  }
}

customElements.define("apidiff-port", Port);
