// What all finds come to.
import type { Words } from "../shared/words";
import { type Find, isUnknown, nameOf, RISKS } from "./data";

export interface Summary {
  counts: [risk: string, count: number][]; // worst first, those that occur
  unknown: string[]; // names for distributed work that the database does not have
  text: string;
}

/** Counts places by risk. */
export function summarise(words: Words, finds: readonly Find[]): Summary {
  const counts = RISKS.map((risk): [string, number] => [risk, finds.filter((find) => find.risk === risk).length]);
  const unknown = [...new Set(finds.filter(isUnknown).map(nameOf))].sort();
  const apis = new Set(finds.filter((find) => find.use.known).map((find) => find.use.api)).size;
  const found = counts.filter(([, count]) => count > 0);
  const parts = [words.say("summary", { places: finds.length, apis })];
  for (const [risk, count] of found) parts.push(words.say("summary.risk", { risk: words.say(`risk.${risk}`), count }));
  if (unknown.length) parts.push(words.say("summary.unknown", { count: unknown.length }));
  return { counts: found, unknown, text: finds.length ? parts.join(words.say("site.comma")) : words.say("nothing") };
}
