// Compares the guard's search with a loop that adds up the same text's character codes. Started by hand: bun test/bench/guard.ts
import { readFileSync } from "node:fs";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { createScanner, type Scanner } from "../../src/guard/scanner.ts";
import { makeHostile, makeWords } from "../guard/texts.ts";

const CHARACTERS = 100_000;
const ROUNDS = 24;
const SUM_ROUNDS = 200;
/** The last result, so that none is left out as unused. */
let kept: unknown;
const chapters = [...new Bun.Glob("src/docs/*.md").scanSync()].sort();
const prose = chapters
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")
  .slice(0, CHARACTERS);
const names = DETECTORS.map(({ name }) => name);
const plain = createScanner(names, new Map(), []);
const withWords = createScanner([...names, "words:list"], new Map([["list", makeWords(10_000)]]), []);

function addCodes(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}

/** The least time of many rounds, in microseconds: what else runs on the machine only adds to it. */
function measure(rounds: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    kept = work();
    least = Math.min(least, (performance.now() - from) * 1000);
  }
  return least;
}

function report(name: string, scanner: Scanner, text: string): void {
  const double = text + text;
  const sum = measure(SUM_ROUNDS, () => addCodes(text));
  const once = measure(ROUNDS, () => scanner.search(text));
  const twice = measure(ROUNDS, () => scanner.search(double));
  console.log(
    `${name.padEnd(28)} ${once.toFixed(0).padStart(6)} µs, ${(once / sum).toFixed(1)} × the sum, doubled ${(twice / once).toFixed(2)} ×`,
  );
}

report("prose", plain, prose);
report("prose, 10,000 words", withWords, prose);
for (const [name, text] of makeHostile(CHARACTERS)) report(name, plain, text);
if (kept === undefined) throw new Error("nothing was searched");
