// A text whose values were swapped is searched once more: nothing else is found in it, whatever its placeholders look like.
import { expect, test } from "bun:test";
import { createAnswerScanner } from "../../src/guard/answer-search.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { isInPlaceholder } from "../../src/guard/placeholder-form.ts";
import { Placeholders } from "../../src/guard/placeholders.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { IS_LONG } from "../harness/long.ts";
import { compare, feed, swapText } from "./swapped.ts";
import { makeChance } from "./texts.ts";
import { VECTORS } from "./vectors.ts";

const CASES = IS_LONG ? 10_000 : 2_000;
/** Some are words inside marks. */
const WORDS = new Map([["customers", ["Kestrel GmbH", "customers", "email", "ssn", "phone"]]]);
const NAMES = [...DETECTORS.map(({ name }) => name), "words:customers"];
const scanner = createScanner(NAMES, WORDS, []);
const answers = createAnswerScanner(NAMES, WORDS, []);

const PARTS = [
  ...Object.values(VECTORS).flatMap(({ found }) => found.map((text) => text.replaceAll(/[«»]/g, ""))),
  "Kestrel gmbh", "email", "the invoice of ", "用户", "😀", "\ud83d", "\0",
  "<EMAIL_3K9P0QRT>", "<PHONE_01234567>", "<SSN_ABCDEFGH> ", "<CUSTOMERS_12345678>", "[EMAIL]", "<EMAIL", "_", "<", ">",
]; // biome-ignore format: a list of parts

test("hiding twice hides once", () => {
  const chance = makeChance(31);
  const placeholders = new Placeholders("account");
  for (let round = 0; round < CASES; round++) {
    const separator = [", ", " and ", "\n"][chance(3)];
    const text = Array.from({ length: 1 + chance(4) }, () => PARTS[chance(PARTS.length)]).join(separator);
    const once = swapText(scanner, placeholders, text);
    compare(text, swapText(scanner, placeholders, once), once);
  }
});

test.each([
  ["a mark is no word before a number", "<PHONE_3K9P0QRT> or 912-93-4567", "<SSN_3K9P0QRT> 536904399"],
  ["a placeholder is no secret", "password=<SECRET_3K9P0QR7>", 'api_key: "<SECRET_3K9P0QR7>"'],
  ["an operator's word may be a mark", "<EMAIL_3K9P0QRT>", "<CUSTOMERS_3K9P0QRT>"],
  ["a code is no number", "tel <PHONE_01234567>", "<PHONE_01234567>"],
])("%s", (_: string, one: string, other: string) => {
  for (const text of [one, other]) {
    expect(swapText(scanner, new Placeholders("account"), text)).toBe(text);
    // In an answer too, where it would have no value to be put back any more.
    for (const pieces of [[`${text} `], [...text, " "]]) {
      const stream = filterText(answers.begin("", () => "[]"));
      expect(feed(stream, pieces)).toBe(`${text} `);
    }
  }
});

test("only what has the form of a placeholder is one", () => {
  const isWhole = (text: string) => isInPlaceholder(text, 0, text.length);
  for (const text of ["<EMAIL_3K9P0QRT>", "<CUSTOMERSAND_3K9P0QRT>"]) expect(isWhole(text)).toBe(true);
  for (const text of [
    "<EMAIL_3K9P0QR>", "<EMAIL_3K9P0QRTX>", "<EMAIL_3K9P0QRU>", "<email_3K9P0QRT>", "<_3K9P0QRT>", "EMAIL_3K9P0QRT",
    "[EMAIL_3K9P0QRT]", "<EMAIL_3K9P0QRT", "<EMAIL_3K9P0QRT>x", "x<EMAIL_3K9P0QRT>", "<EMAIL_ADDRESS>", "",
  ]) expect(isWhole(text)).toBe(false); // biome-ignore format: a list of texts
  const text = "to <EMAIL_3K9P0QRT>.";
  const inside = Array.from({ length: text.length }, (_, at) => isInPlaceholder(text, at, at + 1));
  expect(inside.map(Number).join("")).toBe("00011111111111111110");
});
