// JSON with long texts that are kept unparsed: the same values as from parsing the whole, under every split.
import { expect, test } from "bun:test";
import { LongJsonReader, LongText } from "../../../src/core/json/long.ts";

/** Longer than any text that is parsed with the rest. */
const LONG = Buffer.alloc(150_000, "long base64 ").toString("base64");

function read(json: string, cutBytes: number): unknown {
  const bytes = new TextEncoder().encode(json);
  const reader = new LongJsonReader();
  for (let at = 0; at < bytes.length; at += cutBytes) reader.push(bytes.slice(at, at + cutBytes));
  return reader.end().parse({ depth: 64, elements: 1000 });
}

const CASES: Readonly<Record<string, unknown>> = {
  "a picture": { created: 1, data: [{ b64_json: LONG, revised_prompt: "a “cat”" }], usage: { n: 2 } },
  "two pictures and a short one": {
    data: [{ b64_json: LONG }, { b64_json: `${LONG}AA==` }, { b64_json: "AAAA" }],
  },
  "long texts that are no base64": { text: `${LONG} ${LONG}`, other: `ü${LONG}`, quoted: `${LONG}"\\` },
  "texts with escapes around it": { a: '\\"', b: LONG, c: "\\\\", d: "\u2028😀" },
  "no long text at all": { data: [1, null, "", "ä"] },
};
for (const [name, value] of Object.entries(CASES)) {
  test(`${name}: any cut gives the same value`, () => {
    const json = JSON.stringify(value, null, 1);
    for (const cutBytes of [3, 1000, 65_537, json.length * 2]) {
      expect(JSON.parse(JSON.stringify(read(json, cutBytes)))).toEqual(value);
    }
  });
}

test("a long string is the bytes that arrived, not a string", () => {
  const parsed = read(JSON.stringify({ b64_json: LONG }), 65_536);
  expect(parsed).toEqual({ b64_json: expect.any(LongText) });
});

test("truncated or invalid JSON is rejected", () => {
  expect(read(`{"b64_json":"${LONG}`, 1000)).toBeUndefined();
  expect(read(`{"b64_json":"${LONG}"`, 1000)).toBeUndefined();
  expect(read(`{"b64_json":${LONG}}`, 1000)).toBeUndefined();
});

test("a provider can't make one picture be sent thousands of times", () => {
  const forged = JSON.stringify({ data: [LONG, "\u0001long-text:0", "\u0001long-text:0"] });
  expect(read(forged, 1000)).toBeUndefined();
  expect(read(JSON.stringify({ [LONG]: 1 }), 1000)).toBeUndefined();
});

test("more strings than any answer has are refused while they are read", () => {
  const list = (pictures: number) => JSON.stringify({ data: Array(pictures).fill({ b64_json: "aaaa" }) });
  expect(read(list(400), 1000)).toBeObject();
  expect(() => read(list(10_000), 1000)).toThrow("incomplete or malformed");
});
