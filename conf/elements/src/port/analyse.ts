// What a piece of code uses of the APIs in the database, and where.
import { Names, type Known } from "./names";
import { parse, type Node } from "./tree";
import { Walk, type Note, type Use } from "./walk";

export interface Analysis {
  code: string; // as it is shown: with line ends of one kind
  uses: Use[]; // by place
  notes: Note[];
  errors: { count: number; from: number }; // places that are no Python, and the first of them
}

const RUNS = 4;
const PROMPT = /^(\s*)(>>> ?|\.\.\. ?)/;

/** Analyses `source`. Code that is cut off or broken is analysed as far as its tree goes. */
export function analyse(source: string, known: Known): Analysis {
  const code = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const tree = parse(withoutPrompts(code));
  const walk = new Walk(tree, code, new Names(known));
  walk.run();
  for (let run = 1; run < RUNS && walk.learned; run++) walk.run();
  const places = new Map(walk.uses.map((use) => [`${use.from} ${use.to}`, use]));
  const uses = [...places.values()].sort((left, right) => left.from - right.from || right.to - left.to);
  return { code, uses, notes: walk.notes.sort((left, right) => left.from - right.from), errors: errors(tree) };
}

/** Code of an interactive session, with spaces for prompts and for what the interpreter printed. */
function withoutPrompts(code: string): string {
  const lines = code.split("\n");
  if (!lines.find((line) => line.trim())?.trimStart().startsWith(">>>")) return code;
  const blank = (text: string): string => " ".repeat(text.length);
  return lines.map((line) => (PROMPT.test(line) ? line.replace(PROMPT, blank) : blank(line))).join("\n");
}

function errors(tree: Node): Analysis["errors"] {
  const found = { count: 0, from: -1 };
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.error) {
      found.count++;
      if (found.from < 0 || node.from < found.from) found.from = node.from;
    }
    for (const one of node.children) open.push(one);
  }
  return found;
}

/** Line and column of places in `code`, both from 1; a column counts characters, as Python does. */
export class Places {
  readonly #starts = [0];
  #last = { line: 0, offset: 0, column: 1 }; // asked for last: what comes after it in its line is counted from there

  constructor(readonly code: string) {
    for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  get lines(): number {
    return this.#starts.length;
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    const start = { line: low + 1, offset: this.#starts[low] as number, column: 1 };
    const from = this.#last.line === start.line && this.#last.offset <= offset ? this.#last : start;
    const column = from.column + [...this.code.slice(from.offset, offset)].length;
    this.#last = { line: start.line, offset, column };
    return { line: start.line, column };
  }
}
