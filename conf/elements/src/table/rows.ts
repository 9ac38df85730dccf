// The rows of the table as data, read once from what the server wrote.

import { covers, type Pair, within } from "../shared/versions";

/** What a cell holds in some releases; `part` is what shows it, where not all releases have the same. */
interface Held {
  value: string;
  part?: HTMLElement;
}

export type Facet = "category" | "risk" | "status" | "backend" | "verdict" | "torch";

/** What runs say of a row on one backend in some versions of a framework. */
interface Runs {
  framework: keyof Pair;
  backend: string;
  outcome: string;
  spans: string;
}

/** The versions that were run, by framework, newest first. */
export type Run = Partial<Record<keyof Pair, string[]>>;

/** Of all values of a facet the worst, and the words of one. */
export interface Outcomes {
  worst(all: readonly string[]): string;
  words(one: string): string;
  comma: string;
}

/** The values of a row in each facet, for one release. */
export type Values = Record<Facet, string[]> & { target: string };

const CELLS = ["target", "risk", "status"] as const;

export class Row {
  readonly element: HTMLTableRowElement;
  readonly name: string;
  readonly #fixed: Pick<Values, "category" | "torch">;
  readonly #runs: Runs[];
  readonly #cells: Record<(typeof CELLS)[number], Held[]>;
  values!: Values;
  /** What the text filter looks through, in small letters. */
  text = "";

  constructor(element: HTMLTableRowElement) {
    this.element = element;
    this.name = element.cells[0]?.textContent ?? "";
    const { category = "", runs = "", inTorch = "" } = element.dataset;
    this.#runs = runs.split(";").filter(Boolean).map((one) => {
      const [framework, backend = "", outcome = "", ...spans] = one.split(" ");
      return { framework: framework as keyof Pair, backend, outcome: outcome.replace("_", " "), spans: spans.join(" ") };
    });
    this.#fixed = {
      category: [category],
      torch: inTorch.split(" ").filter(Boolean),
    };
    this.#cells = { target: this.#held("target"), risk: this.#held("risk"), status: this.#held("status") };
  }

  #held(name: string): Held[] {
    const found = this.element.querySelectorAll<HTMLElement>(`[data-${name}]`);
    return [...found].map((part) => ({
      value: part.dataset[name] ?? "",
      part: part.dataset.mindspore === undefined ? undefined : part,
    }));
  }

  /** Shows what holds for the pair, and takes its values. `spans` remembers which spans hold the MindSpore release. */
  follow(pair: Pair, run: Run, outcomes: Outcomes, spans: Map<string, boolean>): void {
    const release = pair.mindspore;
    const now = { target: "", risk: "", status: "" };
    for (const name of CELLS)
      for (const { value, part } of this.#cells[name]) {
        const here = !part || held(part.dataset.mindspore ?? "", release, spans);
        if (part && part.hidden === here) part.hidden = !here;
        if (here) now[name] = value;
      }
    this.values = {
      ...this.#fixed,
      ...this.#followRuns(pair, run, outcomes),
      target: now.target,
      risk: now.risk ? [now.risk] : [],
      status: now.status ? [now.status] : [],
    };
    this.text = `${this.name} ${now.target}`.toLowerCase();
  }

  /** As `Index.runs_of` of the server: runs of the chosen versions; of a PyTorch that was never run, those of others. */
  #followRuns(pair: Pair, run: Run, outcomes: Outcomes): { backend: string[]; verdict: string[] } {
    const counted = this.#runs.filter(({ framework, spans }) => {
      if (framework === "mindspore") return covers("mindspore", spans, pair.mindspore);
      const torch = run.torch ?? [];
      return !torch.includes(pair.torch) || within(torch, spans, pair.torch);
    });
    const backend = [...new Set(counted.map((one) => one.backend))].sort();
    const verdict = outcomes.worst(counted.map((one) => one.outcome));
    const [ran, said] = [...this.element.cells].slice(-2);
    const names = backend.join(outcomes.comma);
    if (ran && ran.textContent !== names) ran.textContent = names;
    const badge = said?.firstElementChild;
    if (badge && badge.textContent !== outcomes.words(verdict)) {
      badge.className = `apidiff-badge apidiff-outcome-${verdict.replace(" ", "-")}`;
      badge.textContent = outcomes.words(verdict);
    }
    return { backend, verdict: [verdict] };
  }
}

/** Thousands of rows share a few spans. */
function held(spans: string, release: string, known: Map<string, boolean>): boolean {
  let found = known.get(spans);
  if (found === undefined) known.set(spans, (found = covers("mindspore", spans, release)));
  return found;
}
