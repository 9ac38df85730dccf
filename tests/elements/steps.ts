// Looks at the codes that stdin lists as the page does, and writes for each what that takes: entries of maps that are written,
// items of lists and characters of texts that are gone through.
import { readFileSync } from "node:fs";
import { analyse, Places } from "./src/port/analyse";

let steps = 0;

function count<Owner extends object>(owner: Owner, name: keyof Owner, size: (of: Owner, result: unknown) => number): void {
  const plain = owner[name] as (...given: unknown[]) => unknown;
  owner[name] = function (this: Owner, ...given: unknown[]) {
    const result = plain.apply(this, given);
    steps += size(this, result);
    return result;
  } as Owner[keyof Owner];
}

const { known, codes } = JSON.parse(readFileSync(0, "utf8"));
count(Map.prototype, "set", () => 1);
for (const name of ["includes", "some", "join", "unshift", "findIndex"] as const) count(Array.prototype, name, (list) => list.length);
count(String.prototype, "split", (text) => text.length);
count(String.prototype, "slice", (_, part) => (part as string).length);
const found = codes.map((code: string) => {
  steps = 0;
  const { uses } = analyse(code, known);
  const places = new Places(code);
  const at = uses.map((use) => places.at(use.from));
  return { steps, apis: uses.map((use) => use.api), places: at.map(({ line, column }) => `${line}:${column}`) };
});
console.log(JSON.stringify(found));
