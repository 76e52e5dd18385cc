// The first mistake in a text that isn't JSON: found at its place, wherever a text is cut or changed.
import { describe, expect, test } from "bun:test";
import { explainJson } from "../../../src/core/json/mistake.ts";

const SOUND = '{"a": [1, -2.5e3, true, null, "x\\n\\u00e9"], "b": {"c": {}, "d": []}, "e": ""}';
const UNFOUND = "it is not valid JSON";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a text that isn't JSON", () => {
  test("is explained wherever it is cut", () => {
    for (let length = 1; length < SOUND.length; length++) {
      expect(explainJson(SOUND.slice(0, length))).toMatch(/^at line 1, column \d+, /);
    }
  });

  test("is explained whichever character is put anywhere", () => {
    let refused = 0;
    for (const added of [..."{}[],:\"'\\ab0-.+#/\n\u0001\ufeff\u201c", "NaN", "//", "\\q"]) {
      for (let at = 0; at <= SOUND.length; at++) {
        const text = SOUND.slice(0, at) + added + SOUND.slice(at);
        // A sound text reaches the search only by mistake, and has none.
        if (isJson(text)) expect(explainJson(text)).toBe(UNFOUND);
        else
          expect([text, explainJson(text)]).toEqual([
            text,
            expect.stringMatching(/^at line \d, column \d+, /),
          ]);
        if (!isJson(text)) refused++;
      }
    }
    expect(refused).toBeGreaterThan(1000);
  });

  test("is never quoted", () => {
    for (const text of [
      "secret",
      "{secret: 1}",
      '{"a": secret}',
      '{"a": "b" secret}',
      "{'secret'}",
      "[secret",
    ]) {
      expect(explainJson(text)).not.toContain("secret");
    }
  });

  test.each([
    ['{"a": 1,}', "at line 1, column 8, there is a comma after the last element: remove it"],
    ["[1,\n2,\n]", "at line 2, column 2, there is a comma after the last element: remove it"],
    ['{"a" 1}', "at line 1, column 6, a colon is missing"],
    ['{"a": 1]', "at line 1, column 8, there is a ] in place of a }"],
    ["[01]", "at line 1, column 2, there is a number that JSON doesn't allow"],
    ['{"a": [1', "at line 1, column 9, the text ends before it is closed: ]} is missing"],
    ['{"a":\n "b', "at line 2, column 2, a string begins that never ends: its closing quote is missing"],
  ])("%j", (text, expected) => {
    expect(explainJson(text)).toStartWith(expected);
  });

  test("of megabytes isn't searched", () => {
    expect(explainJson(`[${"1,".repeat(600_000)}]`)).toBe(UNFOUND);
  });
});
