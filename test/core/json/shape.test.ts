// The measured shape of a JSON text matches its value, and an excess is found without reading the rest.
import { describe, expect, test } from "bun:test";
import { isObject } from "../../../src/core/json/json.ts";
import { type JsonShape, measureShape } from "../../../src/core/json/shape.ts";

const UNBOUNDED: JsonShape = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };

/** The same, counted in the parsed value. */
function countedIn(value: unknown): JsonShape {
  if (!Array.isArray(value) && !isObject(value)) return { depth: 0, elements: 0 };
  const inside = Object.values(value).map(countedIn);
  return {
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    elements: inside.reduce((sum, { elements }) => sum + elements, inside.length),
  };
}

const TEXTS = [
  "1",
  '"a,b[c{"',
  "[]",
  "{}",
  "[ \n ]",
  "[[],[],{}]",
  "[1,2,3]",
  '{"a":1}',
  '{"a":[1,2],"b":{"c":{}}}',
  '["\\"",",","\\\\","[{",{"\\\\\\"}":"]"}]',
  '[ "" , { "" : [ [ ] ] } ]',
  "[[[[[1]]]]]",
  "[null,true,false,-1.5e9]",
];

describe("counts the structure", () => {
  test.each(TEXTS)("%s", (text) => {
    expect(measureShape(text, UNBOUNDED)).toEqual(countedIn(JSON.parse(text)));
  });
});

test("stops once the limit is exceeded", () => {
  const many = `[${"[],".repeat(1_000_000)}[]]`;
  expect(measureShape(many, { depth: 8, elements: 100 })).toMatchObject({ depth: 2, elements: 101 });
  const deep = "[".repeat(1_000_000);
  expect(measureShape(deep, { depth: 8, elements: 100 })).toMatchObject({ depth: 9, elements: 8 });
});

test("ignores everything in an unterminated string", () => {
  expect(measureShape('["a,b,c', UNBOUNDED)).toEqual({ depth: 1, elements: 1 });
});
