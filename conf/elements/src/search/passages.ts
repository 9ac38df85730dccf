// Which passage of an entry tells most of what was looked for.

import type { Passage } from "./data";
import type { Reading } from "./readings";

const END = /(?:ten|tes|ed|ing|es|s)$/;

/** What was looked for, each word with what else stands for it, cut where English words end differently. */
export function needles(readings: Reading[]): string[][] {
  return readings.flatMap(({ pieces, means }) => {
    const words = pieces.flatMap(({ text, chinese, parts }) => (chinese && parts.length ? parts : [stem(text)]));
    return means.length ? [[...words, ...means.map((name) => name.toLowerCase())]] : words.map((word) => [word]);
  });
}

function stem(word: string): string {
  const cut = word.replace(END, "");
  return cut.length > 3 ? cut : word;
}

/** What the difference of a passage is called: "partial sums on other ranks". */
export function called({ anchor = "" }: Passage): string {
  return (/(?:^|--)difference-(.*)$/.exec(anchor)?.[1] ?? "").replaceAll("-", " ");
}

/** How many of the needles a passage holds, and how plainly it says them. `kinds`: the words of its kinds. */
export function value(sought: string[][], passage: Passage, kinds: string): { held: number; points: number } {
  const said: [string, number][] = [
    [passage.text, 2],
    [called(passage), 2],
    [kinds, 1],
  ];
  const low = said.map(([text, worth]): [string, number] => [text.toLowerCase(), worth]);
  let [held, points] = [0, 0];
  for (const words of sought) {
    const sum = low.reduce((all, [text, worth]) => all + (words.some((word) => text.includes(word)) ? worth : 0), 0);
    if (sum) held += 1;
    points += sum;
  }
  return { held, points };
}
