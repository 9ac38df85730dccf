// How the readings and pieces of what was typed are asked of the index, and whether what it finds holds them.

import type { Query, SearchOptions } from "minisearch";
import { slips } from "./names";
import type { Reading } from "./readings";
import { type Piece, pieces } from "./tokens";

/** What fits a reading: as it is typed, or as it is meant. */
export function meaning({ pieces: typed, means }: Reading, { last = false, fuzzy = false }): Query {
  const asked = typed.map((piece, place) => query(piece, { last: last && place === typed.length - 1, fuzzy }));
  const meant = means.flatMap(pieces).map((piece) => query(piece, { exact: true }));
  return { combineWith: "OR", queries: [{ combineWith: "AND", queries: asked }, ...meant] };
}

/** What fits a piece. The last one may still be in the typing, and nobody types long words to the end. */
export function query(piece: Piece, { last = false, fuzzy = false, exact = false }): Query {
  const whole: SearchOptions = { combineWith: "AND", tokenize: (text) => [text] };
  if (piece.chinese) {
    const words = piece.parts.length ? piece.parts : [piece.text];
    return { ...whole, combineWith: fuzzy ? "OR" : "AND", queries: words, prefix: piece.text.length === 1 };
  }
  const near = (term: string) => (term.length > 5 ? 2 : term.length > 3 ? 1 : 0);
  const word = (text: string, open: boolean): Query => {
    return { ...whole, queries: [text], prefix: open, fuzzy: fuzzy ? near : false };
  };
  const entire = word(piece.text, !exact && (last || piece.text.length > 2));
  if (!piece.parts.length) return entire;
  // The parts of a name are whole, all but the last.
  const parts = piece.parts.map((part, place) => word(part, !exact && place === piece.parts.length - 1));
  return { combineWith: "OR", queries: [entire, { combineWith: "AND", queries: parts }] };
}

/** Whether what was found holds the reading, or something like it but for a slip; `like` keeps what was compared. */
export function holds({ pieces: typed, means }: Reading, terms: Set<string>, like: Map<string, boolean>): boolean {
  const alike = (word: string) => {
    if (terms.has(word)) return true;
    for (const term of terms) {
      const key = `${word} ${term}`;
      let is = like.get(key);
      if (is === undefined) {
        is = term.startsWith(word) || slips(word, term) <= (word.length > 7 ? 2 : word.length > 3 ? 1 : 0);
        like.set(key, is);
      }
      if (is) return true;
    }
    return false;
  };
  const every = (words: string[]) => words.length > 0 && words.every(alike);
  const meant = means.flatMap(pieces).some(({ text, parts }) => terms.has(text) || every(parts));
  return (
    meant ||
    typed.every(({ text, chinese, parts }) => {
      if (!chinese) return alike(text) || every(parts);
      const pairs = parts.length ? parts : [text];
      return 2 * pairs.filter((pair) => terms.has(pair)).length > pairs.length;
    })
  );
}
