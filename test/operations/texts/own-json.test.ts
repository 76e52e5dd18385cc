// The client's own JSON as a text: the same values with the same fields as in JSON that is parsed, and integers in place.
import { expect, test } from "bun:test";
import { type JsonChange, mapJson, mapJsonText } from "../../../src/operations/text-json.ts";

const VALUES = [
  { ssn: "a", list: ["b", { ssn: "c", deep: ["d"] }, "e"], last: "f" },
  { outer: [[{ ssn: 123456789 }, 987654321], -123456789012], short: 12345678, long: "x" },
  { big: 4532015112830366, point: 1234567890.5, wide: 1e12, past: [{}, [], "after"] },
  ["top", { a: "b" }, 1234567890],
] as const;

/** Collects what it is asked about, with its field. */
function collect(walk: (change: JsonChange) => unknown): readonly string[] {
  const found: string[] = [];
  const take =
    (kind: string) =>
    (text: string, field = "-") => {
      found.push(`${kind} ${field} ${text}`);
      return text;
    };
  walk({ text: take("text"), key: (key) => key, integer: take("integer") });
  return found;
}

test.each(VALUES.map((value) => [JSON.stringify(value), value] as const))("%s", (text, value) => {
  const parsed = collect((change) => mapJson(value, change));
  expect(parsed.length).toBeGreaterThan(0);
  expect(collect((change) => mapJsonText(text, change))).toEqual(parsed);
  expect(collect((change) => mapJsonText(JSON.stringify(value, null, 2), change))).toEqual(parsed);
});

test("an integer that is replaced becomes a string, and all else stays as it was written", () => {
  const change = { text: (text: string) => text, key: (key: string) => key, integer: () => "<CARD>" };
  const text = '{ "a" : 4532015112830366, "b": [1.50, 4532015112830366 ], "c": "4532015112830366" }';
  expect(mapJsonText(text, change)).toBe(
    '{ "a" : "<CARD>", "b": [1.50, "<CARD>" ], "c": "4532015112830366" }',
  );
  expect(mapJson({ a: 4532015112830366n, b: 1 }, change)).toEqual({ a: "<CARD>", b: 1 });
});
