// Prompts only grow: whatever a client adds to a conversation, by whatever surface, its provider reads what it has read before,
// its own answer, and more at the end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../../../harness/long.ts";
import { readClaude, writeClaude } from "./claude.ts";
import { readResponses, writeResponses } from "./gpt.ts";
import { startGrowing } from "./world.ts";

let world: Awaited<ReturnType<typeof startGrowing>>;
beforeAll(async () => {
  world = await startGrowing();
});
afterAll(() => world.gateway.stop());

test("forty random conversations", async () => {
  expect(await world.play(1, 40)).toEqual([]);
});

const EACH = 250;
const FIRSTS = IS_LONG ? Array.from({ length: 10_000 / EACH }, (_, at) => 1000 + at * EACH) : [];

test.each(FIRSTS)("random conversations from number %d on", async (first) => {
  expect(await world.play(first, EACH)).toEqual([]);
});

const PLAN = { thinks: true, interleaves: false, text: "one", calls: [] };
const USER = { role: "user", content: "ask 1" };

describe("a vendor drops thinking behind a change", () => {
  const body = { model: "claude-opus-5-5", system: "Be brief.", messages: [USER] };
  const answer = { role: "assistant", content: writeClaude(PLAN, body, readClaude(body)) };
  const countDropped = (change: object) =>
    readClaude({ ...body, messages: [USER, answer, USER], ...change }).removed.length;

  test.each([
    ["nothing", {}, 0],
    [
      "a cache mark",
      { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
      0,
    ],
    ["the instructions", { system: "Be long." }, 1],
    ["a tool", { tools: [{ name: "a" }] }, 1],
    ["an earlier message", { messages: [{ ...USER, content: "ask 2" }, answer, USER] }, 1],
    ["words behind a turn", { messages: [USER, { role: "system", content: "Now." }, answer, USER] }, 1],
    ["words at the end", { messages: [USER, answer, USER, { role: "system", content: "Now." }] }, 0],
  ])("Claude: %s", (_what, change, dropped) => {
    expect(countDropped(change)).toBe(dropped);
  });

  test("OpenAI: an earlier item", () => {
    const asked = { model: "gpt-6.2-sol", input: [USER] };
    const output = writeResponses(PLAN, readResponses(asked));
    const countAt = (input: readonly object[]) =>
      readResponses({ ...asked, input: [...input] }).removed.length;
    expect(countAt([USER, ...output, USER])).toBe(0);
    expect(countAt([{ ...USER, content: "ask 2" }, ...output, USER])).toBe(1);
  });
});

describe("Claude refuses a system message", () => {
  const system = { role: "system", content: "Now." };
  const answer = { role: "assistant", content: "one" };

  test.each([
    ["behind a turn of the user's", [USER, system], 0],
    ["before an answer", [USER, system, answer, USER], 0],
    ["at the beginning", [system, USER], 2],
    ["behind an answer", [USER, answer, system, USER], 2],
    ["behind another", [USER, system, system], 2],
    ["with a picture", [USER, { role: "system", content: [{ type: "image" }] }], 1],
  ])("%s", (_where, messages, problems) => {
    expect(readClaude({ messages }).problems).toHaveLength(problems);
  });
});
