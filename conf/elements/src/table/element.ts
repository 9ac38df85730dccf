// The element: controls above the table, rows shown and ordered by them, and the address that says the same.

import { bringAll } from "../shared/parts";
import { chosen, follow, type Pair } from "../shared/versions";
import { Words } from "../shared/words";
import { DEVICES, type Device, type Facet, Row } from "./rows";

const FACETS: readonly Facet[] = ["category", "device", "risk", "status", "torch"];
const COLUMNS = ["api", "target", ...DEVICES, "risk", "status", "uses"] as const;
type Column = (typeof COLUMNS)[number];
/** How the address names a facet; `torch` there is the version that the reader chose for all pages. */
const PARAMETER: Record<Facet, string> = {
  category: "category",
  risk: "risk",
  status: "status",
  device: "device",
  torch: "in",
};
/** Most used first. */
const FIRST = "-uses";
/** How many rows are shown until all are asked for: a table of thousands takes its time. */
const AT_ONCE = 100;

export class FilterTable extends HTMLElement {
  #words!: Words;
  #facets!: Record<string, [string, string][]>;
  #rows: Row[] = [];
  #body!: HTMLTableSectionElement;
  #heads: HTMLTableCellElement[] = [];
  readonly #text = document.createElement("input");
  readonly #selects = new Map<Facet, HTMLSelectElement>();
  readonly #count = document.createElement("p");
  readonly #reset = document.createElement("button");
  #run: string[] = [];
  #about: HTMLElement | null = null;
  #fitting: Row[] = [];
  readonly #all = document.createElement("button");
  #allShown = false;
  #sorted: Column = "uses";
  #down = true;

  connectedCallback(): void {
    const table = this.querySelector("table");
    if (!table?.tBodies[0] || this.#words) return;
    this.#words = new Words(this);
    this.#facets = JSON.parse(this.dataset.facets ?? "{}") as Record<string, [string, string][]>;
    this.#run = JSON.parse(this.dataset.run ?? "[]") as string[];
    this.#about = this.querySelector(".apidiff-table-about");
    this.#body = table.tBodies[0];
    this.#rows = [...this.#body.rows].map((row) => new Row(row));
    this.prepend(this.#controls());
    this.#heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    this.#heads.forEach((head, place) => this.#sortable(head, COLUMNS[place] as Column));
    this.#read();
    follow((pair) => this.#follow(pair));
    // A step back or forward within the page changes the address alone.
    window.addEventListener("popstate", () => {
      this.#read();
      this.#follow(chosen());
    });
    this.#all.type = "button";
    this.#all.className = "apidiff-button apidiff-table-all";
    this.#all.addEventListener("click", () => {
      this.#allShown = true;
      this.#show();
    });
    table.after(this.#all);
    void this.#complete(table);
  }

  /** Takes the rows of the other tables into this one: those that the page keeps elsewhere, where they can be had. */
  async #complete(table: HTMLTableElement): Promise<void> {
    await bringAll(this);
    for (const other of this.querySelectorAll<HTMLTableElement>("table.apidiff-index")) {
      if (other === table) continue;
      this.#rows.push(...[...(other.tBodies[0]?.rows ?? [])].map((row) => new Row(row)));
      (other.closest(".apidiff-part-lid") ?? other).remove();
    }
    this.#follow(chosen());
    this.dataset.complete = "";
  }

  #controls(): HTMLElement {
    const form = document.createElement("form");
    form.className = "apidiff-table-filters";
    form.setAttribute("aria-label", this.#words.say("filters"));
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#text.type = "search";
    this.#text.className = "form-control";
    this.#text.autocomplete = "off";
    this.#text.spellcheck = false;
    this.#text.addEventListener("input", () => this.#changed());
    form.append(this.#labelled("text", this.#text));
    const titles: Record<Facet, string> = {
      category: "category",
      device: "devices",
      risk: "column.risk",
      status: "column.status",
      torch: "in_torch",
    };
    for (const facet of FACETS) {
      const select = document.createElement("select");
      select.append(new Option(this.#words.say("any"), ""));
      for (const [value, text] of this.#facets[facet] ?? []) select.append(new Option(text, value));
      select.addEventListener("change", () => this.#changed());
      this.#selects.set(facet, select);
      form.append(this.#labelled(titles[facet], select));
    }
    this.#reset.type = "button";
    this.#reset.className = "apidiff-button";
    this.#reset.textContent = this.#words.say("reset");
    this.#reset.addEventListener("click", () => this.#clear());
    this.#count.className = "apidiff-table-count";
    this.#count.setAttribute("role", "status");
    const last = document.createElement("div");
    last.className = "apidiff-table-state";
    last.append(this.#count, this.#reset);
    form.append(last);
    return form;
  }

  #labelled(key: string, control: HTMLInputElement | HTMLSelectElement): HTMLLabelElement {
    const label = document.createElement("label");
    const words = document.createElement("span");
    words.textContent = this.#words.say(key);
    if (control instanceof HTMLSelectElement) control.className = "apidiff-table-select";
    label.append(words, control);
    return label;
  }

  #sortable(head: HTMLTableCellElement, column: Column): void {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      // What is asked of figures first is the greatest.
      this.#down = this.#sorted === column ? !this.#down : column === "uses";
      this.#sorted = column;
      this.#sort();
      this.#changed();
    });
    head.replaceChildren(button);
  }

  /** Takes from the address what is chosen; what it does not know counts as not said. */
  #read(): void {
    const asked = new URLSearchParams(window.location.search);
    this.#text.value = asked.get("q") ?? "";
    for (const [facet, select] of this.#selects) {
      select.value = asked.get(PARAMETER[facet]) ?? "";
      if (select.selectedIndex < 0) select.value = "";
    }
    const sort = asked.get("sort") ?? FIRST;
    const known = COLUMNS.some((one) => one === sort.replace("-", ""));
    this.#sortBy(known ? sort : FIRST);
  }

  #sortBy(sort: string): void {
    this.#down = sort.startsWith("-");
    this.#sorted = sort.replace("-", "") as Column;
  }

  #write(): void {
    const here = new URL(window.location.href);
    const set = (name: string, value: string) =>
      value ? here.searchParams.set(name, value) : here.searchParams.delete(name);
    set("q", this.#text.value.trim());
    for (const [facet, select] of this.#selects) set(PARAMETER[facet], select.value);
    const sort = `${this.#down ? "-" : ""}${this.#sorted}`;
    set("sort", sort === FIRST ? "" : sort);
    if (here.href !== window.location.href) window.history.replaceState(window.history.state, "", here);
  }

  #follow(pair: Pair): void {
    const spans = new Map<string, boolean>();
    for (const row of this.#rows) row.follow(pair.mindspore, spans);
    this.#tellAbout(pair);
    this.#sort();
    this.#filter();
  }

  /** Which version the table is about, and whether it was run. */
  #tellAbout({ mindspore }: Pair): void {
    const said = [this.#words.say("about", { version: mindspore })];
    if (!this.#run.includes(mindspore)) said.push(this.#words.say("not_run", { version: mindspore }));
    const text = said.join(this.#words.say("space"));
    if (this.#about && this.#about.textContent !== text) this.#about.textContent = text;
  }

  #changed(): void {
    this.#filter();
    this.#write();
  }

  #clear(): void {
    this.#text.value = "";
    for (const select of this.#selects.values()) select.value = "";
    this.#sortBy(FIRST);
    this.#sort();
    this.#changed();
    this.#text.focus();
  }

  #filter(): void {
    const words = this.#text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [...this.#selects].map(([facet, { value }]): [Facet, string] => [facet, value]);
    const counts = new Map(FACETS.map((facet) => [facet, new Map<string, number>()]));
    this.#fitting = [];
    for (const row of this.#rows) {
      const against = wanted.filter(([facet, value]) => value && !fits(row, facet, value));
      const said = words.every((word) => row.text.includes(word));
      if (said && !against.length) this.#fitting.push(row);
      if (!said || against.length > 1) continue;
      // A facet counts the rows that all others let through: so many are shown if this value is chosen.
      for (const facet of against.length ? [(against[0] as [Facet, string])[0]] : FACETS)
        for (const [value] of this.#facets[facet] ?? []) {
          if (!fits(row, facet, value)) continue;
          const count = counts.get(facet) as Map<string, number>;
          count.set(value, (count.get(value) ?? 0) + 1);
        }
    }
    for (const [facet, select] of this.#selects) this.#tell(select, facet, counts.get(facet));
    const shown = this.#fitting.length;
    this.#count.textContent = this.#words.say(shown ? "shown" : "none", { shown, all: this.#rows.length });
    this.#allowReset();
    this.#show();
  }

  /** Puts the rows that fit into the table, as many as are shown at once. */
  #show(): void {
    const rows = this.#allShown ? this.#fitting : this.#fitting.slice(0, AT_ONCE);
    const standing = this.#body.rows;
    if (rows.length !== standing.length || rows.some((row, place) => standing[place] !== row.element))
      this.#body.replaceChildren(...rows.map((row) => row.element));
    this.#all.hidden = rows.length === this.#fitting.length;
    this.#all.textContent = this.#words.say("all", { count: this.#fitting.length });
  }

  #allowReset(): void {
    const chosen = this.#text.value.trim() || [...this.#selects.values()].some((one) => one.value);
    this.#reset.disabled = !chosen && this.#sorted === "uses" && this.#down;
  }

  #tell(select: HTMLSelectElement, facet: Facet, counts?: Map<string, number>): void {
    this.#facets[facet]?.forEach(([value, text], place) => {
      const option = select.options[place + 1];
      const words = `${text} (${counts?.get(value) ?? 0})`;
      if (option && option.text !== words) option.text = words;
    });
  }

  #sort(): void {
    const sign = this.#down ? -1 : 1;
    const key = this.#key();
    const keyed = this.#rows.map((row): [string | number, Row] => [key(row), row]);
    keyed.sort(([a, one], [b, other]) => (a < b ? -sign : a > b ? sign : one.name < other.name ? -1 : 1));
    this.#rows = keyed.map(([, row]) => row);
    this.#heads.forEach((head, place) => {
      if (COLUMNS[place] === this.#sorted) head.setAttribute("aria-sort", this.#down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  /** What rows are sorted by: names by their letters, the rest in the order in which the server lists the values. */
  #key(): (row: Row) => string | number {
    const column = this.#sorted;
    if (column === "api") return (row) => row.name.toLowerCase();
    // Those without a target come last.
    if (column === "target") return (row) => row.values.target.toLowerCase() || "\uffff";
    if (column === "uses") return (row) => row.uses;
    if (isDevice(column)) return (row) => rank(row.values[column]);
    const order = new Map((this.#facets[column] ?? []).map(([value], place) => [value, place]));
    return (row) => order.get(row.values[column][0] ?? "") ?? order.size;
  }
}

function isDevice(column: Column): column is Device {
  return DEVICES.some((device) => device === column);
}

/** Run and documented first, then run, documented alone, failing, unknown. */
function rank(standing: string): number {
  const has = (word: string) => standing.includes(`-${word}`);
  if (has("run")) return has("documented") ? 0 : 1;
  if (has("failed")) return 3;
  return has("documented") ? 2 : 4;
}

/** A row without a recorded PyTorch version is no API that versions have or lack: no version hides it. */
function fits(row: Row, facet: Facet, value: string): boolean {
  const values = row.values[facet];
  return values.includes(value) || (facet === "torch" && !values.length);
}
