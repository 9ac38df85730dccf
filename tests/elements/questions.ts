// Shortens the questions that stdin lists as the search does, and counts the characters that reading a run of Chinese goes through.
import { readFileSync } from "node:fs";
import { Everyday, shortened } from "./src/search/readings";
import { pieces } from "./src/search/tokens";

const { questions, names, runs } = JSON.parse(readFileSync(0, "utf8"));
const everyday = new Everyday(names, []);
const plain = String.prototype.slice;
const steps = runs.map((run: string) => {
  const words = pieces(run);
  let gone = 0;
  String.prototype.slice = function (this: string, ...given: [number?, number?]) {
    const part = plain.apply(this, given);
    gone += part.length;
    return part;
  };
  const said = everyday.readings(words).map((reading) => reading.pieces.map((piece) => piece.text).join(" "));
  String.prototype.slice = plain;
  return { gone, said };
});
console.log(JSON.stringify({ shortened: questions.map(shortened), steps }));
