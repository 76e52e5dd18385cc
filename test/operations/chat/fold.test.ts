// Streams folded into replies and back: the content of a normalised reply survives both ways, in any fragments.
import { describe, expect, test } from "bun:test";
import { Fold, unfold } from "../../../src/operations/chat/answer/fold.ts";
import { normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type {
  ChatChunk,
  ChatReply,
  Delta,
  ReplyChoice,
  ReplyMessage,
} from "../../../src/operations/chat/form.ts";

function folded(chunks: readonly ChatChunk[]): ChatReply {
  const fold = new Fold();
  for (const chunk of chunks) fold.push(chunk);
  return fold.reply();
}

/** One choice of a normalised reply. */
function choice(message: Partial<ReplyMessage>, more: Partial<ReplyChoice> = {}): ReplyChoice {
  const said = { role: "assistant" as const, content: "a", refusal: null, ...message };
  return { index: 0, message: said, finish_reason: "stop", logprobs: null, ...more };
}

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const CALL = { id: "c", type: "function" as const, function: { name: "f", arguments: '{"x":1}' } };
const CALLED = { content: null, tool_calls: [CALL] };

const REPLIES: readonly (readonly [string, ChatReply])[] = [
  ["text", { choices: [choice({})] }],
  ["nothing", { choices: [choice({ content: "" })] }],
  ["usage", { choices: [choice({})], usage: USAGE }],
  ["fields of no standard", { choices: [choice({ x: { y: [1] } }, { z: 2 })], service_tier: "flex" }],
  ["a length", { choices: [choice({}, { finish_reason: "length" })] }],
  ["a refusal", { choices: [choice({ content: null, refusal: "no" })] }],
  [
    "log probabilities",
    { choices: [choice({}, { logprobs: { content: [{ token: "a" }], refusal: null } })] },
  ],
  ["a call", { choices: [choice(CALLED, { finish_reason: "tool_calls" })] }],
  [
    "calls of both kinds, text and a signature",
    {
      choices: [
        choice(
          {
            tool_calls: [
              { ...CALL, extra_content: { google: { thought_signature: "s" } } },
              { id: "d", type: "custom", custom: { name: "g", input: "" } },
            ],
          },
          { finish_reason: "tool_calls" },
        ),
      ],
    },
  ],
  [
    "thinking",
    {
      choices: [
        choice({
          reasoning_content: "hm",
          reasoning_details: [
            { type: "reasoning.text", text: "h", signature: "s", index: 0 },
            { type: "reasoning.text", text: "m", index: 1 },
            { type: "reasoning.encrypted", data: "d", index: 1 },
            { type: "reasoning.summary", summary: "x" },
            { type: "reasoning.summary", summary: "x" },
          ],
        }),
      ],
    },
  ],
  [
    "citations",
    {
      choices: [
        choice({
          annotations: [
            { type: "url_citation", url_citation: { start_index: 0, end_index: 1, url: "u", title: "t" } },
          ],
        }),
      ],
    },
  ],
  [
    "speech and pictures",
    { choices: [choice({ audio: { id: "i", data: "AA", transcript: "t" }, images: [1, 2] })] },
  ],
  [
    "several choices",
    {
      choices: [
        choice({ content: "b" }),
        choice({ content: "c" }, { index: 1, finish_reason: "content_filter" }),
        choice(
          { content: null, tool_calls: [{ ...CALL, id: "d" }] },
          { index: 2, finish_reason: "tool_calls" },
        ),
      ],
      usage: USAGE,
    },
  ],
];

describe("a normalised reply equals its folded chunks", () => {
  for (const [name, reply] of REPLIES) {
    test(name, () => {
      const before = JSON.stringify(reply);
      expect(folded(unfold(reply))).toEqual(reply);
      expect(normaliseReply(reply, { model: "m", n: 4, messages: [] })).toEqual(reply);
      expect(JSON.stringify(reply)).toBe(before);
    });
  }
});

/** The part of the message folded from these deltas that the tests compare. */
function said(...deltas: readonly Delta[]): ReplyMessage | undefined {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const before = JSON.stringify(chunks);
  const { choices } = folded(chunks);
  expect(JSON.stringify(chunks)).toBe(before);
  return choices[0]?.message;
}

test("the role is in a choice's first chunk, also where thinking stands between its texts", () => {
  const message = said({ content: "a" }, { reasoning_content: "hm" }, { content: "b" });
  const chunks = unfold({ choices: [choice({ ...message })] });
  const roles = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.role));
  expect(roles.length).toBeGreaterThan(3);
  expect(roles.indexOf("assistant")).toBe(0);
  expect(roles.lastIndexOf("assistant")).toBe(0);
});

describe("folding fragments", () => {
  test("joins thinking by type and index", () => {
    const text = (index: number, fields: object) => ({ type: "reasoning.text" as const, index, ...fields });
    const message = said(
      { reasoning_details: [text(0, { text: "a" }), text(1, { text: "b" })] },
      { reasoning_details: [{ type: "reasoning.summary", index: 0, summary: "x" }] },
      { reasoning_details: [text(0, { text: "A" }), { type: "reasoning.summary", index: 0, summary: "X" }] },
      { reasoning_details: [text(0, { signature: "s" }), text(1, { text: "B", format: "f" })] },
    );
    expect(message?.reasoning_details).toEqual([
      text(0, { text: "aA", signature: "s" }),
      text(1, { text: "bB", format: "f" }),
      { type: "reasoning.summary", index: 0, summary: "xX" },
    ]);
  });

  test("keeps thinking without an index separate", () => {
    const detail = { type: "reasoning.text" as const, text: "a" };
    expect(said({ reasoning_details: [detail] }, { reasoning_details: [detail, detail] })).toMatchObject({
      reasoning_details: [detail, detail, detail],
    });
  });

  test("joins calls by index and keeps their signatures", () => {
    const message = said(
      { tool_calls: [{ ...CALL, index: 1, extra_content: { a: 1 } }] },
      { tool_calls: [{ ...CALL, id: "d", index: 0, function: { name: "g", arguments: "{" } }] },
      {
        tool_calls: [
          { index: 1, extra_content: { b: 2 } },
          { index: 0, function: { arguments: "}" } },
        ],
      },
    );
    expect(message?.tool_calls).toEqual([
      { ...CALL, id: "d", function: { name: "g", arguments: "{}" } },
      { ...CALL, extra_content: { a: 1, b: 2 } },
    ]);
  });

  test("joins audio, collects pictures and replaces other fields", () => {
    const message = said(
      { audio: { id: "i", data: "A", transcript: "x" }, images: [1], list: [1], fields: { a: 1 }, word: "a" },
      { audio: { data: "B" }, images: [2, 3], list: [2], fields: { b: 2 }, word: "b" },
      { audio: { transcript: "y", expires_at: 5 }, images: [4] },
    );
    expect(message).toMatchObject({
      audio: { id: "i", data: "AB", transcript: "xy", expires_at: 5 },
      images: [1, 2, 3, 4],
      list: [2],
      fields: { a: 1, b: 2 },
      word: "b",
    });
  });
});

/** So large that code that scans or copies the earlier pieces for each one would exceed the test's time limit. */
describe("replies with very many parts", () => {
  const COUNT = 200_000;
  const many = <Part>(part: (at: number) => Part) => Array.from({ length: COUNT }, (_, at) => part(at));

  test("thinking in many blocks", () => {
    const details = many((index) => ({ type: "reasoning.text" as const, text: "a", index }));
    expect(said({ reasoning_details: details })?.reasoning_details).toHaveLength(COUNT);
  });

  test("one block with many fields", () => {
    const details = many((at) => ({ type: "reasoning.text" as const, index: 0, [`field${at}`]: at }));
    expect(Object.keys(said({ reasoning_details: details })?.reasoning_details?.[0] ?? {})).toHaveLength(
      COUNT + 2,
    );
  });

  test("pictures, one by one", () => {
    expect(said(...many((at) => ({ images: [at] })))?.images).toHaveLength(COUNT);
  });

  test("one field with many subfields, one by one", () => {
    const extras = many((at) => ({ x: { [`field${at}`]: at } }));
    expect(said(...extras)?.x).toHaveProperty(`field${COUNT - 1}`);
  });

  test("signatures of a call with many fields, one by one", () => {
    const calls = many((at) => ({ tool_calls: [{ index: 0, extra_content: { [`field${at}`]: at } }] }));
    expect(said(...calls)?.tool_calls?.[0]).toHaveProperty(["extra_content", `field${COUNT - 1}`]);
  });

  test("a million citations at once", () => {
    const place = { start_index: 0, end_index: 1, url: "u", title: "t" };
    const annotation = { type: "url_citation" as const, url_citation: place };
    const annotations = many(() => annotation);
    const five = [annotations, annotations, annotations, annotations, annotations].flat();
    expect(said({ annotations: five })?.annotations).toHaveLength(5 * COUNT);
  });
});
