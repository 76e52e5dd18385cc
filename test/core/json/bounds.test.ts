// JSON of strangers is parsed as it stands up to its bounds, and not at all beyond them.
import { describe, expect, test } from "bun:test";
import { explainExcess, JsonBudget, parseBounded, parseReceived } from "../../../src/core/json/bounds.ts";

function nest(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
}

function fields(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])));
}

test("a text is parsed if its structure is within bounds", () => {
  const most = { depth: 2, elements: 3 };
  expect(parseBounded('{"a":[1]}', most)).toEqual({ a: [1] });
  expect(parseBounded('{"a":[1,2]}', most)).toEqual({ a: [1, 2] });
  expect(parseBounded('{"a":[1,2,3]}', most)).toBeUndefined();
  expect(parseBounded('{"a":[[1]]}', most)).toBeUndefined();
  expect(parseBounded('{"a"', most)).toBeUndefined();
});

test("a provider's text is refused beyond a depth and a number of elements that no answer has", () => {
  expect(parseReceived(nest(100))).toBeDefined();
  expect(parseReceived(nest(50_000))).toBeUndefined();
  expect(parseReceived(`[${"1,".repeat(200_000)}1]`)).toBeArrayOfSize(200_001);
  expect(parseReceived(`[${"1,".repeat(250_000)}1]`)).toBeUndefined();
  expect(explainExcess(nest(50_000), { depth: 100, elements: 100_000 })).toContain("100 levels");
  expect(explainExcess(`[${"1,".repeat(5000)}1]`, { depth: 100, elements: 7 })).toContain("7 elements");
});

describe("a budget", () => {
  test("is 100,000 elements and fields for all texts together", () => {
    const json = new JsonBudget();
    expect(json.parseObject(fields(60_000))).toBeDefined();
    expect(json.parseObject(fields(40_001))).toBeUndefined();
    expect(json.parseObject(fields(40_000))).toBeDefined();
    expect(json.parseObject(fields(1))).toBeUndefined();
    expect(json.parseObject("{}")).toEqual({});
  });

  test("counts the elements beside the texts", () => {
    const beside = { messages: Array.from({ length: 50_000 }, () => ({})) };
    const json = new JsonBudget(beside);
    expect(json.parseObject(fields(50_000))).toBeUndefined();
    expect(json.parseObject(fields(49_999))).toBeDefined();
  });

  test("is 64 levels for each text", () => {
    const json = new JsonBudget();
    expect(json.parseObject(nest(64))).toBeDefined();
    expect(json.parseObject(nest(65))).toBeUndefined();
  });

  test("isn't used up by prose, whose commas are no elements", () => {
    const json = new JsonBudget();
    expect(json.parseObject("one, two, ".repeat(100_000))).toBeUndefined();
    expect(json.parseObject(` ${fields(100_000)}`)).toBeDefined();
  });

  test("is used up by what looks like an object, because that is parsed", () => {
    const json = new JsonBudget();
    expect(json.parseObject(`{"a":[${"1,".repeat(99_990)}}`)).toBeUndefined();
    expect(json.parseObject(fields(100))).toBeUndefined();
  });

  test("finds the ending of a text that was cut off", () => {
    const json = new JsonBudget();
    expect(json.findEnding('{"a":[1', () => ["}", "]}"])).toBe("]}");
    expect(json.findEnding('{"a":1}', () => ["}"])).toBe("");
    expect(json.findEnding("[1", () => ["]"])).toBeUndefined();
    expect(json.findEnding(nest(65), () => [""])).toBeUndefined();
  });
});
