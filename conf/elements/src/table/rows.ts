// The rows of the table as data, read once from what the server wrote.

import { covers } from "../shared/versions";

/** What a cell holds in some releases; `part` is what shows it, where not all releases have the same. */
interface Held {
  value: string;
  part?: HTMLElement;
}

export type Facet = "category" | "risk" | "status" | "device" | "torch";
export const DEVICES = ["npu", "cuda", "cpu"] as const;
export type Device = (typeof DEVICES)[number];

/** The values of a row in each facet, for one release. */
export type Values = Record<Facet, string[]> & { target: string } & Record<Device, string>;

const CELLS = ["target", "risk", "status", ...DEVICES] as const;
type Cell = (typeof CELLS)[number];

export class Row {
  readonly element: HTMLTableRowElement;
  readonly name: string;
  readonly #fixed: Pick<Values, "category" | "torch">;
  /** How often real code names it. */
  readonly uses: number;
  readonly #cells: Record<Cell, Held[]>;
  values!: Values;
  /** What the text filter looks through, in small letters. */
  text = "";

  constructor(element: HTMLTableRowElement) {
    this.element = element;
    this.name = element.cells[0]?.textContent ?? "";
    const { category = "", uses = "0", inTorch = "" } = element.dataset;
    this.uses = Number(uses);
    this.#fixed = {
      category: [category],
      torch: inTorch.split(" ").filter(Boolean),
    };
    this.#cells = Object.fromEntries(CELLS.map((name) => [name, this.#held(name)])) as Record<Cell, Held[]>;
  }

  #held(name: string): Held[] {
    const found = this.element.querySelectorAll<HTMLElement>(`[data-${name}]`);
    return [...found].map((part) => ({
      value: part.dataset[name] ?? "",
      part: part.dataset.mindspore === undefined ? undefined : part,
    }));
  }

  /** Shows what holds for the MindSpore release, and takes its values. `spans` remembers which spans hold it. */
  follow(release: string, spans: Map<string, boolean>): void {
    const now = { target: "", risk: "", status: "", npu: "", cuda: "", cpu: "" };
    for (const name of CELLS)
      for (const { value, part } of this.#cells[name]) {
        const here = !part || held(part.dataset.mindspore ?? "", release, spans);
        if (part && part.hidden === here) part.hidden = !here;
        if (here) now[name] = value;
      }
    this.values = {
      ...this.#fixed,
      ...now,
      risk: now.risk ? [now.risk] : [],
      status: now.status ? [now.status] : [],
      device: DEVICES.flatMap((device) => now[device].split(" ").filter(Boolean)),
    };
    this.text = `${this.name} ${now.target}`.toLowerCase();
  }
}

/** Thousands of rows share a few spans. */
function held(spans: string, release: string, known: Map<string, boolean>): boolean {
  let found = known.get(spans);
  if (found === undefined) known.set(spans, (found = covers("mindspore", spans, release)));
  return found;
}
