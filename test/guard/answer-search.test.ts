// The search of answers that come in pieces: what leaves, what is found, and what waits, however they are cut.
import { describe, expect, test } from "bun:test";
import { createAnswerScanner } from "../../src/guard/answer-search.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { joinFound, type Union } from "../../src/guard/join.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { makeChance, makeWords } from "./texts.ts";
import { VECTORS } from "./vectors.ts";

const HELD_MAX = 256;
const NAMES = DETECTORS.map(({ name }) => name);
const WORDS = new Map([["list", makeWords(60)]]);
const ALL = [...NAMES, "words:list"];
const answers = createAnswerScanner(ALL, WORDS, []);
const requests = createScanner(ALL, WORDS, []);

interface Found {
  readonly detector: string;
  readonly detectors: readonly string[];
  readonly value: string;
}

interface Outcome {
  readonly text: string;
  readonly found: readonly Found[];
}

function describeUnion({ detector, detectors }: Union, value: string): Found {
  return { detector, detectors: [...detectors].sort(), value };
}

/** Cuts a text into pieces of lengths that `next` gives. */
function cut(text: string, next: () => number): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + next();
    pieces.push(text.slice(at, to));
    at = to;
  }
  return pieces;
}

/** Filters the pieces of a text, and replaces what is found. No more than is allowed is held. */
function filter(pieces: readonly string[], scanner = answers): Outcome {
  const found: Found[] = [];
  let held = 0;
  const inner = scanner.begin("", (union, value) => {
    found.push(describeUnion(union, value));
    return `[${union.detector}]`;
  });
  const count = (passed: ReturnType<typeof inner.push>, more: number) => {
    for (const { length } of passed) held -= length;
    held += more;
    if (held > HELD_MAX || held < 0) throw new Error(`${held} characters are held`);
    return passed;
  };
  const stream = filterText({
    push: (text) => count(inner.push(text), text.length),
    end: () => count(inner.end(), 0),
  });
  const text = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
  return { text, found };
}

/** The same with the search of requests. */
function filterWhole(text: string, scanner = requests): Outcome {
  const found: Found[] = [];
  let left = "";
  let at = 0;
  for (const union of joinFound(scanner.search(text))) {
    found.push(describeUnion(union, text.slice(union.from, union.to)));
    left += `${text.slice(at, union.from)}[${union.detector}]`;
    at = union.to;
  }
  return { text: left + text.slice(at), found };
}

const SURROUNDINGS: readonly (readonly [string, string])[] = [
  ["", ""],
  ["I see, that is: ", ". Is it right?"],
  ['{"a":1,"b":"', '","c":[2]}'],
  ["请看", "。谢谢"],
  ["<b>", "</b>\n"],
  ["(12) ", " 34 and so on"],
  ["x\t", "\tfoo(bar)"],
];
const TEXTS = Object.values(VECTORS).flatMap(({ found, absent }) =>
  [...found, ...absent].map((text) => text.replaceAll(/[«»]/g, "")),
);

describe.each(Object.entries(VECTORS))("%s", (name, { found, absent }) => {
  test("is found in pieces as in a whole text, and as in a request", () => {
    for (const vector of [...found, ...absent]) {
      for (const [before, behind] of SURROUNDINGS) {
        const text = before + vector.replaceAll(/[«»]/g, "") + behind;
        const whole = filter([text]);
        expect(filter([...text])).toEqual(whole);
        if (text.length < HELD_MAX - 2) expect(whole).toEqual(filterWhole(text));
        const alone = createAnswerScanner([name], new Map(), []);
        const one = createScanner([name], new Map(), []);
        if (text.length < HELD_MAX - 2) expect(filter([...text], alone)).toEqual(filterWhole(text, one));
      }
    }
  });
});
