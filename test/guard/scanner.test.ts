// The scanner: what it finds in a text, however it is cut into steps, and what stands before, beside and around a value.
import { describe, expect, test } from "bun:test";
import { DETECTORS, GROUPS } from "../../src/guard/detectors.ts";
import { joinFound } from "../../src/guard/join.ts";
import { createScanner, type Match, type Scanner } from "../../src/guard/scanner.ts";
import { makeChance, makeHostile, makeWords } from "./texts.ts";
import { VECTORS } from "./vectors.ts";

const NO_WORDS = new Map<string, readonly string[]>();
const NAMES = DETECTORS.map(({ name }) => name);
const all = createScanner(NAMES, NO_WORDS, []);

function list(scanner: Scanner, text: string, before?: string): readonly string[] {
  return scanner.search(text, before).map(({ from, to }) => text.slice(from, to));
}

function searchInSteps(scanner: Scanner, text: string, step: () => number): readonly Match[] {
  const search = scanner.begin(text);
  while (!search.run(step()));
  return search.found;
}

test("the groups hold all detectors but one", () => {
  const sizes = Object.fromEntries([...GROUPS].map(([group, names]) => [group, names.length]));
  expect(sizes).toEqual({ secrets: 16, contact: 2, finance: 2, network: 2, ids: 21 });
  expect(NAMES.filter((name) => ![...GROUPS.values()].flat().includes(name))).toEqual(["assigned_secret"]);
});

test("a search in steps of any size finds the same", () => {
  const chance = makeChance(11);
  const vectors = Object.values(VECTORS).flatMap(({ found, absent }) => [...found, ...absent]);
  const scanner = createScanner([...NAMES, "words:list"], new Map([["list", makeWords(50)]]), []);
  const words = makeWords(60);
  for (let round = 0; round < 200; round++) {
    const parts = Array.from({ length: 12 }, () =>
      chance(4) === 0 ? words[chance(words.length)] : vectors[chance(vectors.length)],
    );
    const text = parts.join([" ", ", ", "\n", "  "][chance(4)]).replaceAll(/[«»]/g, "");
    const whole = scanner.search(text);
    expect(searchInSteps(scanner, text, () => 1)).toEqual(whole);
    expect(searchInSteps(scanner, text, () => 1 + chance(30))).toEqual(whole);
  }
});

test("half surrogates, NUL and an empty text are searched like others", () => {
  expect(list(all, "")).toEqual([]);
  expect(list(all, "\ud83d ada@corp-x.de\0\udc00")).toEqual(["ada@corp-x.de"]);
});

test("runs of base64 above two hundred characters aren't searched", () => {
  const key = `AKIA${"A2B3C4D5E6F7GHIJ"}`;
  expect(list(all, `${"a".repeat(90)}/${key}/${"a".repeat(60)}`)).toEqual([key]);
  expect(list(all, `${"a".repeat(90)}/${key}/${"a".repeat(90)}`)).toEqual([]);
});

test("a step ends after about as many characters as it was given", () => {
  const search = all.begin("9".repeat(1_000_000));
  let steps = 1;
  while (!search.run(65_536)) steps++;
  expect(steps).toBe(16);
});

describe("a number without its written form", () => {
  const scanner = createScanner(["us_ssn"], NO_WORDS, []);

  test("counts within forty characters after a word", () => {
    expect(list(scanner, `SSN${" ".repeat(37)}536904399`)).toEqual(["536904399"]);
    expect(list(scanner, `SSN${" ".repeat(38)}536904399`)).toEqual([]);
    expect(list(scanner, "ssnx 536904399, 536904399 ssn")).toEqual([]);
  });

  test("counts after a field's name that has the word", () => {
    expect(list(scanner, "536904399", "ssn")).toEqual(["536904399"]);
    expect(list(scanner, "536904399", "social_security-number")).toEqual(["536904399"]);
    expect(list(scanner, "536904399", "assn")).toEqual([]);
  });
});

describe("words", () => {
  const words = new Map([["customers", ["Kestrel GmbH", "Ада", "青鸟", "Kestrel"]]]);
  const scanner = createScanner(["words:customers"], words, []);

  test("match without case, and a space as one to four", () => {
    expect(list(scanner, "KESTREL    gmbh, kestrel\ngmbh")).toEqual([
      "KESTREL",
      "KESTREL    gmbh",
      "kestrel",
      "kestrel\ngmbh",
    ]);
    expect(list(scanner, "kestrel     gmbh")).toEqual(["kestrel"]);
    expect(list(scanner, "АДА")).toEqual(["АДА"]);
  });

  test("have no letter or digit of Latin, Greek or Cyrillic beside them", () => {
    expect(list(scanner, "kestrels 9kestrel akestrel éкestrel Адам")).toEqual([]);
    expect(list(scanner, "用户青鸟说(kestrel)")).toEqual(["青鸟", "kestrel"]);
  });

  test("are all found among ten thousand, and nothing else", () => {
    const many = makeWords(10_000);
    const search = createScanner(["words:many"], new Map([["many", many]]), []);
    const missed = many.filter(
      (word) => !list(search, `x ${word.toUpperCase()}.`).includes(word.toUpperCase()),
    );
    expect(missed).toEqual([]);
    expect(list(search, "xka kax")).toEqual([]);
  });
});

test("allowed values are never found, whatever their case", () => {
  const scanner = createScanner(["email"], NO_WORDS, ["*@corp.example2.de", "Bob@*", "a*c*@x.de"]);
  expect(list(scanner, "Ada@Corp.Example2.de bob@y.de abcd@x.de")).toEqual([]);
  expect(list(scanner, "ada@corp.example3.de bobo@y.de abd@x.de")).toHaveLength(3);
});

test("findings that overlap are one, of the kind of the longest, or of the first in the list", () => {
  const one = { from: 0, to: 10, detector: "us_ssn" };
  const other = { from: 4, to: 20, detector: "email" };
  expect(joinFound([one, other, { from: 20, to: 22, detector: "ip" }])).toEqual([
    { from: 0, to: 20, detector: "email", detectors: ["us_ssn", "email"] },
    { from: 20, to: 22, detector: "ip", detectors: ["ip"] },
  ]);
  const same = [
    { from: 0, to: 9, detector: "words:list" },
    { from: 0, to: 9, detector: "nl_bsn" },
  ];
  expect(joinFound(same).map(({ detector }) => detector)).toEqual(["nl_bsn"]);
});

test("hostile texts are searched to their end, in steps as in one go", () => {
  for (const [, text] of makeHostile(20_000)) {
    expect(searchInSteps(all, text, () => 4096)).toEqual(all.search(text));
  }
});
