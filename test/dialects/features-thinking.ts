// Features of thinking: every effort, thinking beside tools, and thinking sent back with the results, damaged or lost.
import { expect } from "bun:test";
import { asArray, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { type Answer, readCalls, readMessage } from "./asking.ts";
import { answered, type Feature, feature, makes, mentions, says, type Turn, user } from "./feature.ts";
import { makeResults } from "./features-results.ts";
import { TOOLS } from "./features-tools.ts";

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const TASK = 'call weather({"city":"Oslo"}) and call clock({"zone":"CET"})';
export const DONE = mentions("weather → sunny in Oslo", "clock → noon in CET");
const request = { tools: TOOLS, reasoning_effort: "high" };

/** The first turn of a conversation with thinking and two calls. */
export const FIRST = { ...request, messages: [user(TASK)] };

/** Its second turn: the message is sent back with the results of its calls. */
export function second(first: Answer, change: (message: JsonObject) => JsonObject = (message) => message) {
  return { ...request, messages: [user(TASK), change(readMessage(first)), ...makeResults(first)] };
}

const CALLS = makes(["weather", { city: "Oslo" }], ["clock", { zone: "CET" }]);

function conversation(
  name: string,
  change: (message: JsonObject) => JsonObject,
  expects: Turn["expects"],
  more: object = {},
): Feature {
  return {
    name,
    turns: [
      { ask: () => ({ ...FIRST, ...more }), expects: CALLS },
      { ask: ([before]) => (before ? { ...second(before, change), ...more } : {}), expects },
    ],
  };
}

/** Keeps the fields of a message that a client of OpenAI's API knows. */
function plain({ role, content, tool_calls: calls }: JsonObject): JsonObject {
  const kept = asArray(calls).filter(isObject);
  return {
    role,
    content,
    tool_calls: kept.map(({ id, type, function: made }) => ({ id, type, function: made })),
  };
}

const SEALS: ReadonlySet<string> = new Set(["signature", "data", "thought_signature"]);

/** Changes the first letter of every signature. */
function spoilt(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoiltField(name, inner)]));
}

function spoiltField(name: string, value: unknown): unknown {
  if (SEALS.has(name) && typeof value === "string")
    return value.replace(/^(gAAAA)?./, (start) => `${start}x`);
  if (Array.isArray(value)) return value.map((each) => (isObject(each) ? spoilt(each) : each));
  return isObject(value) ? spoilt(value) : value;
}

/** Each provider's message about a signature that isn't its own. */
const SEAL_WORDS =
  /Invalid `signature`|Corrupted thought signature|invalid thought_signature|could not be verified/;

/** OpenRouter's field, without which OpenAI's Responses returns no summary of its thinking. */
const SHOWN = { include_reasoning: true };

const shows: Turn["expects"] = (answer) => {
  CALLS(answer);
  expect(asString(readMessage(answer).reasoning_content)).toStartWith("Thinking about: call weather");
};

export const THINKING_FEATURES: readonly Feature[] = [
  ...EFFORTS.map((effort) =>
    feature(`effort ${effort}`, { messages: [user("say: yes")], reasoning_effort: effort }, says("yes")),
  ),
  feature(
    "effort and a limit",
    { messages: [user("say: yes")], reasoning_effort: "low", max_tokens: 400 },
    answered,
  ),
  feature(
    "effort and a forced call",
    { ...request, messages: [user("hello")], tool_choice: "required" },
    (answer) => {
      answered(answer);
      const [call] = readCalls(answer.reply);
      if (!call) expect(answer.dropped).toContain("tool_choice");
      else expect(call).toMatchObject({ name: "weather", input: { city: "sample" } });
    },
  ),
  feature(
    "effort and a temperature",
    { messages: [user("say: yes")], reasoning_effort: "high", temperature: 0.2, top_p: 0.9 },
    says("yes"),
  ),
  conversation("thinking goes back with the results", (message) => message, DONE),
  conversation("thinking that the client loses", plain, DONE),
  conversation("thinking that was tampered with", spoilt, ({ status, error }) => {
    expect([status, error?.type, error?.message]).toEqual([
      400,
      "invalid_request_error",
      expect.stringMatching(SEAL_WORDS),
    ]);
  }),
  conversation("thinking that was asked for goes back", (message) => message, DONE, SHOWN),
  feature("thinking is shown", FIRST, shows),
  feature("thinking is shown when asked for", { ...FIRST, ...SHOWN }, shows),
];
