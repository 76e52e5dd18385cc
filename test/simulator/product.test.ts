// The simulator as shipped, which answers any body. Only the tests' simulator validates requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator/server.ts";
import { ask, KIT_NAMES, type KitName } from "./asking.ts";
import { type Simulator as StrictSimulator, startSimulator as startStrict } from "./server.ts";

let shipped: Simulator;
let strict: StrictSimulator;
beforeAll(async () => {
  shipped = await startSimulator();
  strict = await startStrict();
});
afterAll(async () => {
  await shipped.stop();
  await strict.stop();
});

/** Malformed bodies, by their defect. */
const TESTS = join(import.meta.dir, "..");

const MALFORMED: readonly (readonly [string, Record<string, unknown>])[] = [
  ["no messages", { messages: undefined, input: undefined, contents: undefined }],
  ["words for lists", { messages: "hi", contents: "hi", tools: "f", input: { a: 1 }, stop: 5 }],
  [
    "lists of the wrong things",
    { messages: [1, null], contents: [1, null], input: [1, null], tools: [null] },
  ],
  ["choices and alternatives without bound", { n: 1e12, logprobs: true, top_logprobs: 1e12 }],
  ["counts below zero", { n: -1, max_tokens: -1, max_output_tokens: -1, max_completion_tokens: -1 }],
];

const CASES = KIT_NAMES.flatMap((name) =>
  MALFORMED.flatMap(([wrong, fields]) =>
    [false, true].map((streamed): [KitName, string, boolean, Record<string, unknown>] => [
      name,
      wrong,
      streamed,
      fields,
    ]),
  ),
);

test.each(CASES)("%s answers a body with %s (streamed: %p)", async (name, _wrong, streamed, fields) => {
  const raw = JSON.stringify({ model: "sim-mini", stream: streamed, ...fields });
  expect((await ask(shipped, name, { raw, streamed })).status).toBe(200);
});

describe.each(KIT_NAMES)("%s", (name) => {
  test("only the tests' simulator refuses an unknown field", async () => {
    const asked = { model: name === "openai" ? "gpt-4o" : "sim-mini", with: { no_such_field: 1 } };
    expect([(await ask(shipped, name, asked)).status, (await ask(strict, name, asked)).status]).toEqual([
      200,
      name === "mistral" ? 422 : 400,
    ]);
  });
});

test("every other test uses the simulator with its validators", () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: "utf8" });
  const starting = files.filter(
    (file) =>
      /^(?!.*node_modules).*\.tsx?$/.test(file) &&
      /import [^;]*\bstartSimulator\b[^;]*src\/simulator\/server\.ts"/.test(
        readFileSync(join(TESTS, file), "utf8"),
      ),
  );
  // Content that the gateway can't read is in blocks and parts that the validators don't know either, and a stranger has rules
  // of its own.
  expect(starting.toSorted()).toEqual([
    "simulator/product.test.ts",
    "simulator/stranger/server.ts",
    "whole/answers/unread.test.ts",
  ]);
});
