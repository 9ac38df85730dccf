// The table that `apidiff.porting.port` writes, and what it says of one use at the chosen versions.
import { within } from "../shared/versions";
import type { Passed, Use } from "./walk";

/** Kind, risk, text, the parameters or members it is about (none: every call), 1 where it matters without these too. */
export type Difference = readonly [kind: string, risk: string, text: string, about: string[], always: 0 | 1];

/** A member of the source: its name in the target, null where it has none; spans of the versions that have them ("": all). */
export type Member = readonly [target: string | null, torch: string, mindspore: string];

export interface Answer {
  target?: string;
  members?: Record<string, Member>;
  answer?: string;
  why?: string;
  instead?: string;
  uses?: string[];
  differences: number[];
}

export interface Api {
  kind: string;
  aliases: string[];
  calls: [version: string, ways: string[][] | null][];
  answers: Answer[];
  spans: [count: number, answer: number, others: [name: string, status: string][]][];
}

export interface Table {
  torch: string[];
  mindspore: string[];
  sources: string[]; // the torch versions whose source is known, oldest first
  modules: Record<string, string>;
  customary: Record<string, string>;
  noticed: string[];
  differences: Difference[];
  apis: Record<string, Api>;
}

export interface Pair {
  torch: string;
  mindspore: string;
}

/**
 * One use at one pair of versions. `risk`: the worst of what matters to it. `first`: differences about what it passes;
 * `also`: those of every call; `apart`: those about parameters or members that it does not touch.
 */
export interface Find {
  use: Use;
  number: number;
  line: number;
  column: number;
  written: string;
  risk?: string;
  answer?: Answer;
  target?: string;
  others: [name: string, status: string][];
  missing?: string; // the torch version whose source lacks the API
  member?: "unknown" | "none" | "absent"; // why the target's member is not named; "absent": other versions have it
  memberless?: string; // the torch version that lacks the member
  first: Difference[];
  also: Difference[];
  apart: Difference[];
}

export const RISKS = ["silent", "error", "rewrite", "none"];

const worst = (risks: readonly string[]): string => RISKS.find((risk) => risks.includes(risk)) ?? "none";

/** The pair with versions that the table knows: the newest where it does not know one. */
export function known(table: Table, pair: Pair): Pair {
  const pick = (versions: string[], one: string): string => (versions.includes(one) ? one : (versions[0] ?? ""));
  return { torch: pick(table.torch, pair.torch), mindspore: pick(table.mindspore, pair.mindspore) };
}

type Look = Pick<Find, "risk" | "answer" | "target" | "others" | "missing" | "member" | "memberless" | "first" | "also" | "apart">;

/** What the table says of `use` at the versions of `pair`. */
export function look(table: Table, use: Use, pair: Pair): Look {
  const found: Look = { others: [], first: [], also: [], apart: [] };
  const api = use.known ? table.apis[use.api] : undefined;
  if (!api) return found;
  const call = ways(table, api, pair.torch);
  if (call.missing) found.missing = call.missing;
  let place = table.mindspore.indexOf(pair.mindspore);
  for (const [count, answer, others] of api.spans) {
    if (place < count) {
      const standing = api.answers[answer];
      if (standing) found.answer = standing;
      found.others = others;
      break;
    }
    place -= count;
  }
  const { answer } = found;
  if (!answer) return found;
  if (answer.target) {
    found.target = answer.target;
    if (use.member !== undefined) member(table, answer, use.member, pair, found);
  }
  const touched = use.member === undefined ? passed(use, call.ways) : { names: [use.member], open: false };
  for (const one of answer.differences.map((index) => table.differences[index] as Difference)) {
    const [, , , about, always] = one;
    if (about.length === 0 || !touched) found.also.push(one);
    else if (about.some((name) => touched.names.includes(name))) found.first.push(one);
    else if (always || touched.open) found.also.push(one);
    else if (use.member !== undefined || about.some((name) => takes(call.ways, name))) found.apart.push(one);
  }
  const risks = [...found.first, ...found.also].map(([, risk]) => risk);
  if (answer.answer) risks.push("rewrite");
  if (found.member === "absent") risks.push("error");
  // Nothing is known of what porting an unknown member would cost.
  if (found.member !== "unknown") found.risk = worst(risks);
  return found;
}

/** Takes in what the answer says of a member: its name in the target, or why there is none. */
function member(table: Table, answer: Answer, name: string, pair: Pair, found: Look): void {
  const row = Object.hasOwn(answer.members ?? {}, name) ? answer.members?.[name] : undefined;
  if (!row) {
    found.member = "unknown";
    return;
  }
  const [target, torch, mindspore] = row;
  if (torch && !within(table.torch, torch, pair.torch)) found.memberless = pair.torch;
  if (target === null) found.member = "none";
  else if (mindspore && !within(table.mindspore, mindspore, pair.mindspore)) found.member = "absent";
  else found.target += `.${target}`;
}

/** Whether the database has nothing about what is used. */
export function isUnknown(find: Pick<Find, "use" | "member">): boolean {
  return !find.use.known || find.member === "unknown";
}

/** The full name of what is used. */
export function nameOf({ use }: Pick<Find, "use">): string {
  return use.api + (use.member === undefined ? "" : `.${use.member}`);
}

/** The ways to call the API by the newest known source up to `version`; undefined where nothing tells them. */
function ways(table: Table, api: Api, version: string): { ways?: string[][]; missing?: string } {
  const place = (one: string): number => table.torch.indexOf(one); // newest first
  const upTo = api.calls.filter(([one]) => place(one) >= place(version));
  const [, found] = upTo.at(-1) ?? api.calls.find(([, one]) => one) ?? [];
  if (found === null) return { missing: table.sources.filter((one) => place(one) >= place(version)).at(-1) ?? "" };
  return found?.length ? { ways: found } : {};
}

const plain = (parameter: string): string => parameter.replace(/[*/=]/g, "");

/** Whether a call may pass `name`; where the ways to call are not known, it may. */
function takes(all: string[][] | undefined, name: string): boolean {
  return all === undefined || all.some((way) => way.some((one) => plain(one) === name));
}

/** The names of the parameters that a call passes; undefined where the use is no call. */
function passed(use: Use, all: string[][] | undefined): { names: string[]; open: boolean } | undefined {
  const given: Passed | undefined = use.passed;
  if (use.role !== "call" || !given) return undefined;
  const positional = (way: string[]): string[] => way.filter((one) => !one.endsWith("=") && !one.startsWith("*"));
  const fits = (way: string[]): boolean =>
    (positional(way).length >= given.positional || way.some((one) => /^\*\w/.test(one))) &&
    given.keywords.every((name) => way.some((one) => plain(one) === name || one.startsWith("**")));
  const way = all?.find(fits) ?? all?.[0];
  if (!way) return { names: given.keywords, open: given.open || given.positional > 0 };
  const names = [...positional(way).slice(0, given.positional).map(plain), ...given.keywords];
  return { names, open: given.open };
}
