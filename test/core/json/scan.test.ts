// The program that scans long texts counts as the code that reads each character does.
import { describe, expect, test } from "bun:test";
import { type JsonShape, readShape } from "../../../src/core/json/shape.ts";
import { scanBytes, scanLetters, scanText } from "../../../src/core/json/text-scan.ts";
import { countDenseBytes } from "../../../src/operations/chat/sizes.ts";
import { Dice } from "../../sim/dice.ts";

/** A piece of the scanner, and the bytes that it reads at once. */
const PIECE = 262_144;
const STEP = 16;

const UNBOUNDED: JsonShape = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };
const CHARACTERS = [
  '"',
  "\\",
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  " ",
  "\n",
  "a",
  "1",
  "/",
  "0",
  "9",
  "\\u",
  "\\ud83d",
  "d",
  "D",
  "é",
  "\u0eff",
  "\u0f00",
  "က",
  "\u1dff",
  "\u1e00",
  "€",
  "\ufeff",
  "😀",
  "\ud83d",
  "\ude00",
  "\0",
  "\x7f",
];

/** Text without meaning, in which every character is as likely to meet every other. */
function writeNoise(dice: Dice, length: number): string {
  const usual = dice.pick([CHARACTERS, ['"', "\\", "a"], ["[", "{", "]", ","], ["a", "b", "7"]]);
  return Array.from({ length }, () => dice.pick(usual)).join("");
}

describe("a text of any characters", () => {
  const LENGTHS = [0, 1, 2, STEP - 1, STEP, STEP + 1, 2 * STEP, 100, 1000];

  test("has the same shape, also if it is cut off by a bound", () => {
    const dice = new Dice(1);
    for (let count = 0; count < 4000; count++) {
      const text = writeNoise(dice, dice.pick(LENGTHS));
      const most = dice.pick([UNBOUNDED, { depth: 3, elements: 20 }, { depth: 0, elements: 0 }]);
      const expected = readShape(text, most);
      expect([text, scanText(text, most)]).toEqual([text, expect.objectContaining(expected)]);
      const bytes = new TextEncoder().encode(text);
      expect([text, scanBytes(bytes, most)]).toEqual([text, expect.objectContaining(expected)]);
    }
  });

  test("has the same size and dense bytes", () => {
    const dice = new Dice(2);
    for (let count = 0; count < 4000; count++) {
      const text = writeNoise(dice, dice.pick(LENGTHS));
      const counted = { bytes: Buffer.byteLength(text), dense: countDenseBytes(text) };
      expect([text, scanLetters(text)]).toEqual([text, counted]);
    }
  });

  test("may have surrogates if any stands in it as an escape", () => {
    const dice = new Dice(3);
    for (let count = 0; count < 2000; count++) {
      const value = JSON.stringify(writeNoise(dice, dice.pick(LENGTHS)));
      const text = dice.pick([value, value.replace(/[\u0080-\uffff]/g, escapeUnit)]);
      const isEscaped = /^(?:[^\\]|\\[^u]|\\u[^dD])*\\u[dD]/s.test(text);
      const found = scanText(text, UNBOUNDED)?.hasSurrogate;
      expect([text, found || !isEscaped]).toEqual([text, true]);
      if (text.length > 3) expect([text, found && !text.includes("\\ud")]).toEqual([text, false]);
    }
  });
});

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

describe("a text longer than a piece", () => {
  const fillers = ["x", '\\"', "\\\\", "က", "😀", "[", "1,", '"', "\\ud83d"];

  test.each(fillers)("%s: goes on where the last piece ended", (filler) => {
    for (const before of ["", "a", '"', '"a', '"ab', '"a\\\\', "[", "[1"]) {
      const long = filler.repeat(Math.ceil((PIECE + 100) / filler.length));
      const text = `${before}${long}",7[[1,2]]"7"`;
      const { depth, elements } = readShape(text, UNBOUNDED);
      expect(scanText(text, UNBOUNDED)).toMatchObject({ depth, elements });
      expect(scanBytes(new TextEncoder().encode(text), UNBOUNDED)).toMatchObject({ depth, elements });
      expect(scanLetters(text)).toEqual({ bytes: Buffer.byteLength(text), dense: countDenseBytes(text) });
    }
  });

  test("may have a surrogate where two pieces meet", () => {
    for (const shift of [-3, -2, -1, 0, 1]) {
      const text = `"${"x".repeat(PIECE - 1 + shift)}\\ud83d"`;
      expect(scanBytes(new TextEncoder().encode(text), UNBOUNDED)?.hasSurrogate).toBe(true);
    }
  });
});
