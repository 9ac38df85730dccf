// The finds as Markdown, to be pasted into an issue or a note.
import type { Words } from "../shared/words";
import { type Difference, type Find, isUnknown, nameOf, type Pair } from "./data";
import { memberWords } from "./finds";
import type { Summary } from "./summary";

/** `text` as code in a line, whatever it holds. */
export function code(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** `text` of a record as Markdown: its backticks mark code, all else is plain. */
function prose(text: string): string {
  return text
    .split(/`+([^`]+)`+/)
    .map((piece, index) => (index % 2 ? code(piece) : piece.replace(/[\\<>[\]*_|~#]/g, "\\$&")))
    .join("");
}

/** The whole report. */
export function report(words: Words, finds: readonly Find[], summary: Summary, pair: Pair, notes: readonly string[]): string {
  const lines = [`# ${words.say("report.title")}`, "", words.say("versions", { ...pair }), "", summary.text, ""];
  for (const note of notes) lines.push(`- ${prose(note)}`);
  if (notes.length) lines.push("");
  const difference = ([kind, risk, text, about]: Difference): string =>
    `  - ${words.say(`risk.${risk}`)} · ${words.say(`difference.${kind}`)}${about.length ? ` ${about.map(code).join(words.say("site.comma"))}` : ""}${words.say("site.colon")}${prose(text)}`;
  for (const find of finds) {
    const place = words.say("place", { line: find.line, column: find.column });
    const risk = find.use.known && !isUnknown(find) ? ` — **${words.say(`risk.${find.risk ?? "none"}`)}**` : "";
    lines.push(`${find.number}. ${place}${words.say("site.colon")}${code(find.written)} (${code(nameOf(find))})${risk}`);
    if (!find.use.known) lines.push(`  - ${words.say("unknown.here")}`);
    else if (find.target) lines.push(`  - → ${code(find.target)}${find.member ? ` ${memberWords(words, find, pair)}` : ""}`);
    else if (find.answer?.answer) {
      lines.push(`  - ${words.say(`answer.${find.answer.answer}`)}${words.say("site.colon")}${prose(find.answer.why ?? "")}`);
      if (find.answer.instead) lines.push(`  - ${words.say("instead")}${words.say("site.colon")}${prose(find.answer.instead)}`);
      if (find.answer.uses?.length) lines.push(`  - ${words.say("uses")}${words.say("site.colon")}${find.answer.uses.map(code).join(words.say("site.comma"))}`);
    } else lines.push(`  - ${words.say("no_answer", { ...pair })}`);
    lines.push(...[...find.first, ...find.also].map(difference));
  }
  return `${lines.join("\n")}\n`;
}
