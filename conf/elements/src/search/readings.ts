// What the words of a query may mean: everyday names, such as "point to point" or 广播, stand for names of APIs.
// The command reads a query in the same way: apidiff/lookup/words.py.

import { type Piece, pieces } from "./tokens";

/** A word or phrase of a query, and the words of API names that it stands for. */
export interface Reading {
  pieces: Piece[];
  means: string[];
}

// Of a question; of a longer one, what is repeated counts once.
const MOST_WORDS = 40;
const LONGEST_WORD = 200;

/** The question, no longer than anybody asks. Repetitions stay in a short one: "point to point" is a name. */
export function shortened(typed: string): string {
  const parts = typed.slice(0, MOST_WORDS * LONGEST_WORD).split(/\s+/);
  const each = parts.filter((part) => part).map((part) => part.slice(0, LONGEST_WORD));
  return (each.length > MOST_WORDS ? [...new Set(each)] : each).slice(0, MOST_WORDS).join(" ");
}

export class Everyday {
  readonly #names: Map<string, string[]>;
  readonly #empty: Set<string>;
  readonly #longest: number;
  readonly #characters: number;

  /** `names`: everyday names with what they mean. `empty`: words that tell no text from another. */
  constructor(names: Record<string, string[]>, empty: string[]) {
    this.#names = new Map(Object.entries(names));
    this.#empty = new Set(empty);
    this.#longest = Math.max(1, ...Object.keys(names).map((name) => name.split(" ").length));
    this.#characters = Math.max(0, ...Object.keys(names).map((name) => name.length));
  }

  /** Whether the reading tells one text from another. */
  tells({ pieces }: Reading): boolean {
    return pieces.some((piece) => !this.#empty.has(piece.text));
  }

  /** The words and phrases of a query; of names that begin at one place the longest is taken. */
  readings(words: Piece[]): Reading[] {
    const found: Reading[] = [];
    for (let start = 0; start < words.length; ) {
      const first = words[start] as Piece;
      if (first.chinese) {
        for (const said of this.#run(first.text)) found.push(this.#reading(pieces(said)));
        start += 1;
        continue;
      }
      let end = Math.min(start + this.#longest, words.length);
      while (end > start + 1 && !this.#names.has(key(words.slice(start, end)))) end -= 1;
      found.push(this.#reading(words.slice(start, end)));
      start = end;
    }
    return found;
  }

  /** The same readings, the last of them for all everyday names that it begins; none where it begins none. */
  begun(readings: Reading[]): Reading[] | undefined {
    const last = readings.at(-1);
    const typed = last && key(last.pieces);
    if (!typed || (typed < "\u3400" && typed.length < 3)) return undefined;
    const means = [...this.#names].filter(([name]) => name.startsWith(typed)).flatMap(([, meant]) => meant);
    return means.length ? [...readings.slice(0, -1), { ...last, means: [...new Set(means)] }] : undefined;
  }

  #reading(said: Piece[]): Reading {
    return { pieces: said, means: this.#names.get(key(said)) ?? [] };
  }

  /** The everyday names in a run of Chinese, and what stands between them. */
  *#run(run: string): Generator<string> {
    let rest = 0;
    for (let start = 0; start < run.length; ) {
      let end = Math.min(start + this.#characters, run.length);
      while (end > start && !this.#names.has(run.slice(start, end))) end -= 1;
      if (end > start) {
        if (rest < start) yield run.slice(rest, start);
        yield run.slice(start, end);
        start = rest = end;
      } else start += 1;
    }
    if (rest < run.length) yield run.slice(rest);
  }
}

function key(words: Piece[]): string {
  return words.map(({ text }) => text.replaceAll("_", " ")).join(" ");
}
