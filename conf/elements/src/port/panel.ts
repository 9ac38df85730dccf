// What stands below the box: the code with its marks, the finds beside it, and what they come to.
import { contentRoot } from "../shared/load";
import { follow } from "../shared/versions";
import type { Words } from "../shared/words";
import { analyse, Places, type Analysis } from "./analyse";
import { codeView, mark } from "./code";
import { known, look, type Find, type Pair, type Table } from "./data";
import { findItem } from "./finds";
import { badge, element } from "./nodes";
import { report } from "./report";
import { summarise } from "./summary";

export interface Panel {
  /** Shows what `code` uses. */
  show(code: string): void;
}

// A list is open where it is short, and is shown in parts where it is long.
const OPEN_UP_TO = 12;
const PART = 200;

export class PortPanel implements Panel {
  readonly #status = element("div", { class: "apidiff-port-summary", role: "status" });
  readonly #copied = element("span", { class: "apidiff-port-copied", role: "status" });
  readonly #copy = element("button", { type: "button", class: "apidiff-port-button", "data-act": "copy" });
  readonly #body = element("div", { class: "apidiff-port-columns" });
  readonly #notes = element("ul", { class: "apidiff-port-notes" });
  readonly #report = element("textarea", { class: "apidiff-port-box", readonly: "", rows: "8" });
  readonly #opened = new Map<number, boolean>();
  #pair: Pair = { torch: "", mindspore: "" };
  #analysis: Analysis | undefined;
  #finds: Find[] = [];
  #shown = PART;

  constructor(
    readonly host: HTMLElement,
    readonly words: Words,
    readonly table: Table,
  ) {
    this.#copy.textContent = words.say("copy");
    this.#copy.addEventListener("click", () => void this.#copyReport());
    this.#report.setAttribute("aria-label", words.say("report.title"));
    this.#report.hidden = true;
    const buttons = element("div", { class: "apidiff-port-buttons" }, this.#copy, this.#copied);
    host.append(this.#status, this.#notes, buttons, this.#report, this.#body);
    host.className = "apidiff-port-result";
    host.hidden = true;
    this.#listen();
    follow((pair) => {
      this.#pair = known(table, pair);
      this.#attempt(() => this.#render());
    });
  }

  show(code: string): void {
    if (code === this.#analysis?.code) return;
    this.#opened.clear();
    this.#shown = PART;
    this.#attempt(() => {
      this.#analysis = analyse(code, this.table);
      this.#render();
    });
  }

  /** Does `act`. Where that fails, nothing of other code stays on the page as if it were of this one. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      console.error(error); // for whoever reports it
      this.#analysis = undefined;
      this.#finds = [];
      this.host.hidden = false;
      this.#status.replaceChildren(element("p", {}, this.words.say("not_analysed")));
      this.#copied.textContent = "";
      for (const one of [this.#notes, this.#copy, this.#report]) one.hidden = true;
      this.#body.replaceChildren();
    }
  }

  #render(): void {
    const analysis = this.#analysis;
    if (!analysis) return;
    this.host.hidden = !analysis.code.trim();
    if (this.host.hidden) return;
    const places = new Places(analysis.code);
    this.#finds = analysis.uses.map((use, index) => ({
      use,
      number: index + 1,
      ...places.at(use.from),
      written: analysis.code.slice(use.from, use.to).replace(/\s+/g, " "),
      ...look(this.table, use, this.#pair),
    }));
    this.#tell();
    this.#notes.replaceChildren();
    for (const text of this.#remarks(places)) this.#notes.append(element("li", {}, text));
    this.#notes.hidden = this.#notes.childElementCount === 0;
    this.#copy.hidden = this.#finds.length === 0;
    this.#copied.textContent = "";
    this.#report.hidden = true;
    const code = codeView(this.words, analysis.code, places.lines, this.#finds);
    this.#body.replaceChildren(code, ...(this.#finds.length ? [this.#list()] : []));
  }

  /** The summary, changed only where it says something else: it is read out. */
  #tell(): void {
    const { words } = this;
    const summary = summarise(words, this.#finds);
    const versions = element("p", { class: "apidiff-port-versions" }, words.say("versions", { ...this.#pair }));
    const counts = element("p", { class: "apidiff-port-counts" }, words.say(this.#finds.length ? "summary" : "nothing", this.#counted()));
    for (const [risk, count] of summary.counts)
      counts.append(" ", badge("risk", risk, words.say("summary.risk", { risk: words.say(`risk.${risk}`), count })));
    const parts = [versions, counts];
    if (summary.unknown.length) {
      const names = element("p", { class: "apidiff-port-names" }, words.say("unknown"), words.say("site.colon"));
      summary.unknown.forEach((name, index) => names.append(index ? words.say("site.comma") : "", element("code", {}, name)));
      parts.push(names);
    }
    if (parts.map((one) => one.textContent).join("") === this.#status.textContent) return;
    this.#status.replaceChildren(...parts);
  }

  #counted(): Record<string, number> {
    const apis = new Set(this.#finds.filter((find) => find.use.known).map((find) => find.use.api)).size;
    return { places: this.#finds.length, apis };
  }

  #remarks(places: Places): string[] {
    const { words } = this;
    const found = this.#analysis?.notes.map((note) => {
      const [name = "", value = ""] = note.name.split(" ");
      const { line } = places.at(note.from);
      return words.say(`note.${note.kind}`, { line, name: name || ".", value });
    });
    const errors = this.#analysis?.errors;
    if (errors?.count) found?.push(words.say("note.errors", { count: errors.count, line: places.at(errors.from).line }));
    return found ?? [];
  }

  #list(): HTMLElement {
    const list = element("ol", { class: "apidiff-port-finds" });
    const open = this.#finds.length <= OPEN_UP_TO;
    for (const find of this.#finds.slice(0, this.#shown)) {
      // An import is a place to edit, but what matters of the API stands where it is used.
      list.append(this.#item(find, this.#opened.get(find.number) ?? (open && find.use.role !== "import")));
    }
    const section = element("section", { class: "apidiff-port-list" }, element("h2", {}, this.words.say("finds")), list);
    const left = this.#finds.length - this.#shown;
    if (left > 0) {
      const more = element("button", { type: "button", class: "apidiff-port-button" }, this.words.say("all", { count: left }));
      more.addEventListener("click", () => {
        this.#shown = this.#finds.length;
        more.replaceWith();
        const rest = this.#finds.slice(PART).map((find) => this.#item(find, false));
        for (const one of rest) list.append(one);
        rest[0]?.querySelector("summary")?.focus();
      });
      section.append(more);
    }
    return section;
  }

  #item(find: Find, open: boolean): HTMLElement {
    return findItem(this.words, find, this.#pair, this.#page(find.use.api), open);
  }

  #page(api: string): string {
    const address = new URL(`mappings/${api}.html`, contentRoot());
    address.searchParams.set("torch", this.#pair.torch);
    address.searchParams.set("mindspore", this.#pair.mindspore);
    return address.href;
  }

  #listen(): void {
    this.#body.addEventListener("click", (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-mark], a[data-find]");
      if (!link) return;
      event.preventDefault(); // the places are those of this code, not of the page: they do not belong into the address
      if (link.dataset.mark) this.#toCode(Number(link.dataset.mark));
      else this.#toFind(Number(link.dataset.find));
    });
    this.#body.addEventListener(
      "toggle",
      (event) => {
        const lid = event.target as HTMLDetailsElement;
        const number = Number(lid.dataset.number);
        if (!number || this.#opened.get(number) === lid.open) return;
        const first = !this.#opened.has(number) && lid.open && this.#finds.length <= OPEN_UP_TO;
        this.#opened.set(number, lid.open);
        if (lid.open && !first) this.#choose(number);
      },
      true,
    );
  }

  #toFind(number: number): void {
    if (number > this.#shown) {
      this.#shown = this.#finds.length;
      this.#body.querySelector(".apidiff-port-list")?.replaceWith(this.#list());
    }
    const lid = this.#body.querySelector<HTMLDetailsElement>(`details[data-number="${number}"]`);
    if (!lid) return;
    lid.open = true;
    lid.querySelector("summary")?.focus();
    this.#choose(number);
  }

  #toCode(number: number): void {
    this.#choose(number);
    mark(this.#body, number)?.focus();
  }

  /** Marks one find on both sides, and scrolls the code, not the page, to it. */
  #choose(number: number): void {
    for (const one of this.#body.querySelectorAll("[aria-current]")) one.removeAttribute("aria-current");
    const place = mark(this.#body, number);
    const frame = place?.closest<HTMLElement>(".apidiff-port-frame");
    place?.setAttribute("aria-current", "true");
    this.#body.querySelector(`details[data-number="${number}"]`)?.setAttribute("aria-current", "true");
    if (!place || !frame) return;
    const top = place.getBoundingClientRect().top - frame.getBoundingClientRect().top;
    if (top < 0 || top > frame.clientHeight - 24) frame.scrollTop += top - frame.clientHeight / 3;
  }

  async #copyReport(): Promise<void> {
    const places = new Places(this.#analysis?.code ?? "");
    const text = report(this.words, this.#finds, summarise(this.words, this.#finds), this.#pair, this.#remarks(places));
    this.#report.value = text;
    try {
      await navigator.clipboard.writeText(text);
      this.#copied.textContent = this.words.say("copied");
    } catch {
      // A browser that does not let a page write there: the reader copies by hand.
      this.#report.hidden = false;
      this.#report.select();
      this.#copied.textContent = this.words.say("copy_by_hand");
    }
  }
}
