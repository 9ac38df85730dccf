// The index of this language's entries, and what is asked of it.

import MiniSearch, { type Query, type SearchOptions } from "minisearch";
import type { Entry, Passage, SearchData } from "./data";
import { cut, joined, type Marked, places } from "./marks";
import { NO_NAME, nameRank, names, slips } from "./names";
import { called, needles, value } from "./passages";
import { holds, meaning, query } from "./queries";
import { Everyday, type Reading, shortened } from "./readings";
import { indexWords, type Piece, pieces } from "./tokens";

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

/** `slip`: how far a name is from what was typed; `place`: of a name that is meant by it among others. */
interface Found {
  entry: Entry;
  slip: number;
  rank: number;
  place: number;
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
// Results that are only near to what was typed.
const NEAREST = 10;
// Up to here a name is that of the API itself, in some style.
const ITSELF = 4;
// From here on a name is longer than what was typed.
const BEGUN = 5;
// The rank of an API that a part of what was typed names.
const IN_PART = NO_NAME - 0.5;
const SLIPS = 2;
const FAR = 99;
// A name with a dot, or the call of one, as code has it.
const CODE = /^@?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z_]\w*(?=\())(?:\(.*)?$/;
// Results of which the passages are compared.
const COMPARED = 40;

export class Engine {
  readonly #data: SearchData;
  readonly #everyday: Everyday;
  readonly #index: MiniSearch<Indexed>;
  readonly #names: Map<Entry, ReturnType<typeof names>>;
  #whole = false;
  /** Settles when everything is indexed, which is done piece by piece so that typing goes on; names are found before. */
  readonly ready: Promise<void>;

  constructor(data: SearchData) {
    this.#data = data;
    this.#everyday = new Everyday(data.everyday, data.empty);
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
    const said = this.#asked(shortened(typed.normalize("NFKC")));
    const words = pieces(said);
    if (!words.length) return { total: 0, near: false, whole: true, show: () => [] };
    const readings = this.#everyday.readings(words);
    // One letter begins too many words to mean any of them.
    const searched = this.#whole && (said.length > 1 || words[0]?.chinese);
    let found = searched ? this.#search(words, readings, said) : this.#named(readings, said);
    // One Chinese character is hardly ever a whole word, though a text may hold it as one. This project's own interface
    // tells of everyday names too.
    const open = isOneCharacter(words) || found.every(({ entry }) => entry.kind === "python");
    const begun = open && this.#everyday.begun(readings);
    if (begun) found = this.#whole ? this.#search(words, begun, said) : this.#named(begun, said);
    const near = this.#whole && !found.length;
    // A few texts may hold a slip of the pen too: what has that name is meant all the same.
    if (this.#whole && found.length < FEW && found.every((one) => one.rank >= IN_PART)) {
      const known = new Set(found.map((one) => one.entry));
      const others = this.#nearest(readings, said).filter(
        (one) => !known.has(one.entry) && (near || one.rank < IN_PART),
      );
      found = [...this.#sorted(others, words).slice(0, NEAREST), ...this.#sorted(found, words)];
    } else this.#sorted(found, words);
    const show = (from: number, to: number) => found.slice(from, to).map((one) => this.#result(one, readings));
    return { total: found.length, near, whole: this.#whole, show };
  }

  /** The name of what code calls, `F.softmax(x, -1)`; of a variable's method, `x.view(-1)`, its last part. */
  #asked(said: string): string {
    const name = CODE.exec(said)?.[1];
    if (!name) return said;
    const best = (text: string) => Math.min(...this.#data.entries.map((entry) => this.#rank(entry, text)));
    const last = name.slice(name.lastIndexOf(".") + 1);
    if (last !== name && best(name) === NO_NAME && best(last) <= ITSELF) return last;
    return name.length < said.length ? name : said;
  }

  #sorted(found: Found[], words: Piece[]): Found[] {
    const dotted = words.map(({ text }) => text).filter((text) => text.includes("."));
    // This project's own interface is meant only where it is named.
    const inside = ({ kind, name }: Entry) =>
      Number(kind === "python" && !dotted.some((text) => name.toLowerCase().includes(text)));
    return found.sort(
      (a, b) =>
        inside(a.entry) - inside(b.entry) ||
        a.slip - b.slip ||
        a.rank - b.rank ||
        (a.rank < NO_NAME ? KINDS.indexOf(a.entry.kind) - KINDS.indexOf(b.entry.kind) : 0) ||
        a.place - b.place ||
        // Of APIs that are called the same the one that is used most is meant.
        (a.rank < BEGUN ? (b.entry.used ?? 0) - (a.entry.used ?? 0) : 0) ||
        // Of names that begin alike the shorter is more like what was typed.
        (a.rank < IN_PART ? a.entry.name.length - b.entry.name.length : 0) ||
        b.score - a.score,
    );
  }

  #search(words: Piece[], readings: Reading[], said: string): Found[] {
    const typed = words.map((piece, place) => query(piece, { last: place === words.length - 1 }));
    const read = readings.map((reading, place) => meaning(reading, { last: place === readings.length - 1 }));
    const every = (queries: Query[]): Query => ({ combineWith: "AND", queries });
    const both: Query = { combineWith: "OR", queries: [every(typed), every(read)] };
    const found = this.#found(both).map((one) => ({ ...one, ...this.#meant(one.entry, readings, said) }));
    if (readings.length > 1) this.#compare(found, readings);
    return found;
  }

  /** What stands together in one passage is what was looked for more than what a page says here and there. */
  #compare(found: Found[], readings: Reading[]): void {
    const best = found.filter(({ entry }) => entry.passages).sort((a, b) => b.score - a.score);
    for (const one of best.slice(0, COMPARED)) {
      const sought = this.#sought(one.entry, readings);
      const shares = (one.entry.passages as Passage[]).map((passage) => {
        const { held, points } = this.#value(sought, passage);
        return (held / sought.length) ** 4 + points / sought.length;
      });
      one.score *= 1 + Math.max(...shares);
    }
  }

  /** What of the query has to be told by a passage: not the name of the API. */
  #sought(entry: Entry, readings: Reading[]): string[][] {
    const others = readings.filter(
      (reading) =>
        this.#everyday.tells(reading) && reading.pieces.every(({ text }) => this.#rank(entry, text) === NO_NAME),
    );
    return needles(others.length ? others : readings);
  }

  #value(sought: string[][], passage: Passage): { held: number; points: number } {
    return value(sought, passage, (passage.words ?? []).map((key) => this.#data.words[key] ?? "").join(" "));
  }

  /** What holds words like those typed: all of them, or else half of them; more than half where one is nowhere. */
  #nearest(readings: Reading[], said: string): Found[] {
    const telling = readings.filter((reading) => this.#everyday.tells(reading));
    if (!telling.length) return [];
    const some = telling.map((reading) => meaning(reading, { last: true, fuzzy: true }));
    const like = new Map<string, boolean>();
    const worth = telling.map((reading) => (reading.means.length || this.#isName(reading) ? 2 : 1));
    const held = this.#found({ combineWith: "OR", queries: some }).map((one) => {
      const terms = new Set(one.terms);
      return { one, holds: telling.map((reading) => holds(reading, terms, like)) };
    });
    const nowhere = telling.filter((_, place) => !held.some(({ holds }) => holds[place])).length;
    const sum = (some: boolean[]) => some.reduce((all, is, place) => all + (is ? (worth[place] ?? 1) : 0), 0);
    const all = held.filter(({ holds }) => holds.every(Boolean));
    const chosen = all.length ? all : held.filter(({ holds }) => 2 * sum(holds) >= telling.length + nowhere);
    return chosen.map(({ one }) => ({ ...one, ...this.#meant(one.entry, telling, said), ...this.#slipped(one, said) }));
  }

  /** A name is meant by the word that stands for all that was typed, not by a part of it. */
  #slipped({ entry, terms }: Found, said: string): { slip: number; rank?: number } {
    let best: { slip: number; rank?: number } = { slip: FAR };
    for (const term of terms) {
      if (Math.abs(term.length - said.length) > SLIPS) continue;
      // In which style the name is written does not matter then.
      const rank = Math.max(ITSELF, this.#rank(entry, term));
      const slip = rank < NO_NAME ? slips(said.toLowerCase(), term) : FAR;
      const better = slip < best.slip || (slip === best.slip && rank < (best.rank ?? NO_NAME));
      if (slip <= SLIPS && better) best = { slip, rank };
    }
    return best;
  }

  #found(asked: Query): Found[] {
    return this.#index.search(asked, SCORING).map(({ id, score, terms, match }) => {
      const entry = this.#data.entries[id as number] as Entry;
      const named = terms.every((term) => match[term]?.some((field) => field === "name" || field === "names"));
      return { entry, slip: 0, rank: NO_NAME, place: 0, score: score * (WEIGHT[entry.kind] ?? 1), terms, named };
    });
  }

  /** How well the names of the entry fit what was typed, or else what is meant by it. */
  #meant(entry: Entry, readings: Reading[], said: string): { rank: number; place: number } {
    let best = { rank: this.#rank(entry, said), place: 0 };
    // What people call an API does not name a page.
    if (entry.kind !== "mapping" && entry.kind !== "api") return best;
    if (readings.length === 1)
      readings[0]?.means.forEach((name, place) => {
        const rank = this.#rank(entry, name);
        if (rank < best.rank) best = { rank, place };
      });
    else if (best.rank === NO_NAME) {
      const itself = (name: string) => this.#rank(entry, name) <= ITSELF;
      const places = readings.map(({ pieces, means }) =>
        pieces.length === 1 && itself(pieces[0]?.text ?? "") ? 0 : means.findIndex(itself),
      );
      const place = Math.min(...places.filter((place) => place >= 0));
      if (place < FAR) best = { rank: IN_PART, place };
    }
    return best;
  }

  /** Whether an API has one of the words as its name. */
  #isName({ pieces }: Reading): boolean {
    return this.#data.entries.some(
      (entry) => entry.kind === "mapping" && pieces.some(({ text }) => this.#rank(entry, text) <= ITSELF),
    );
  }

  #rank(entry: Entry, said: string): number {
    return nameRank(this.#names.get(entry) ?? [], said);
  }

  /** What can be found before the index is whole. */
  #named(readings: Reading[], said: string): Found[] {
    const terms = [said.toLowerCase()];
    return this.#data.entries
      .map((entry) => ({ entry, slip: 0, score: 0, terms, named: true, ...this.#meant(entry, readings, said) }))
      .filter((one) => one.rank < IN_PART);
  }

  /** The line to show: the summary, or the passage that holds more of what was looked for. */
  #result({ entry, rank, terms, named }: Found, readings: Reading[]): Result {
    let best: Passage = { text: entry.text ?? "" };
    if (!named && rank >= IN_PART) {
      const sought = this.#sought(entry, readings);
      let most = this.#value(sought, best);
      for (const passage of entry.passages ?? []) {
        const found = this.#value(sought, passage);
        const more = found.held - most.held || found.points - most.points;
        if (more > 0) [best, most] = [passage, found];
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
      passages: passages.map((one) => `${one.text} ${called(one)}`).join(" "),
      words: [...keys].map((key) => this.#data.words[key] ?? "").join(" "),
    };
  }
}

function isOneCharacter(words: Piece[]): boolean {
  return words.length === 1 && words[0]?.chinese === true && words[0].text.length === 1;
}
