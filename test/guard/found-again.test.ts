// Values that count again behind their first place, over a request's texts.
import { expect, test } from "bun:test";
import { createScanner, type Match } from "../../src/guard/scanner.ts";
import { type SearchedText, TextsSearch } from "../../src/guard/texts.ts";

const scanner = createScanner(["us_ssn", "email"], new Map(), []);

function searchTexts(texts: readonly SearchedText[], step = 1_000_000): readonly (readonly Match[])[] {
  const search = new TextsSearch(scanner, texts);
  while (!search.run(step));
  return search.found;
}

function list(texts: readonly SearchedText[]): readonly (readonly string[])[] {
  return searchTexts(texts).map((found, at) =>
    found.map(({ from, to }) => texts[at]?.text.slice(from, to) ?? ""),
  );
}

test("a number found by its word counts again behind it, as a whole", () => {
  const texts = [
    "536904399",
    "536904399, then ssn 536904399, 536904399",
    "of 536904399: x536904399 5369043990",
  ].map((text) => ({ text }));
  expect(list(texts)).toEqual([[], ["536904399", "536904399"], ["536904399"]]);
});

test("what is found in a text depends on earlier texts alone", () => {
  const texts = [{ text: "ssn 536904399" }, { text: "536904399" }, { text: "ssn 123456789, 536904399" }];
  for (let count = 1; count <= texts.length; count++) {
    expect(list(texts.slice(0, count))).toEqual(list(texts).slice(0, count));
  }
});

test("a field's name is the word, and remembered findings are taken as they are", () => {
  const texts = [{ text: "536904399", before: "ssn" }, { text: "is 536904399" }];
  expect(list(texts)).toEqual([["536904399"], ["536904399"]]);
  const known = [{ from: 0, to: 9, detector: "us_ssn" }];
  expect(list([{ text: "536904399", known }, { text: "is 536904399" }])).toEqual([
    ["536904399"],
    ["536904399"],
  ]);
});

test("steps of any size find the same", () => {
  const texts = [
    { text: "ssn 536904399 and ssn 123456789" },
    { text: "123456789 536904399 ada@corp-x.de" },
    { text: "" },
  ];
  for (const step of [1, 3, 10, 1000]) expect(searchTexts(texts, step)).toEqual(searchTexts(texts));
});
