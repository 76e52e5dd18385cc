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

const PROSE = (
  'The report says, at the end of May: sales rose (again) by 12 % to 3,400. It\'s "good" news; Größe und Maß sind gleich. ' +
  'See https://corp-x.de/a/b?c=d&e=f#g, or `const a = b[1];` and {"x": null}. 请看报告。 I WAS IN THE USA on 12/05/2026 ' +
  "😀😀 **bold** _words_ - items -- and more"
).split(" ");
const BETWEEN = [
  " ",
  " ",
  ", ",
  "\n",
  "  ",
  ". ",
  "",
  "-",
  ":",
  "=",
  '"',
  "(",
  ")",
  "，",
  "@",
  "+",
  "_",
  "😀",
];
const SIGNS = "0123456789abcdefABCDEF-:. @+/=_()";

function makeNoise(chance: (most: number) => number): string {
  return Array.from({ length: 1 + chance(20) }, () => SIGNS.charAt(chance(SIGNS.length))).join("");
}

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

test("random texts leave the same however they are cut, and what is found in them is what a request's search finds", () => {
  const chance = makeChance(87);
  const parts = [
    ...TEXTS,
    ...PROSE,
    ...makeWords(60),
    ...Array.from({ length: 60 }, () => makeNoise(chance)),
  ];
  let compared = 0;
  for (let round = 0; round < 10_000; round++) {
    const isLong = round % 100 === 0;
    const hasSpaces = chance(3) > 0;
    let text = "";
    for (let left = 1 + chance(isLong ? 60 : 5); left > 0; left--) {
      text += (parts[chance(parts.length)] ?? "") + (BETWEEN[chance(hasSpaces ? 6 : BETWEEN.length)] ?? "");
    }
    const whole = filter([text]);
    expect(filter(cut(text, chance(3) === 0 ? () => 1 : () => 1 + chance(30)))).toEqual(whole);
    // Values that are longer than what may wait are found by their first part.
    if (text.length > HELD_MAX) continue;
    compared++;
    expect(whole).toEqual(filterWhole(text));
  }
  expect(compared).toBeGreaterThan(8000);
});

test("of prose hardly more than a word is held", () => {
  const prose = PROSE.join(" ").repeat(20);
  const inner = answers.begin("", () => null);
  let left = 0;
  let sum = 0;
  for (let at = 0; at < prose.length; at++) {
    for (const { length } of inner.push(prose.charAt(at))) left += length;
    sum += at + 1 - left;
  }
  expect(sum / prose.length).toBeLessThan(8);
});
