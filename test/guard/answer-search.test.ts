// The search of answers that come in pieces: what leaves, what is found, and what waits, however they are cut.
import { describe, expect, test } from "bun:test";
import { createAnswerScanner } from "../../src/guard/answer-search.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { IS_LONG } from "../harness/long.ts";
import { cutText, filterPieces, filterWhole, HELD_MAX } from "./answers.ts";
import { makeChance, makeWords } from "./texts.ts";
import { VECTORS } from "./vectors.ts";

const CASES = IS_LONG ? 2500 : 500;
const NAMES = DETECTORS.map(({ name }) => name);
const WORDS = new Map([["list", makeWords(60)]]);
const ALL = [...NAMES, "words:list"];
const answers = createAnswerScanner(ALL, WORDS, []);
const requests = createScanner(ALL, WORDS, []);

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
    const alone = createAnswerScanner([name], new Map(), []);
    const one = createScanner([name], new Map(), []);
    for (const vector of [...found, ...absent]) {
      for (const [before, behind] of SURROUNDINGS) {
        const text = before + vector.replaceAll(/[«»]/g, "") + behind;
        const whole = filterPieces([text], answers);
        expect(filterPieces([...text], answers)).toEqual(whole);
        if (text.length < HELD_MAX - 2) expect(whole).toEqual(filterWhole(text, requests));
        if (text.length < HELD_MAX - 2)
          expect(filterPieces([...text], alone)).toEqual(filterWhole(text, one));
      }
    }
  });
});

test.each([1, 2, 3, 4])(
  "random texts leave the same however they are cut, with what a request's search finds: %d",
  (seed) => {
    const chance = makeChance(seed);
    const parts = [
      ...TEXTS,
      ...PROSE,
      ...makeWords(60),
      ...Array.from({ length: 60 }, () => makeNoise(chance)),
    ];
    let compared = 0;
    for (let round = 0; round < CASES; round++) {
      const isLong = round % 100 === 0;
      const hasSpaces = chance(3) > 0;
      let text = "";
      for (let left = 1 + chance(isLong ? 60 : 5); left > 0; left--) {
        text += (parts[chance(parts.length)] ?? "") + (BETWEEN[chance(hasSpaces ? 6 : BETWEEN.length)] ?? "");
      }
      const whole = filterPieces([text], answers);
      expect(filterPieces(cutText(text, chance(3) === 0 ? () => 1 : () => 1 + chance(30)), answers)).toEqual(
        whole,
      );
      // Values that are longer than what may wait are found by their first part.
      if (text.length > HELD_MAX) continue;
      compared++;
      expect(whole).toEqual(filterWhole(text, requests));
    }
    expect(compared).toBeGreaterThan(CASES * 0.8);
  },
);

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

test("a name before the text, allowed values and the operator's words count as in a request", () => {
  const words = new Map([["customers", ["Kestrel GmbH", "Kestrel", "Ada", "青鸟"]]]);
  const names = ["us_ssn", "email", "words:customers"];
  const scanner = createAnswerScanner(names, words, ["*@corp-x.de", "ada"]);
  const before = filterPieces([..."536904399, bob@corp-x.de"], scanner, "ssn");
  expect(before.text).toBe("[us_ssn], bob@corp-x.de");
  const text = "ADA, kestrel    gmbh; Kestrel     GmbH, xKestrel 用户青鸟说 ada@corp.de";
  const whole = filterWhole(text, createScanner(names, words, ["*@corp-x.de", "ada"]));
  expect(filterPieces([...text], scanner)).toEqual(whole);
  expect(whole.text).toBe(
    "ADA, [words:customers]; [words:customers]     GmbH, xKestrel 用户[words:customers]说 [email]",
  );
});

test("two halves of a character leave together", () => {
  const filter = answers.begin("", () => null);
  const stream = filterText(filter);
  const left = [..."😀😀 a😀b 😀"].map((piece) => stream.push(piece));
  expect([...left, stream.end()].every((piece) => piece.isWellFormed())).toBe(true);
});
