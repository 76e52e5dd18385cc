// A plain whole answer is normalised directly, with the same result as by way of a stream.
import { expect, test } from "bun:test";
import { normaliseAsStream, normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type { ChatReply, ChatRequest, FinishReason, ReplyChoice } from "../../../src/operations/chat/form.ts";

const REQUEST: ChatRequest = { model: "m", n: 8, messages: [{ role: "user", content: "?" }] };

const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } } as const;
const CITED = {
  type: "url_citation",
  url_citation: { start_index: 0, end_index: 1, url: "https://a", title: "a" },
};

const MESSAGES: readonly object[] = [
  { content: "text" },
  { content: "" },
  { content: null },
  { content: "text", refusal: undefined },
  { content: "text", refusal: "" },
  { content: "text", refusal: "no" },
  { content: null, refusal: "no" },
  { content: "text", reasoning_content: "thought" },
  { content: "text", annotations: [] },
  { content: "text", annotations: [CITED] },
  { content: "text", tool_calls: [] },
  { content: null, tool_calls: [CALL] },
  { content: "text", audio: { id: "a", data: "AAAA" } },
  { content: "text", vendor: null },
  { content: "text", vendor: { a: 1 } },
];
const CHOICES: readonly object[] = [
  {},
  { index: 3 },
  { finish_reason: "length" },
  { finish_reason: "tool_calls" },
  { finish_reason: "content_filter" },
  { finish_reason: null },
  { logprobs: { content: [{ token: "t" }], refusal: null } },
  { vendor: { a: 1 } },
];
const REST: readonly object[] = [
  {},
  { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 0 } },
  {
    usage: {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 9,
      prompt_tokens_details: { cached_tokens: 1 },
    },
  },
  { service_tier: "default", system_fingerprint: "fp" },
];

function choiceOf(message: object, fields: object): ReplyChoice {
  const said = { role: "assistant" as const, content: null, refusal: null, ...message };
  const finish: FinishReason = "stop";
  return { index: 0, message: said, finish_reason: finish, logprobs: null, ...fields };
}

const replies: readonly ChatReply[] = MESSAGES.flatMap((message) =>
  CHOICES.flatMap((fields) =>
    REST.flatMap((rest): readonly ChatReply[] => {
      const choice = choiceOf(message, fields);
      return [
        { choices: [choice], ...rest },
        { choices: [choice, { ...choice, index: 7 }], ...rest },
        { choices: [], ...rest },
      ];
    }),
  ),
);

test("both paths give the same result for every kind of answer", () => {
  for (const reply of replies) {
    const before = structuredClone(reply);
    expect(normaliseReply(reply, REQUEST)).toEqual(normaliseAsStream(structuredClone(reply), REQUEST));
    expect(reply).toEqual(before);
  }
});

test("stop sequences and shifted choices take the streaming path", () => {
  const reply: ChatReply = { choices: [choiceOf({ content: "one two" }, {})] };
  expect(normaliseReply(reply, REQUEST, 0, [" two"]).choices[0]?.message.content).toBe("one");
  expect(normaliseReply(reply, REQUEST, 2).choices[0]?.index).toBe(2);
});

test("a choice in its normal form stays as it is, and one with its fields in another order is written in theirs", () => {
  const normal = choiceOf({ content: "text" }, {});
  const write = (choice: ReplyChoice) => JSON.stringify(normaliseReply({ choices: [choice] }, REQUEST));
  const choices = [normal];
  expect(normaliseReply({ choices }, REQUEST).choices).toBe(choices);
  expect(write(normal)).toBe(JSON.stringify(normaliseAsStream({ choices }, REQUEST)));
  const { index, message, finish_reason, logprobs } = normal;
  const { role, content, refusal } = message;
  expect(write({ index, finish_reason, message, logprobs })).toBe(write(normal));
  expect(write({ ...normal, message: { content, role, refusal } })).toBe(write(normal));
  expect(normaliseReply({ choices: [{ ...normal, finish_reason: "tool_calls" }] }, REQUEST)).toEqual({
    choices: [normal],
  });
});
