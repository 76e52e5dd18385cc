// Typing errors are corrected before a request's words are read. Known words stay unchanged.
import { expect, test } from "bun:test";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { loadShippedWords, makeWords } from "../../src/selectors/text/words.ts";
import { asking } from "./sample-cards.ts";

const gramsOf = (prompt: string) => [...readFeatures(asking(prompt)).grams.keys()].sort();

test("a typo is corrected to the most frequent word one letter away", () => {
  const words = makeWords(["there", "three", "house", "horse"]);
  const corrected = ["hosue", "houe", "houuse", "hause", "horze", "tree", "xyzzy", "h".repeat(40)];
  expect(corrected.map((word) => words.correct(word))).toEqual([
    "house",
    "house",
    "house",
    "house",
    "horse",
    "three",
    null,
    null,
  ]);
});

test("of two words that a typo may stand for, the more frequent one is meant", () => {
  for (const words of [
    ["house", "horse"],
    ["horse", "house"],
  ])
    expect(makeWords(words).correct("hose")).toBe(words[0] ?? "");
});

test("a request with a typo reads like the correct one", () => {
  const right = gramsOf("Calculate the probability of drawing three kings");
  for (const wrong of [
    "Claculate the probabilty of drawing three kings",
    "Calculate the probability of drwaing three kingss",
  ])
    expect(gramsOf(wrong)).toEqual(right);
});

test("a space that is swapped with the letter beside it is moved back", () => {
  const right = gramsOf("How many years will it be until the price of a house has doubled?");
  for (const wrong of [
    "How many years wil lit be until the price of a house has doubled?",
    "How many years will it be unti lthe price of a house has doubled?",
    "How many years will it be until thep rice of a house has doubled?",
    "How man yyears will it be until the price o fa house has doubled?",
  ])
    expect(gramsOf(wrong)).toEqual(right);
});

test("an s that ends an unknown word isn't moved to the next", () => {
  const words = makeWords(["and", "prince", "sand", "princely"]);
  expect(words.moveSpace("princes", "and")).toBeNull();
  expect(words.moveSpace("princ", "eand")).toBe("prince and");
  expect(words.moveSpace("", "aprince")).toBeNull();
});

test("a short word is corrected only to a common one whose letters are swapped", () => {
  const words = makeWords(["the", ...Array.from({ length: 500 }, (_, at) => `word${at}`), "dog"]);
  expect(["hte", "teh", "thx", "th", "odg"].map((word) => words.correct(word))).toEqual([
    "the",
    "the",
    null,
    null,
    null,
  ]);
});

test("known words, short ones, other scripts and code are left alone", () => {
  const { grams } = readFeatures(asking("Wie spät ist es? 你好 fn qx zz"), null);
  expect([...readFeatures(asking("Wie spät ist es? 你好 fn qx zz")).grams]).toEqual([...grams]);
  expect(loadShippedWords().correct("whihc")).toBe("which");
});

test("a text of unknown words has no typos: only the first few are checked", () => {
  const unknown = Array.from(
    { length: 5000 },
    (_, at) => `qzx${"abcdefghij"[at % 10]}${"klmnopqrst"[((at / 10) % 10) | 0]}vvq`,
  );
  const text = `${unknown.join(" ").slice(0, 7000)} probabilty`;
  expect(gramsOf(text)).not.toEqual(gramsOf(text.replace("probabilty", "probability")));
});
