// Histories as no client should send them: each is answered, in an order that its provider takes, and what comes with it isn't
// read without bounds.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { createOperator } from "../world/operator.ts";
import { startGrowing } from "./growing/world.ts";

const CLAUDE = "Anthropic#claude-opus-5-5";
const MODELS = [CLAUDE, "Anthropic#claude-opus-4-7", "OpenAI#gpt-6.2-sol", "Local#some-model"] as const;
const TOOLS = ["look", "find"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
}));
const ONE = { role: "user", content: "ask 1" };
const TWO = { role: "user", content: "ask 2" };
const THREE = { role: "user", content: "ask 3" };
const note = (content: string) => ({ role: "system", content });

let world: Awaited<ReturnType<typeof startGrowing>>;
/** Answers to questions with a forced call, before which the gateway has spoken. */
let first: JsonObject;
let second: JsonObject;

beforeAll(async () => {
  world = await startGrowing();
  world.recorder.plan = { thinks: true, interleaves: false, text: "answer", calls: [] };
  const forced = { tool_choice: "required" };
  first = await answerOf([ONE], forced);
  second = await answerOf([ONE, first, TWO], forced);
});
afterAll(() => world.gateway.stop());
beforeEach(() => {
  world.recorder.plan = { thinks: false, interleaves: false, text: "answer", calls: [] };
});

async function send(
  messages: readonly JsonObject[],
  more: JsonObject = {},
  headers: Record<string, string> = {},
) {
  world.recorder.seen.length = 0;
  const body = { model: CLAUDE, tools: TOOLS, messages, ...more };
  const response = await world.gateway.chat(body, { headers });
  const text = await response.text();
  const calls = world.recorder.seen.map(({ problems, body: sent }) => ({ problems, sent }));
  return { status: response.status, answer: asObject(parseJson(text)), calls, response };
}

async function answerOf(messages: readonly JsonObject[], more: JsonObject): Promise<JsonObject> {
  const { answer } = await send(messages, more);
  return asObject(asObject(asArray(answer.choices)[0]).message);
}

/** Returns the roles of what Claude gets. */
async function listRoles(
  messages: readonly JsonObject[],
  more: JsonObject = {},
): Promise<readonly unknown[]> {
  const { status, calls } = await send(messages, more);
  expect([status, calls.length, calls[0]?.problems]).toEqual([200, 1, []]);
  return asArray(calls[0]?.sent.messages).map((message) => asObject(message).role);
}

const listDetails = (answer: JsonObject) => asArray(answer.reasoning_details).map(asObject);
const CALL = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const CALLING = { role: "assistant", content: null, tool_calls: [CALL] };
const RESULT = { role: "tool", tool_call_id: "c1", content: "result" };

/** Each test makes its own: the answers are there by then. */
const HISTORIES: Readonly<Record<string, () => readonly JsonObject[]>> = {
  "an earlier question that has changed": () => [{ ...ONE, content: "other" }, first, TWO, second, THREE],
  "the first question cut off": () => [first, TWO, second, THREE],
  "the first turn cut off": () => [TWO, second, THREE],
  "turns in another order": () => [TWO, second, ONE, first, THREE],
  "two answers in a row": () => [ONE, first, second, THREE],
  "an answer given twice": () => [ONE, first, TWO, first, THREE],
  "system messages around a turn": () => [ONE, first, note("before"), TWO, note("behind"), second, THREE],
  "system messages on both sides of an answer": () => [ONE, note("a"), first, note("b"), TWO],
  "a system message between a call and its result": () => [ONE, CALLING, note("between"), RESULT],
  "nothing but system messages behind an answer": () => [ONE, first, note("a"), note("b")],
  "words of the gateway's without thinking": () => [
    ONE,
    { ...first, reasoning_details: listDetails(first).slice(1) },
    TWO,
  ],
};

describe.each(Object.entries(HISTORIES))("%s", (_name, make) => {
  test.each(MODELS)("is answered by %s", async (model) => {
    for (const stream of [false, true]) {
      const { status, calls } = await send(make(), { model, stream });
      expect([status, calls.length, calls[0]?.problems]).toEqual([200, 1, []]);
    }
  });
});

test("system messages around a turn are one message behind it, in their order", async () => {
  const { calls } = await send([ONE, note("zero"), first, note("before"), TWO, note("behind")]);
  const messages = asArray(calls[0]?.sent.messages).map(asObject);
  expect(messages.map(({ role }) => role)).toEqual(["user", "system", "assistant", "user", "system"]);
  const late = asArray(messages[4]?.content).map((block) => asObject(block).text);
  expect(late).toEqual(["before", "behind"]);
});

describe("what the gateway has said", () => {
  test("is said before its own answer alone", async () => {
    expect(await listRoles([ONE, first, TWO])).toEqual(["user", "system", "assistant", "user"]);
    const [thought] = listDetails(second);
    const [, entry] = listDetails(first);
    const copied = { ...second, reasoning_details: [thought, entry] };
    expect(await listRoles([ONE, copied, TWO])).toEqual(["user", "assistant", "user"]);
    const { calls } = await send([first, TWO]);
    expect(JSON.stringify(calls[0]?.sent)).not.toContain("In this answer");
  });

  test("is read in 64 entries, even if an answer has a thousand", async () => {
    const [thought, entry] = listDetails(first);
    const junk = Array.from({ length: 999 }, () => ({ ...entry, data: "pk1.bm90aGluZw" }));
    const withEntries = (...details: readonly unknown[]) => ({
      ...first,
      reasoning_details: [thought, ...details],
    });
    const SAID = ["user", "system", "assistant", "user"];
    const UNSAID = ["user", "assistant", "user"];
    expect(await listRoles([ONE, withEntries(entry, ...junk), TWO])).toEqual(SAID);
    expect(await listRoles([ONE, withEntries(...junk.slice(0, 63), entry), TWO])).toEqual(SAID);
    expect(await listRoles([ONE, withEntries(...junk.slice(0, 64), entry), TWO])).toEqual(UNSAID);
    // Those of a later answer count first.
    const later = { ...second, reasoning_details: junk };
    expect(await listRoles([ONE, first, TWO, later, THREE])).toEqual([...UNSAID.slice(0, 2), ...UNSAID]);
    const many = Array.from({ length: 1000 }, () => entry);
    expect(await listRoles([ONE, withEntries(...many), TWO])).toEqual(SAID);
  });
});

test("a session's header of 8 KB is a name like any other, and kept as a digest", async () => {
  const session = "s".repeat(8192);
  const { status, calls, response } = await send([ONE], {}, { "session-id": session });
  expect([status, calls.length]).toEqual([200, 1]);
  const id = response.headers.get("x-request-id");
  const { body } = await createOperator(world.gateway).get(`/requests?q=${id}`);
  expect(asArray(body.data)).toMatchObject([{ session: expect.stringMatching(/^sha256:[0-9a-f]{32}$/) }]);
});
