// The index of this language's entries, and what is asked of it.

import MiniSearch, { type Query, type SearchOptions } from "minisearch";
import type { Entry, Passage, SearchData } from "./data";
import { NO_NAME, nameRank, names } from "./names";
import { indexWords, type Piece, pieces } from "./tokens";

/** A text with the stretches of it that fit. */
export interface Marked {
  text: string;
  marks: [number, number][];
}

/** One thing found. `line`: what of it to show, `address`: where that stands. */
export interface Result {
  entry: Entry;
  address: string;
  name: Marked;
  line: Marked;
  risk?: string;
}

/**
 * `near`: nothing holds what was typed; the results hold something like it, or some of its words. `whole`: all texts were
 * looked through; until they are indexed, only names are.
 */
export interface Answer {
  total: number;
  near: boolean;
  whole: boolean;
  show(from: number, to: number): Result[];
}

interface Indexed {
  id: number;
  name: string;
  names: string;
  text: string;
  parameters: string;
  passages: string;
  words: string;
}

interface Found {
  entry: Entry;
  rank: number;
  score: number;
  terms: string[];
  named: boolean;
}

const KINDS = ["mapping", "api", "page", "python", "run"];
const WEIGHT: Record<string, number> = { mapping: 1.4, api: 1, page: 1, python: 0.4, run: 0.3 };
const BOOST = { name: 6, names: 4, text: 3, parameters: 2, passages: 1, words: 2 };
// A long page is long because it is complete: length is hardly a fault.
const SCORING: SearchOptions = { boost: BOOST, bm25: { k: 1.2, b: 0.2, d: 0.5 } };
const CHUNK = 60;
const FEW = 4;

export class Engine {
  readonly #data: SearchData;
  readonly #index: MiniSearch<Indexed>;
  readonly #names: Map<Entry, ReturnType<typeof names>>;
  #whole = false;
  /** Settles when everything is indexed, which is done piece by piece so that typing goes on; names are found before. */
  readonly ready: Promise<void>;

  constructor(data: SearchData) {
    this.#data = data;
    this.#names = new Map(data.entries.map((entry) => [entry, names(entry)]));
    this.#index = new MiniSearch<Indexed>({
      fields: Object.keys(BOOST),
      tokenize: indexWords,
      processTerm: (term) => term,
    });
    const all = data.entries.map((entry, id) => this.#indexed(entry, id));
    this.ready = this.#index.addAllAsync(all, { chunkSize: CHUNK }).then(() => {
      this.#whole = true;
    });
  }

  /** The words of a badge: `risk.silent`. */
  label(key: string): string {
    return this.#data.labels[key] ?? key;
  }

  ask(typed: string): Answer {
    const words = pieces(typed);
    if (!words.length) return { total: 0, near: false, whole: true, show: () => [] };
    const said = typed.trim();
    // One letter begins too many words to mean any of them.
    const searched = this.#whole && (said.length > 1 || words[0]?.chinese);
    let found = searched ? this.#search(words, said) : this.#named(said);
    const near = this.#whole && !found.length;
    // A few texts may hold a slip of the pen too: what has that name is meant all the same.
    if (this.#whole && found.length < FEW && found.every((one) => one.rank === NO_NAME)) {
      const known = new Set(found.map((one) => one.entry));
      const others = this.#nearest(words, said, near).filter((one) => near || one.rank < NO_NAME);
      found = [...found, ...others.filter((one) => !known.has(one.entry))];
    }
    found.sort(
      (a, b) =>
        a.rank - b.rank ||
        (a.rank < NO_NAME ? KINDS.indexOf(a.entry.kind) - KINDS.indexOf(b.entry.kind) : 0) ||
        // Of names that begin alike the shorter is more like what was typed.
        (a.rank < NO_NAME ? a.entry.name.length - b.entry.name.length : 0) ||
        b.score - a.score,
    );
    const whole = this.#whole;
    return { total: found.length, near, whole, show: (from, to) => found.slice(from, to).map((one) => this.#result(one)) };
  }

  #search(words: Piece[], said: string): Found[] {
    const queries = words.map((piece, place) => query(piece, { last: place === words.length - 1 }));
    return this.#found({ combineWith: "AND", queries }, (entry) => this.#rank(entry, said));
  }

  /** What holds words like those typed; `any`: or else some of them. */
  #nearest(words: Piece[], said: string, any: boolean): Found[] {
    const queries = words.map((piece) => query(piece, { last: true, fuzzy: true }));
    // A name is meant by the word that stands for all that was typed, not by a part of it.
    const meant = (entry: Entry, terms: string[]) =>
      Math.min(
        NO_NAME,
        ...terms.filter((term) => Math.abs(term.length - said.length) <= 2).map((term) => this.#rank(entry, term)),
      );
    const found = this.#found({ combineWith: "AND", queries }, meant);
    if (found.length || !any) return found;
    const some = words.map((piece) => query(piece, { last: true, fuzzy: true, any: true }));
    return this.#found({ combineWith: "OR", queries: some }, meant);
  }

  #found(asked: Query, rank: (entry: Entry, terms: string[]) => number): Found[] {
    return this.#index.search(asked, SCORING).map(({ id, score, terms, match }) => {
      const entry = this.#data.entries[id as number] as Entry;
      const named = terms.every((term) => match[term]?.some((field) => field === "name" || field === "names"));
      return { entry, rank: rank(entry, terms), score: score * (WEIGHT[entry.kind] ?? 1), terms, named };
    });
  }

  #rank(entry: Entry, said: string): number {
    return nameRank(this.#names.get(entry) ?? [], said);
  }

  /** What can be found before the index is whole. */
  #named(said: string): Found[] {
    return this.#data.entries
      .map((entry) => ({ entry, rank: this.#rank(entry, said), score: 0, terms: [said.toLowerCase()], named: true }))
      .filter((one) => one.rank < NO_NAME);
  }

  /** The line to show: the summary, or the passage that holds more of what was looked for. */
  #result({ entry, rank, terms, named }: Found): Result {
    let best: Passage = { text: entry.text ?? "" };
    if (!named && rank === NO_NAME) {
      let most = 2 * count(best.text, terms);
      for (const passage of entry.passages ?? []) {
        const words = (passage.words ?? []).map((key) => this.#data.words[key]).join(" ");
        const held = 2 * count(passage.text, terms) + Math.min(1, count(words, terms));
        if (held > most) [best, most] = [passage, held];
      }
    }
    const address = best.anchor ? `${entry.address.split("#")[0]}#${best.anchor}` : entry.address;
    const name = { text: entry.name, marks: joined([...places(entry.name, terms)]) };
    return { entry, address, name, line: cut(best.text, terms), risk: best.anchor ? best.risk : undefined };
  }

  #indexed(entry: Entry, id: number): Indexed {
    const passages = entry.passages ?? [];
    const keys = new Set([...(entry.words ?? []), ...passages.flatMap((one) => one.words ?? [])]);
    return {
      id,
      name: entry.name,
      names: [...(entry.names ?? []), ...(entry.targets ?? []), ...(entry.uses ?? [])].join(" "),
      text: `${entry.text ?? ""} ${entry.within ?? ""}`,
      parameters: (entry.parameters ?? []).join(" "),
      passages: passages.map((one) => one.text).join(" "),
      words: [...keys].map((key) => this.#data.words[key] ?? "").join(" "),
    };
  }
}

/** What fits a piece. The last one may still be in the typing, and nobody types long words to the end. */
function query(piece: Piece, { last = false, fuzzy = false, any = false }): Query {
  const whole: SearchOptions = { combineWith: "AND", tokenize: (text) => [text] };
  if (piece.chinese) {
    const words = piece.parts.length ? piece.parts : [piece.text];
    return { ...whole, combineWith: any ? "OR" : "AND", queries: words, prefix: piece.text.length === 1 };
  }
  const near = (term: string) => (term.length > 5 ? 2 : term.length > 3 ? 1 : 0);
  const word = (text: string, open: boolean): Query => {
    return { ...whole, queries: [text], prefix: open, fuzzy: fuzzy ? near : false };
  };
  const entire = word(piece.text, last || piece.text.length > 2);
  if (!piece.parts.length) return entire;
  // The parts of a name are whole, all but the last.
  const parts = piece.parts.map((part, place) => word(part, place === piece.parts.length - 1));
  return { combineWith: "OR", queries: [entire, { combineWith: "AND", queries: parts }] };
}

function count(text: string, terms: string[]): number {
  return terms.filter((term) => !places(text, [term]).next().done).length;
}

const BEFORE = 40;
const LONGEST = 180;

/** At most LONGEST characters of `text` around the first term, and where terms stand in them. */
function cut(text: string, terms: string[]): Marked {
  const found = joined([...places(text, terms)]);
  const first = found[0]?.[0] ?? 0;
  let start = first > LONGEST - BEFORE ? first - BEFORE : 0;
  // Not in the middle of a word.
  const space = text.indexOf(" ", start);
  if (start && space >= 0 && space < first) start = space + 1;
  const end = start + LONGEST;
  const head = start ? "…" : "";
  const shift = head.length - start;
  const marks = found
    .filter(([from, to]) => from >= start && to <= end)
    .map(([from, to]): [number, number] => [from + shift, to + shift]);
  return { text: head + text.slice(start, end) + (end < text.length ? "…" : ""), marks };
}

/** Where terms stand in `text`: those of Latin letters only as whole words or as whole parts of names. */
function* places(text: string, terms: string[]): Generator<[number, number]> {
  const low = text.toLowerCase();
  for (const term of terms)
    for (let at = low.indexOf(term); at >= 0; at = low.indexOf(term, at + 1)) {
      const end = at + term.length;
      if (term >= "\u3400" || (begins(text, at) && !/[a-z0-9]/.test(text[end] ?? ""))) yield [at, end];
    }
}

function begins(text: string, at: number): boolean {
  const before = text[at - 1] ?? "";
  return !/[A-Za-z0-9]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(text[at] ?? ""));
}

/** The stretches in their order, those that touch as one. */
function joined(found: [number, number][]): [number, number][] {
  const whole: [number, number][] = [];
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else whole.push([from, to]);
  }
  return whole;
}
