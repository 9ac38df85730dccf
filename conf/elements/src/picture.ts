// <apidiff-picture>: the server has drawn one scene a side; this element lets a reader choose others out of the page's
// template (ranks, sync or async, target, backend), step through the call, and see which inputs made a value.
import { bringAll } from "./shared/parts";
import { follow, type Pair } from "./shared/versions";
import { Words } from "./shared/words";

interface Target {
  api: string;
  current: string; // spans FIRST..LAST of MindSpore versions, apart by spaces
}

type Step = "before" | "called" | "after";

const PAUSE = 1400; // milliseconds a step is shown while playing

class ApidiffPicture extends HTMLElement {
  #words!: Words;
  #scenes: HTMLElement[] = [];
  #sides: HTMLElement[] = [];
  #notes: HTMLElement[] = [];
  #targets: Target[] = [];
  #pair: Pair = { torch: "", mindspore: "" };
  #size = "";
  #mode = "";
  #target: string | null = null; // null: the one that is current for the chosen version
  #places: Record<string, string> = {};
  #step: Step = "after";
  #timer = 0;
  #controls = document.createElement("div");
  #steps = document.createElement("output");
  #hint = make("p", "pic-hint");
  #tell = make("p", "pic-tell");

  connectedCallback(): void {
    if (this.#sides.length) return;
    this.#sides = [...this.querySelectorAll<HTMLElement>(".pic-side")];
    // A heavy page keeps the other scenes elsewhere.
    const lid = this.querySelector<HTMLElement>(":scope > .apidiff-part-lid");
    if (lid) void bringAll(lid).then(() => this.#begin(lid));
    else this.#begin();
  }

  /** `lid`: around the scenes that are not drawn, where those are not in a template. */
  #begin(lid?: HTMLElement): void {
    this.#words = new Words(this);
    this.#targets = JSON.parse(this.dataset.targets ?? "[]") as Target[];
    const kept = lid ?? this.querySelector("template")?.content;
    const drawn = [...this.querySelectorAll<HTMLElement>(".pic-side > [data-api]")];
    this.#scenes = [...drawn, ...(kept?.querySelectorAll<HTMLElement>("[data-api]") ?? [])];
    if (!lid?.querySelector(".apidiff-part")) lid?.remove();
    for (const scene of this.#scenes) enliven(scene);
    this.#size = drawn[0]?.dataset.size ?? "3";
    this.#mode = drawn[0]?.dataset.mode ?? "sync";
    for (const side of this.#sides) {
      const note = make("p", "pic-note");
      note.hidden = true;
      this.#notes.push(note);
      side.prepend(note);
    }
    this.#build();
    this.addEventListener("pointerover", (event) => this.#look(event.target));
    this.addEventListener("pointerout", () => this.#look(document.activeElement));
    this.addEventListener("focusin", (event) => {
      this.#look(event.target);
      this.#uncover(event.target);
    });
    this.addEventListener("focusout", () => this.#look(null));
    this.addEventListener("keydown", (event) => this.#move(event));
    follow((pair) => {
      if (pair.mindspore !== this.#pair.mindspore) this.#target = null;
      this.#pair = pair;
      this.#show();
    });
  }

  disconnectedCallback(): void {
    this.#stop();
  }

  #build(): void {
    this.#controls.className = "pic-controls";
    this.#controls.setAttribute("role", "group");
    this.#controls.setAttribute("aria-label", this.#words.say("controls"));
    const sizes = this.#values("size").sort((a, b) => Number(a) - Number(b));
    if (sizes.length > 1) {
      const options = sizes.map((size) => [size, size] as const);
      this.#controls.append(this.#choice("size", options, this.#size, (size) => (this.#size = size)));
    }
    const modes = this.#values("mode").sort().reverse();
    if (modes.length > 1) {
      const options = modes.map((mode) => [mode, this.#words.say(mode)] as const);
      this.#controls.append(this.#choice("mode", options, this.#mode, (mode) => (this.#mode = mode)));
    }
    this.#controls.append(this.#stepper());
    if (this.#targets.length > 1) {
      const options = this.#targets.map(({ api }) => [api, api] as const);
      const select = this.#select(this.#words.say("target"), options, (api) => (this.#target = api));
      select.dataset.chooses = "target";
    }
    for (const framework of ["torch", "mindspore"]) {
      const own = this.#scenes.filter((scene) => scene.dataset.framework === framework);
      const places = [...new Set(own.map((scene) => scene.dataset.place ?? ""))];
      if (places.length < 2) continue;
      const label = this.#words.say("place", { framework: this.#words.say(`framework.${framework}`) });
      this.#select(label, places.map((place) => [place, place]), (place) => (this.#places[framework] = place));
    }
    // What is told of a value stands at the bottom of the view, where it can be read wherever in the picture the value is.
    this.querySelector(".pic-sides")?.before(this.#controls, this.#hint);
    this.querySelector(".pic-sides")?.after(this.#tell);
  }

  /** Every value that scenes have under `key`. */
  #values(key: string): string[] {
    return [...new Set(this.#scenes.map((scene) => scene.dataset[key] ?? ""))];
  }

  /** Radio buttons side by side. */
  #choice(name: string, options: readonly (readonly [string, string])[], now: string, act: (value: string) => void) {
    const field = make("fieldset", "pic-choice");
    field.append(make("legend", "", this.#words.say(name)));
    const group = `pic-${name}-${Math.random().toString(36).slice(2)}`;
    for (const [value, text] of options) {
      const label = make("label");
      const radio = make("input") as HTMLInputElement;
      Object.assign(radio, { type: "radio", name: group, value, checked: value === now });
      radio.addEventListener("change", () => {
        act(value);
        this.#show();
      });
      label.append(radio, make("span", "", text));
      field.append(label);
    }
    return field;
  }

  #select(name: string, options: readonly (readonly [string, string])[], act: (value: string) => void) {
    const label = make("label", "pic-select");
    const select = make("select") as HTMLSelectElement;
    for (const [value, text] of options) select.append(new Option(text, value));
    select.addEventListener("change", () => {
      act(select.value);
      this.#show();
    });
    label.append(make("span", "", name), select);
    this.#controls.append(label);
    return select;
  }

  #stepper(): HTMLElement {
    const field = make("fieldset", "pic-choice pic-stepper");
    field.append(make("legend", "", this.#words.say("step")));
    const button = (key: string, sign: string, act: () => void) => {
      const found = make("button", "", sign || this.#words.say(key)) as HTMLButtonElement;
      found.type = "button";
      found.dataset.does = key;
      if (sign) found.title = this.#words.say(key);
      if (sign) found.setAttribute("aria-label", found.title);
      found.addEventListener("click", act);
      field.append(found);
    };
    button("back", "◀", () => this.#go(-1));
    button("forward", "▶", () => this.#go(1));
    // Where a reader wants no motion, steps change only when asked.
    if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) button("play", "", () => this.#play());
    this.#steps.className = "pic-step";
    field.append(this.#steps);
    return field;
  }

  #shown(): HTMLElement[] {
    return this.#sides.flatMap((side) => [...side.querySelectorAll<HTMLElement>(":scope > .pic-scene")]);
  }

  #order(): Step[] {
    return this.#shown().some((scene) => scene.dataset.wait) ? ["before", "called", "after"] : ["before", "after"];
  }

  #go(by: number): void {
    this.#stop();
    const order = this.#order();
    const place = order.indexOf(this.#step) + by;
    this.#set(order[Math.min(Math.max(place, 0), order.length - 1)] ?? "after");
  }

  #play(): void {
    if (this.#timer) return this.#stop();
    this.#set("before");
    this.#timer = window.setInterval(() => {
      const order = this.#order();
      this.#set(order[order.indexOf(this.#step) + 1] ?? "after");
      if (this.#step === "after") this.#stop();
    }, PAUSE);
    this.#label();
  }

  #stop(): void {
    window.clearInterval(this.#timer);
    this.#timer = 0;
    this.#label();
  }

  /** The play button says what it would do. */
  #label(): void {
    const button = this.#controls.querySelector<HTMLButtonElement>("[data-does=play]");
    if (button) button.textContent = this.#words.say(this.#timer ? "stop" : "play");
  }

  #set(step: Step): void {
    this.#step = step;
    this.dataset.step = step;
    const order = this.#order();
    const waits = order.length > 2;
    const name = { before: "before", called: "step_called", after: waits ? "after_wait" : "after" }[step];
    this.#steps.textContent = `${order.indexOf(step) + 1}/${order.length} ${this.#words.say(name)}`;
    for (const [does, end] of [["back", order[0]], ["forward", order.at(-1)]] as const)
      this.#controls.querySelector(`[data-does=${does}]`)?.setAttribute("aria-disabled", String(step === end));
    this.#look(null);
  }

  /** Puts the chosen scenes in place. */
  #show(): void {
    const effective = this.#effective();
    const apis = [this.dataset.source ?? null, effective];
    const select = this.#controls.querySelector<HTMLSelectElement>("[data-chooses=target]");
    if (select) select.value = effective ?? "";
    for (const [index, side] of this.#sides.entries()) {
      const framework = index ? "mindspore" : "torch";
      const wanted = this.#pair[framework];
      const found = this.#pick(apis[index] ?? null, framework, wanted);
      const old = side.querySelector<HTMLElement>(":scope > .pic-scene");
      const shown = found ?? this.#missing(apis[index] ?? null);
      const open = old?.querySelector("details")?.open;
      const table = shown.querySelector("details");
      if (table && open !== undefined) table.open = open;
      if (shown !== old) {
        old?.remove();
        side.append(shown);
      }
      this.#note(this.#notes[index], found, framework, wanted);
    }
    this.#rove();
    const order = this.#order();
    this.#set(order.includes(this.#step) ? this.#step : "after");
  }

  #effective(): string | null {
    if (this.#target) return this.#target;
    const version = this.#pair.mindspore || (this.dataset.newest ?? "");
    return this.#targets.find(({ current }) => within(current, version))?.api ?? null;
  }

  /** The scene of `api` at the choices made: of the version asked for, else the next older, else the oldest recorded. */
  #pick(api: string | null, framework: string, version: string): HTMLElement | undefined {
    const fits = this.#scenes.filter(
      ({ dataset }) => dataset.api === api && dataset.size === this.#size && dataset.mode === this.#mode,
    );
    const place = this.#places[framework] ?? fits[0]?.dataset.place;
    const here = fits.filter((scene) => scene.dataset.place === place);
    const recorded = here
      .flatMap((scene) => versionsOf(scene).map((one) => [one, scene] as const))
      .sort(([one], [other]) => compare(other, one));
    const found = recorded.find(([one]) => !version || compare(one, version) <= 0) ?? recorded.at(-1);
    return found?.[1];
  }

  #missing(api: string | null): HTMLElement {
    const scene = make("div", "pic-scene pic-none");
    const version = this.#pair.mindspore || (this.dataset.newest ?? "");
    scene.append(make("p", "", api ? this.#words.say("no_scene", { api }) : this.#words.say("no_target", { version })));
    return scene;
  }

  #note(note: HTMLElement | undefined, scene: HTMLElement | undefined, framework: string, version: string): void {
    if (!note) return;
    const recorded = scene ? versionsOf(scene) : [];
    note.hidden = !version || !scene || recorded.includes(version);
    const shown = recorded.join(this.#words.say("site.comma"));
    const values = { framework: this.#words.say(`framework.${framework}`), version, shown };
    note.textContent = note.hidden ? "" : this.#words.say("not_recorded", values);
  }

  /** One value of all can be reached by Tab; arrow keys lead to the others. */
  #rove(): void {
    const cells = this.#cells();
    for (const [index, cell] of cells.entries()) cell.tabIndex = index ? -1 : 0;
    for (const cell of cells) cell.setAttribute("aria-label", this.#explain(cell));
    this.#hint.textContent = cells.length ? this.#words.say("hint") : "";
  }

  #cells(): HTMLElement[] {
    return this.#sides.flatMap((side) => [...side.querySelectorAll<HTMLElement>(".pic-rank b")]);
  }

  #move(event: KeyboardEvent): void {
    const cell = cellAt(event.target);
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const cells = this.#cells().filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const goal = neighbour(cells, cell, event.key);
    if (!goal) return;
    event.preventDefault();
    cell.tabIndex = -1;
    goal.tabIndex = 0;
    goal.focus();
  }

  /** Marks `goal`, if it is a value, with all that made it or came of it, and tells so. */
  #look(goal: EventTarget | null): void {
    for (const one of this.querySelectorAll(".hot, .src")) one.classList.remove("hot", "src");
    const cell = cellAt(goal);
    this.#tell.textContent = cell ? this.#explain(cell) : "";
    if (!cell) return;
    cell.classList.add("hot");
    for (const one of isAfter(cell) ? madeBy(cell) : wentInto(cell)) one.classList.add("src");
  }

  /** Moves a value that was tapped or gone to out from under what is told of it; where a pointer is, nothing moves. */
  #uncover(goal: EventTarget | null): void {
    const hidden = (cellAt(goal)?.getBoundingClientRect().bottom ?? 0) - this.#tell.getBoundingClientRect().top;
    if (cellAt(goal) && hidden > 0) window.scrollBy({ top: hidden + 8, behavior: "instant" });
  }

  #explain(cell: HTMLElement): string {
    const rank = cell.closest<HTMLElement>(".pic-rank")?.dataset.rank ?? "";
    const place = `${this.#words.say("run.rank")} ${rank} · ${named(cell)}`;
    const value = valueOf(cell);
    if (!isAfter(cell)) {
      const count = wentInto(cell).length;
      return this.#words.say(["tell_input_none", "tell_input_one"][count] ?? "tell_input", { place, value, count });
    }
    const sources = madeBy(cell);
    const unexpected = cell.classList.contains("u") ? this.#words.say("tell_unexpected") : "";
    if (!cell.classList.contains("c")) return this.#words.say("tell_kept", { place, value });
    if (!sources.length) return this.#words.say("tell_unknown", { place, value }) + unexpected;
    const ranks = (cell.dataset.o ?? "").split(";")[0]?.split(" ").join(this.#words.say("site.comma")) ?? "";
    const key = sources.length > 1 ? "tell_sum" : "tell_copy";
    return this.#words.say(key, { place, value, ranks, buffer: named(sources[0] as HTMLElement) }) + unexpected;
  }
}

function make(tag: string, className = "", text = ""): HTMLElement {
  const found = document.createElement(tag);
  if (className) found.className = className;
  found.textContent = text;
  return found;
}

/** Values become things that can be pointed at by keyboard. */
function enliven(scene: HTMLElement): void {
  for (const cell of scene.querySelectorAll<HTMLElement>(".pic-rank b")) {
    cell.setAttribute("role", "img");
    cell.tabIndex = -1;
  }
}

function cellAt(goal: EventTarget | null): HTMLElement | null {
  return goal instanceof Element ? goal.closest<HTMLElement>(".pic-rank b") : null;
}

function isAfter(cell: HTMLElement): boolean {
  return cell.closest(".pic-after") !== null;
}

function valueOf(cell: HTMLElement): string {
  return cell.firstChild?.textContent ?? "";
}

/** The values that stand before (or after) the call in the row of `cell`, in order of the elements. */
function row(cell: HTMLElement, side: "before" | "after"): HTMLElement[] {
  return [...(cell.closest(".pic-row")?.querySelectorAll<HTMLElement>(`.pic-${side} b`) ?? [])];
}

/** `tensor[2]`; a buffer that holds one value has no index. */
function named(cell: HTMLElement): string {
  const own = row(cell, isAfter(cell) ? "after" : "before");
  const buffer = cell.closest<HTMLElement>(".pic-row")?.dataset.buffer ?? "";
  return own.length > 1 ? `${buffer}[${own.indexOf(cell)}]` : buffer;
}

/** The inputs that made a value after the call, as the server decoded them; for one that was kept, the one it was. */
function madeBy(cell: HTMLElement): HTMLElement[] {
  if (!cell.dataset.o) {
    const before = row(cell, "before")[row(cell, "after").indexOf(cell)];
    return before && !cell.classList.contains("c") ? [before] : [];
  }
  const [ranks = "", buffer = "", element = "0"] = cell.dataset.o.split(";");
  const scene = cell.closest(".pic-scene");
  return ranks.split(" ").flatMap((rank) => {
    const rows = `.pic-rank[data-rank="${rank}"] .pic-row[data-buffer="${CSS.escape(buffer)}"] .pic-before b`;
    const found = scene?.querySelectorAll<HTMLElement>(rows)[Number(element)];
    return found ? [found] : [];
  });
}

function wentInto(cell: HTMLElement): HTMLElement[] {
  const all = [...(cell.closest(".pic-scene")?.querySelectorAll<HTMLElement>(".pic-after b") ?? [])];
  return all.filter((one) => madeBy(one).includes(cell));
}

/** The value that an arrow key, Home or End leads to. */
function neighbour(cells: HTMLElement[], cell: HTMLElement, key: string): HTMLElement | undefined {
  const at = cells.indexOf(cell);
  const lines = [...new Set(cells.map((one) => one.parentElement))];
  const line = cells.filter((one) => one.parentElement === cell.parentElement);
  const vertical = (by: number) => {
    const goal = lines[lines.indexOf(cell.parentElement) + by];
    const there = cells.filter((one) => one.parentElement === goal);
    return there[Math.min(line.indexOf(cell), there.length - 1)];
  };
  switch (key) {
    case "ArrowLeft":
      return cells[at - 1];
    case "ArrowRight":
      return cells[at + 1];
    case "ArrowUp":
      return vertical(-1);
    case "ArrowDown":
      return vertical(1);
    case "Home":
      return line[0];
    case "End":
      return line.at(-1);
    default:
      return undefined;
  }
}

function versionsOf(scene: HTMLElement): string[] {
  return (scene.dataset.versions ?? "").split(" ");
}

/** Orders two releases by their numbers: 2.10.0 after 2.7.1. */
function compare(one: string, other: string): number {
  const parts = other.split(".").map(Number);
  for (const [index, part] of one.split(".").map(Number).entries()) {
    const difference = part - (parts[index] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

function within(spans: string, version: string): boolean {
  return spans.split(" ").some((span) => {
    const [first = "", last = first] = span.split("..");
    return first !== "" && compare(first, version) <= 0 && compare(version, last) <= 0;
  });
}

customElements.define("apidiff-picture", ApidiffPicture);
