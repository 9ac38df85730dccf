// Where in a text the words that were looked for stand, and how much of a long text is shown.

/** A text with the stretches of it that fit. */
export interface Marked {
  text: string;
  marks: [number, number][];
}

const BEFORE = 40;
const LONGEST = 180;

/** At most LONGEST characters of `text` around the first term, and where terms stand in them. */
export function cut(text: string, terms: string[]): Marked {
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
export function* places(text: string, terms: string[]): Generator<[number, number]> {
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
export function joined(found: [number, number][]): [number, number][] {
  const whole: [number, number][] = [];
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else whole.push([from, to]);
  }
  return whole;
}
