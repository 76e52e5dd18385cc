// The grammar of answers, row by row: start, content, one finish per choice, the last usage report once.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { isAnswer, Normaliser } from "../../../src/operations/chat/answer/normalise.ts";
import type {
  ChatChunk,
  ChatRequest,
  ChunkChoice,
  Delta,
  FinishReason,
  Usage,
} from "../../../src/operations/chat/form.ts";

const REQUEST: ChatRequest = { model: "m", n: 4, messages: [{ role: "user", content: "hi" }] };

/** A chunk with one choice. */
function one(delta: Delta, finish: FinishReason | null = null, index = 0, more: JsonObject = {}): ChatChunk {
  return { choices: [{ index, delta, finish_reason: finish, ...more }] };
}

const say = (content: string) => one({ content });
const finish = (reason: FinishReason = "stop", index = 0, more: JsonObject = {}) =>
  one({}, reason, index, more);
const start = (content: string | null, more: Delta = {}, index = 0) =>
  one({ role: "assistant", content, refusal: null, ...more }, null, index);

function usage(prompt: number, completion: number, total = prompt + completion): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total };
}

const fragment = (id: string, input: string) => ({ index: 0, id, function: { name: "f", arguments: input } });
const whole = (id: string, input: string) => ({ ...fragment(id, input), type: "function" as const });
/** A tool call as an upstream sends it, and the start of a choice that it becomes. */
const call = (id: string, input: string, index = 0) =>
  one({ tool_calls: [fragment(id, input)] }, null, index);
const startCall = (id: string, input: string, index = 0) =>
  start(null, { tool_calls: [whole(id, input)] }, index);

type Row = readonly [
  name: string,
  given: readonly ChatChunk[],
  gives: readonly ChatChunk[],
  choiceOffset?: number,
];

const START_ROWS: readonly Row[] = [
  ["text without a role", [say("a"), say("b"), finish()], [start("a"), say("b"), finish()]],
  [
    "a bare start",
    [one({ role: "assistant", content: "" }), say("a"), finish()],
    [start(""), say("a"), finish()],
  ],
  [
    "a role on every chunk",
    [
      one({ role: "assistant", content: "a" }),
      one({ role: "assistant", content: "b" }),
      one({ role: "assistant" }),
      finish(),
    ],
    [start("a"), say("b"), finish()],
  ],
  [
    "null content",
    [one({ role: "assistant", content: null }), one({ content: null }), finish()],
    [start(""), finish()],
  ],
  ["nothing but a finish", [finish()], [start(""), finish()]],
  ["a call comes first", [call("a", "1"), finish("tool_calls")], [startCall("a", "1"), finish("tool_calls")]],
  [
    "a refusal comes first",
    [one({ refusal: "no" }), one({ refusal: "pe" }), finish()],
    [one({ role: "assistant", content: "", refusal: "no" }), one({ refusal: "pe" }), finish()],
  ],
  [
    "thinking comes first",
    [one({ reasoning_content: "hm" }), say("a"), finish()],
    [start("", { reasoning_content: "hm" }), say("a"), finish()],
  ],
  [
    "two choices in turns",
    [
      one({ content: "a" }, null, 1),
      one({ content: "b" }, null, 0),
      one({ content: "c" }, null, 1),
      finish("length", 0),
      finish("stop", 1),
    ],
    [start("a", {}, 1), start("b"), one({ content: "c" }, null, 1), finish("stop", 1), finish("length")],
  ],
  [
    "two choices in one chunk",
    [{ choices: [...say("a").choices, ...one({ content: "b" }, null, 1).choices] }],
    [{ choices: [...start("a").choices, ...start("b", {}, 1).choices] }],
  ],
];

const SAID_ROWS: readonly Row[] = [
  [
    "fields that hold nothing",
    [
      say("a"),
      one({ content: "", refusal: null, reasoning_content: "", annotations: [], tool_calls: [], x: null }),
    ],
    [start("a")],
  ],
  [
    "fields of no standard",
    [one({ content: "a", x: 1 }), one({ x: 0, y: false }), finish()],
    [start("a", { x: 1 }), one({ x: 0, y: false }), finish()],
  ],
  [
    "the fields of a choice",
    [say("a"), one({ content: "b" }, null, 0, { logprobs: { content: [1] } }), finish()],
    [start("a"), one({ content: "b" }, null, 0, { logprobs: { content: [1] } }), finish()],
  ],
  [
    "one id in two choices",
    [call("a", "1"), call("a", "1", 1)],
    [startCall("a", "1"), startCall("call_1_1_0", "1", 1)],
  ],
  [
    "a call without arguments ends before the finish",
    [call("a", ""), finish("tool_calls")],
    [
      startCall("a", ""),
      one({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
      finish("tool_calls"),
    ],
  ],
];

const FINISH_ROWS: readonly Row[] = [
  [
    "a finish with the last text",
    [say("a"), one({ content: "b" }, "stop")],
    [start("a"), say("b"), finish()],
  ],
  ["text after the finish", [say("a"), finish(), say("b")], [start("a"), say("b"), finish()]],
  [
    "a call after the finish",
    [say("a"), finish(), call("a", "1")],
    [start("a"), one({ tool_calls: [whole("a", "1")] }), finish("tool_calls")],
  ],
  [
    "several finishes: the last counts",
    [say("a"), finish("stop"), finish("length"), finish("length")],
    [start("a"), finish("length")],
  ],
  ["no finish is made up", [say("a")], [start("a")]],
  [
    "calls that were finished by a stop",
    [call("a", "1"), finish("stop")],
    [startCall("a", "1"), finish("tool_calls")],
  ],
  ["a finish by calls without any", [say("a"), finish("tool_calls")], [start("a"), finish("stop")]],
  ["calls that were cut off", [call("a", "1"), finish("length")], [startCall("a", "1"), finish("length")]],
  [
    "calls that were filtered",
    [call("a", "1"), finish("content_filter")],
    [startCall("a", "1"), finish("content_filter")],
  ],
  [
    "log probabilities leave once, with their text",
    [say("a"), one({ content: "b" }, "stop", 0, { logprobs: 1 })],
    [start("a"), one({ content: "b" }, null, 0, { logprobs: 1 }), finish("stop", 0, { logprobs: null })],
  ],
  [
    "log probabilities of the finish itself",
    [say("a"), finish("stop", 0, { logprobs: 1 })],
    [start("a"), finish("stop", 0, { logprobs: 1 })],
  ],
  [
    "log probabilities of a finish that text follows",
    [say("a"), finish("stop", 0, { logprobs: 1 }), one({ content: "b", x: 1 })],
    [start("a"), one({ content: "b", x: 1 }), finish("stop", 0, { logprobs: 1 })],
  ],
];

const report = (reported: Usage, more: JsonObject = {}): ChatChunk => ({
  choices: [],
  usage: reported,
  ...more,
});

const REST_ROWS: readonly Row[] = [
  [
    "usage reports replace each other",
    [report(usage(9, 0)), say("a"), report(usage(9, 3)), finish(), report(usage(9, 4))],
    [start("a"), finish(), report(usage(9, 4))],
  ],
  [
    "a total that is none",
    [say("a"), finish(), report(usage(9, 4, 99))],
    [start("a"), finish(), report(usage(9, 4))],
  ],
  [
    "usage beside what is said",
    [{ ...say("a"), usage: usage(9, 1) }, { ...say("b"), usage: usage(9, 2) }, finish()],
    [start("a"), say("b"), finish(), report(usage(9, 2))],
  ],
  [
    "usage before the finish",
    [say("a"), report(usage(9, 1)), finish()],
    [start("a"), finish(), report(usage(9, 1))],
  ],
  [
    "fields of chunks that say nothing leave with the first finish",
    [
      report(usage(9, 1), { x: 1 }),
      say("a"),
      { choices: [], y: 2 },
      finish(),
      { ...finish("stop", 1), z: 3 },
    ],
    [
      start("a"),
      { ...start("", {}, 1), z: 3 },
      { ...finish(), x: 1, y: 2 },
      finish("stop", 1),
      report(usage(9, 1)),
    ],
  ],
  [
    "fields of chunks that say something stay there",
    [
      { ...say("a"), x: 1 },
      { ...say("b"), x: 2 },
      { ...finish(), x: 3 },
    ],
    [
      { ...start("a"), x: 1 },
      { ...say("b"), x: 2 },
      { ...finish(), x: 3 },
    ],
  ],
  [
    "choices of a later call count on",
    [say("a"), say("b"), finish(), call("", "1", 1), report(usage(9, 1))],
    [
      start("a", {}, 2),
      one({ content: "b" }, null, 2),
      startCall("call_1_3_0", "1", 3),
      finish("stop", 2),
      report(usage(9, 1)),
    ],
    2,
  ],
  ["nothing at all", [], []],
];

describe.each([
  ["start", START_ROWS],
  ["what is said", SAID_ROWS],
  ["finish", FINISH_ROWS],
  ["usage and the rest", REST_ROWS],
] as const)("%s", (_, rows) => {
  for (const [name, given, gives, choiceOffset] of rows) {
    test(name, () => {
      const normaliser = new Normaliser(REQUEST, choiceOffset);
      const pushed = given.flatMap((chunk) => normaliser.push([chunk]));
      expect([...pushed, ...normaliser.end()]).toEqual([...gives]);
    });

    test(`${name}, in one batch`, () => {
      const normaliser = new Normaliser(REQUEST, choiceOffset);
      expect([...normaliser.push(given), ...normaliser.end()]).toEqual([...gives]);
    });
  }
});

test("the latest usage report is available before the end", () => {
  const normaliser = new Normaliser(REQUEST);
  expect(normaliser.usage).toBeNull();
  normaliser.push([say("a"), report(usage(9, 1)), report(usage(9, 2))]);
  expect(normaliser.usage).toEqual(usage(9, 2));
});

test("ids of earlier turns are not reused, and ours differ per turn", () => {
  const messages = [...REQUEST.messages, { role: "assistant" as const, tool_calls: [whole("a", "{}")] }];
  const normaliser = new Normaliser({ ...REQUEST, messages });
  const [chunk] = normaliser.push([call("a", "1")]);
  expect(chunk?.choices[0]?.delta.tool_calls?.[0]?.id).toBe("call_2_0_0");
});

describe("pieces that count as an answer", () => {
  const rows: readonly (readonly [string, readonly ChunkChoice[], boolean])[] = [
    ["content", say("a").choices, true],
    ["thinking", one({ reasoning_content: "a" }).choices, true],
    ["its details", one({ reasoning_details: [{ type: "reasoning.encrypted", data: "a" }] }).choices, true],
    ["a refusal", one({ refusal: "no" }).choices, true],
    ["a call", call("a", "").choices, true],
    ["speech", one({ audio: { data: "a" } }).choices, true],
    ["the second choice's", [...start("").choices, ...one({ content: "a" }, null, 1).choices], true],
    ["a bare start", start("").choices, false],
    ["a finish", finish().choices, false],
    ["no choice", [], false],
  ];
  for (const [name, choices, answers] of rows) test(name, () => expect(isAnswer({ choices })).toBe(answers));
});
