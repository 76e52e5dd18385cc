// The scanner: what it finds in a text, however it is cut into steps.
import { expect, test } from "bun:test";
import { createScanner } from "../../src/guard/scanner.ts";

const NO_WORDS = new Map<string, readonly string[]>();
const scanner = createScanner(["email", "card", "openai_key"], NO_WORDS, []);

function list(text: string): readonly string[] {
  return scanner.search(text).map(({ from, to, detector }) => `${detector}: ${text.slice(from, to)}`);
}

test("a text's values are found with their places", () => {
  const key = `sk-proj-${"aB3dE5gH".repeat(8)}`;
  expect(list(`Ada (ada@corp-x.de, 4532 0151 1283 0366) has ${key}, 5425233430109903.`)).toEqual([
    "email: ada@corp-x.de",
    "card: 4532 0151 1283 0366",
    `openai_key: ${key}`,
    "card: 5425233430109903",
  ]);
  expect(list("git@github.com:a/b user@1.2.3 @scope/pkg a@b ada@example.com 4532 0151 1283 0367")).toEqual(
    [],
  );
});
