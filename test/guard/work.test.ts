// The work of a search, counted in characters that are looked at: it is bounded for each character, and doubles with the text.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAnswerScanner } from "../../src/guard/answer-search.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { IS_LONG } from "../harness/long.ts";
import { makeHostile, makeWords } from "./texts.ts";

const CHARACTERS = IS_LONG ? 10_000 : 4_000;
/** The most look-ups for a character that a text may cost. */
const LOOKUPS_MAX = 20;
/** The same for texts in pieces, of which parts are cut out. */
const PIECES_LOOKUPS_MAX = 25;
const { charAt, charCodeAt, slice, startsWith } = String.prototype;
const names = [...DETECTORS.map(({ name }) => name), "words:list"];
const words = new Map([["list", makeWords(1000)]]);
const scanner = createScanner(names, words, []);
const answers = createAnswerScanner(names, words, []);
let lookups = 0;

beforeAll(() => {
  String.prototype.charCodeAt = function (at) {
    lookups++;
    return charCodeAt.call(this, at);
  };
  String.prototype.charAt = function (at) {
    lookups++;
    return charAt.call(this, at);
  };
  String.prototype.startsWith = function (part, at) {
    lookups += part.length;
    return startsWith.call(this, part, at);
  };
  String.prototype.slice = function (from, to) {
    const part = slice.call(this, from, to);
    lookups += part.length;
    return part;
  };
});

afterAll(() => Object.assign(String.prototype, { charAt, charCodeAt, slice, startsWith }));

function countLookups(text: string): number {
  lookups = 0;
  scanner.search(text);
  return lookups;
}

test.each(makeHostile(CHARACTERS))("the work for %s is bounded, and doubles with the text", (_, text) => {
  const once = countLookups(text);
  expect(once).toBeGreaterThanOrEqual(text.length);
  expect(once / text.length).toBeLessThan(LOOKUPS_MAX);
  // The last value of a text may be cut off.
  expect(countLookups(text + text)).toBeLessThan(once * 2 + 1000);
});

test.each(makeHostile(CHARACTERS))("so is the work for %s that comes in pieces", (_, text) => {
  const count = (pieces: readonly string[]): number => {
    const filter = answers.begin("", () => "");
    lookups = 0;
    for (const piece of pieces) filter.push(piece);
    filter.end();
    return lookups;
  };
  for (const pieces of [[text], [...text]]) {
    const once = count(pieces);
    expect(once).toBeGreaterThanOrEqual(text.length);
    expect(once / text.length).toBeLessThan(PIECES_LOOKUPS_MAX);
    expect(count([...pieces, ...pieces])).toBeLessThan(once * 2 + 5000);
  }
});
