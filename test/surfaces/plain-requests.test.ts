// A request that is plain fits the schema of chat requests, so it needn't be checked against it.

import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { isPlainRequest } from "../../src/surfaces/openai-chat/plain.ts";
import { chatRequestSchema } from "../../src/surfaces/openai-chat/schema.ts";
import { makeDice } from "../selectors/dice.ts";

const REQUESTS = 4000;
const FIELDS = [...Object.keys(chatRequestSchema.properties), "top_k"];
const VALUES: readonly unknown[] = [
  0,
  1,
  -1,
  0.5,
  2,
  2.5,
  21,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  "",
  "a",
  "auto",
  "low",
  true,
  null,
  undefined,
  {},
  [],
  ["a"],
  [{ role: "user" }],
];
const PLAIN: readonly unknown[] = [
  { role: "system", content: "a" },
  { content: "", role: "user" },
  { role: "assistant", content: "a" },
];
const OTHERS: readonly unknown[] = [
  { role: "user", content: null },
  { role: "tool", content: "a" },
  { role: "function", content: "a" },
  { role: "user", content: [] },
  { role: "user", content: "a", name: 1 },
  { role: "user" },
  {},
  null,
  "a",
  [],
];

test("what is plain fits the schema", () => {
  const dice = makeDice(58);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(dice() * items.length)];
  const plain = Array.from({ length: REQUESTS }, () => {
    const messages = Array.from({ length: Math.floor(dice() * 4) }, () =>
      pick(dice() < 0.9 ? PLAIN : OTHERS),
    );
    const body: Record<string, unknown> = { model: "m", messages };
    for (let count = Math.floor(dice() * 4); count > 0; count--) body[pick(FIELDS) ?? ""] = pick(VALUES);
    return body;
  }).filter(isPlainRequest);
  expect(plain.filter((body) => !Value.Check(chatRequestSchema, body))).toEqual([]);
  expect(plain.length).toBeGreaterThan(REQUESTS / 20);
});

test.each([
  ["a number out of range", { temperature: 3 }],
  ["a count that isn't whole", { max_tokens: 1.5 }],
  ["an empty model", { model: "" }],
  ["no message", { messages: [] }],
  ["a word of a list", { reasoning_effort: "low" }],
  ["parts", { messages: [{ role: "user", content: [{ type: "text", text: "a" }] }] }],
])("a request isn't plain with %s", (_, change) => {
  const plain = { model: "m", messages: [{ role: "user", content: "a" }], temperature: 1 };
  expect([isPlainRequest(plain), isPlainRequest({ ...plain, ...change })]).toEqual([true, false]);
});
