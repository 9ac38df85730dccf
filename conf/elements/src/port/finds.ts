// One find: a line that is always there, and below it what to do and what to mind.
import type { Words } from "../shared/words";
import { type Difference, type Find, isUnknown, nameOf, type Pair } from "./data";
import { badge, element, prose } from "./nodes";

const TOP = 3;

/** The find as an item of the list. What is below its line is made when it is first opened. */
export function findItem(words: Words, find: Find, pair: Pair, page: string, open: boolean): HTMLElement {
  const lid = element(
    "details",
    {
      id: `port-find-${find.number}`,
      "data-number": String(find.number),
      "data-place": `${find.line}:${find.column}`,
      "data-api": find.use.api,
      "data-role": find.use.role,
      "data-risk": find.risk ?? "",
    },
    line(words, find, pair),
  );
  const fill = (): void => {
    if (lid.childElementCount === 1) lid.append(...body(words, find, page));
  };
  lid.addEventListener("toggle", fill, { once: true });
  if (open) {
    fill();
    lid.open = true;
  }
  return element("li", {}, lid);
}

function line(words: Words, find: Find, pair: Pair): HTMLElement {
  const risk = isUnknown(find)
    ? badge("risk", "unknown", words.say("unknown.short"))
    : find.risk && badge("risk", find.risk, words.say(`risk.${find.risk}`));
  const head = element(
    "span",
    { class: "apidiff-port-line" },
    element("span", { class: "apidiff-port-number" }, String(find.number)),
    " ",
    element("code", {}, find.written),
    " ",
    ...(risk ? [risk] : []),
    " ",
    element("span", { class: "apidiff-port-place" }, words.say("line", { line: find.line })),
  );
  return element("summary", {}, head, element("span", { class: "apidiff-port-goal" }, ...goal(words, find, pair)));
}

/** Why the target stands without the member. */
export function memberWords(words: Words, find: Find, pair: Pair): string {
  return words.say(`member.${find.member}`, { name: find.use.member ?? "", version: pair.mindspore });
}

/** What takes the API's place, in a line. */
function goal(words: Words, find: Find, pair: Pair): (Node | string)[] {
  if (!find.use.known) return [words.say("unknown.here")];
  if (find.target) {
    const target = ["→ ", element("code", {}, find.target), " ", badge("status", "current", words.say("status.current"))];
    return find.member ? [...target, " ", memberWords(words, find, pair)] : target;
  }
  const answer = find.answer?.answer;
  return answer ? ["→ ", badge("answer", answer, words.say(`answer.${answer}`))] : [words.say("no_answer", { ...pair })];
}

function* body(words: Words, find: Find, page: string): Generator<HTMLElement> {
  const place = element(
    "a",
    { href: `#port-mark-${find.number}`, "data-mark": String(find.number) },
    words.say("place", { line: find.line, column: find.column }),
  );
  const name = element("code", {}, nameOf(find));
  yield element("p", {}, place, words.say("site.colon"), words.say(`role.${find.use.role}`), " ", name);
  if (!find.use.known) return;
  if (find.missing) yield element("p", {}, words.say("missing", { version: find.missing }));
  if (find.memberless) yield element("p", {}, words.say("member.missing", { version: find.memberless }));
  const { answer } = find;
  const term = (word: string, ...rest: (Node | string)[]): HTMLElement =>
    element("p", { class: "apidiff-term" }, element("strong", {}, words.say(word)), words.say("site.colon"), ...rest);
  if (answer?.why) yield term("why", ...prose(answer.why));
  if (answer?.instead) yield term("instead", ...prose(answer.instead));
  if (answer?.uses?.length) yield term("uses", ...listed(words, answer.uses.map((one) => [element("code", {}, one)])));
  if (find.others.length) {
    const standing = find.others.map(([other, status]) => [
      element("code", {}, other),
      " ",
      badge("status", status, words.say(`status.${status}`)),
    ]);
    yield term("others", ...listed(words, standing));
  }
  const heading = (word: string): HTMLElement => element("p", { class: "apidiff-port-heading" }, words.say(word));
  if (find.first.length) yield heading(find.use.member === undefined ? "first" : "first.member");
  for (const one of find.first) yield difference(words, one);
  if (find.also.length) yield heading(find.first.length ? "also" : "differences");
  for (const one of find.also.slice(0, TOP)) yield difference(words, one);
  yield* folded(words, "more", find.also.slice(TOP));
  yield* folded(words, find.use.member === undefined ? "apart" : "apart.member", find.apart);
  if (answer && find.member !== "unknown" && !find.first.length && !find.also.length) yield element("p", {}, words.say("no_difference"));
  yield element("p", {}, element("a", { href: page, class: "apidiff-port-page" }, words.say("page", { name: find.use.api })));
}

function listed(words: Words, items: (Node | string)[][]): (Node | string)[] {
  return items.flatMap((item, index) => (index ? [words.say("site.comma"), ...item] : item));
}

function* folded(words: Words, word: string, differences: readonly Difference[]): Generator<HTMLElement> {
  if (differences.length === 0) return;
  const lid = element("details", {}, element("summary", {}, words.say(word, { count: differences.length })));
  lid.append(...differences.map((one) => difference(words, one)));
  yield lid;
}

function difference(words: Words, [kind, risk, text, about]: Difference): HTMLElement {
  const names = about.flatMap((name) => [" ", element("code", {}, name)]);
  const head = element(
    "p",
    {},
    badge("risk", risk, words.say(`risk.${risk}`)),
    " ",
    element("strong", {}, words.say(`difference.${kind}`)),
    ...names,
  );
  return element("div", { class: `apidiff-difference apidiff-edge-${risk}` }, head, element("p", {}, ...prose(text)));
}
