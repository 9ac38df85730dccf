// How well a name fits what was typed. Whoever types a name wants that API before everything that mentions it.

import type { Entry } from "./data";

export const NO_NAME = 9;
// What is added to the rank of a target's name, and to that of its last part alone.
const TARGET = 0.5;
const OTHERS = 4.2;
// The ranks of a last part, from as it is typed to written in another style.
const LAST = 2;
const SAME = 4;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** A name as it is compared. `behind`: what is added to its rank. */
interface Name {
  name: string;
  low: string;
  last: string;
  bare: string;
  parts: Set<string>;
  behind: number;
}

/** The names of an entry, taken apart once. */
export function names(entry: Entry): Name[] {
  // The name of a MindSpore API leads to its own entry first, then to what it is the target of, and to what uses it last.
  // A page that is called like an API comes after the API.
  const all: [string[], number][] = [
    [[entry.name, ...(entry.names ?? [])], entry.kind === "page" || entry.kind === "run" ? 3 : 0],
    [entry.targets ?? [], TARGET],
    [entry.uses ?? [], 4],
  ];
  return all.flatMap(([some, behind]) => some.map((name) => taken(name, behind)));
}

function taken(name: string, behind: number): Name {
  const last = name.slice(name.lastIndexOf(".") + 1);
  const parts = new Set((last.match(PART) ?? []).map((part) => part.toLowerCase()));
  return { name, low: name.toLowerCase(), last, bare: bare(last), parts, behind };
}

/** From 0, the name as it is typed, to NO_NAME. */
export function nameRank(known: Name[], typed: string): number {
  const want = typed.toLowerCase();
  const plain = bare(typed);
  return Math.min(
    NO_NAME,
    ...known.map((one) => {
      const rank = fit(one, typed, want, plain);
      // What merely leads to an API that is called so comes after what has the word in its own name.
      return rank + (one.behind === TARGET && rank >= LAST && rank <= SAME ? OTHERS : one.behind);
    }),
  );
}

function fit({ name, low, last, bare, parts }: Name, typed: string, want: string, plain: string): number {
  if (!low.includes(want)) return bare === plain ? 4 : NO_NAME;
  if (name === typed) return 0;
  if (low === want) return 1;
  if (last === typed) return 2;
  if (low.endsWith(`.${want}`)) return 3;
  if (bare === plain) return 4;
  if (low.startsWith(want, low.length - last.length)) return 5;
  if (parts.has(want)) return 6;
  return low.startsWith(want) || low.includes(`.${want}`) ? 7 : 8;
}

/** AllReduce and all_reduce are one name in two styles. */
function bare(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** How many letters are wrong, left out, too many or in the other order. */
export function slips(typed: string, meant: string): number {
  let before: number[] = [];
  let above = Array.from({ length: meant.length + 1 }, (_, at) => at);
  for (let row = 1; row <= typed.length; row += 1) {
    const here = [row];
    for (let at = 1; at <= meant.length; at += 1) {
      const same = typed[row - 1] === meant[at - 1] ? 0 : 1;
      let least = Math.min((above[at] ?? 0) + 1, (here[at - 1] ?? 0) + 1, (above[at - 1] ?? 0) + same);
      if (row > 1 && typed[row - 1] === meant[at - 2] && typed[row - 2] === meant[at - 1])
        least = Math.min(least, (before[at - 2] ?? 0) + 1);
      here.push(least);
    }
    [before, above] = [above, here];
  }
  return above.at(-1) ?? 0;
}
