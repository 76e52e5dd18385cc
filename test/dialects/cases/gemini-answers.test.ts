// Gemini's answers, streamed and whole: parts, finish reasons, usage, sources, and all ways of breaking off.
import { describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import { faultCode, makeCard, makeRequest, part, streamed, whole } from "./gemini-cases.ts";

describe("answers", () => {
  test("text, thoughts, usage in every event, and several finish reasons are read", () => {
    const usage = (candidatesTokenCount: number) => ({
      usageMetadata: {
        promptTokenCount: 5,
        toolUsePromptTokenCount: 2,
        candidatesTokenCount,
        thoughtsTokenCount: 4,
        cachedContentTokenCount: 3,
        totalTokenCount: 0,
      },
    });
    const reply = streamed([
      { ...part([{ text: "Hm", thought: true }]), ...usage(0) },
      { ...part([{ text: "He" }], "MAX_TOKENS"), ...usage(1) },
      { ...part([{ text: "llo" }], "STOP"), ...usage(2) },
      // A report may omit what an earlier one stated.
      { usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } },
    ]);
    const [choice] = reply.choices;
    expect(choice?.message).toMatchObject({ content: "Hello", reasoning_content: "Hm" });
    expect(choice?.finish_reason).toBe("stop");
    expect(reply.usage).toEqual({
      prompt_tokens: 7,
      completion_tokens: 6,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 4 },
    });
  });

  test("a report that is a whole by itself replaces those before it", () => {
    const counts = { promptTokenCount: 87, candidatesTokenCount: 21, totalTokenCount: 108 };
    const reply = streamed([
      { ...part([{ text: "Hello" }]), usageMetadata: counts },
      {
        ...part([], "STOP"),
        usageMetadata: { promptTokenCount: 87, thoughtsTokenCount: 78, totalTokenCount: 165 },
      },
    ]);
    expect(reply.usage).toMatchObject({ prompt_tokens: 87, completion_tokens: 78, total_tokens: 165 });
  });

  const reasons: [string | number, string][] = [
    ["STOP", "stop"],
    [1, "stop"],
    ["A_REASON_FROM_THE_FUTURE", "stop"],
    ["MAX_TOKENS", "length"],
    [2, "length"],
    ["CONTINUATION", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["MODEL_ARMOR", "content_filter"],
    ["OTHER", "upstream_error"],
    ["UNEXPECTED_TOOL_CALL", "upstream_error"],
    ["MALFORMED_FUNCTION_CALL", "upstream_error"],
  ];
  test.each(reasons)("finishReason %j means %s", (finishReason, meaning) => {
    const body = { candidates: [{ content: {}, finishReason }] };
    const run = () => whole(body).choices[0]?.finish_reason;
    expect(meaning === "upstream_error" ? faultCode(run) : run()).toBe(meaning);
  });

  test("a blocked prompt is answered by a refusal", () => {
    const body = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 9 },
    };
    for (const reply of [whole(body), streamed([body])]) {
      expect(reply.choices[0]?.message.content).toBeNull();
      expect(reply.choices[0]?.message.refusal).toContain("PROHIBITED_CONTENT");
      expect(reply.choices[0]?.finish_reason).toBe("content_filter");
      expect(reply.usage?.prompt_tokens).toBe(9);
    }
  });

  test("calls are read with and without ids or arguments, and streamed in pieces", () => {
    const reply = streamed([
      part([
        { functionCall: { name: "now" } },
        { functionCall: { id: "x1", name: "add", args: { a: [1] } } },
      ]),
      part([{ functionCall: { name: "put", willContinue: true } }]),
      part([
        {
          functionCall: {
            partialArgs: [{ jsonPath: "$.to['a b'][1].c", stringValue: "Pa", willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      part([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: "$.to['a b'][1].c", stringValue: "ris" },
              { jsonPath: "$.n", numberValue: 2 },
            ],
            willContinue: true,
          },
        },
      ]),
      part([{ functionCall: {}, thoughtSignature: "sig" }], "STOP"),
    ]);
    const calls = reply.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((each) => asObject(each).function)).toEqual([
      { name: "now", arguments: "{}" },
      { name: "add", arguments: '{"a":[1]}' },
      { name: "put", arguments: '{"to":{"a b":[null,{"c":"Paris"}]},"n":2}' },
    ]);
    expect(calls[1]?.id).toBe("x1");
    expect(calls[2]?.extra_content).toEqual({ google: { thought_signature: "sig" } });
    expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("candidates become choices, each with its own end", () => {
    const bodies = [part([{ text: "a" }], "STOP", 0), part([{ text: "b" }], undefined, 1)];
    expect(faultCode(() => streamed(bodies, 2))).toBe("upstream_error");
    const reply = streamed([...bodies, part([], "MAX_TOKENS", 1)], 2);
    expect(reply.choices.map((each) => [each.message.content, each.finish_reason])).toEqual([
      ["a", "stop"],
      ["b", "length"],
    ]);
  });

  test("an array of events in one body is one answer", () => {
    const reply = whole([part([{ text: "a" }]), part([{ text: "b" }], "STOP")]);
    expect(reply.choices[0]?.message.content).toBe("ab");
  });

  test("citations count characters, not bytes, and unused sources cover the whole text", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://a.test", title: "A" } }, { web: { uri: "https://b.test" } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 6 }, groundingChunkIndices: [0] }],
    };
    const candidate = { content: { parts: [{ text: "é abc" }] }, finishReason: "STOP", groundingMetadata };
    const message = whole({ candidates: [candidate] }).choices[0]?.message;
    expect(message?.annotations?.map((each) => each.url_citation)).toEqual([
      { start_index: 2, end_index: 5, url: "https://a.test", title: "A" },
      { start_index: 0, end_index: 5, url: "https://b.test", title: "https://b.test" },
    ]);
  });

  test.each([
    ["gemini-2.5-flash", 1],
    ["gemini-3.5-flash", 2],
  ])("searches are counted as %s bills them, and sound apart from text", (name, searches) => {
    const groundingMetadata = { webSearchQueries: ["a", "b", "a"] };
    const candidates = [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP", groundingMetadata }];
    const promptTokensDetails = [
      { modality: "TEXT", tokenCount: 3 },
      { modality: "AUDIO", tokenCount: 4 },
    ];
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 1, promptTokensDetails };
    const { usage } = gemini.chat.reply(
      { candidates, usageMetadata },
      makeCard(name),
      makeRequest({}),
      new Headers(),
    );
    expect(usage?.server_tool_use).toEqual({ web_search_requests: searches });
    expect(usage?.prompt_tokens_details).toEqual({ audio_tokens: 4 });
  });

  test("thousands of places in a long text are few citations, and soon found", () => {
    const text = "é".repeat(1_000_000);
    const groundingSupports = Array.from({ length: 20_000 }, (_, at) => ({
      segment: { startIndex: 2 * at, endIndex: 2_000_000 - 2 * at },
      groundingChunkIndices: [0],
    }));
    const source = { uri: `https://a.test/${"a".repeat(1_000_000)}`, title: "b".repeat(1_000_000) };
    const groundingMetadata = { groundingChunks: [{ web: source }], groundingSupports };
    const body = {
      candidates: [{ content: { parts: [{ text }] }, finishReason: "STOP", groundingMetadata }],
    };
    const annotations = whole(body).choices[0]?.message.annotations ?? [];
    expect(annotations).toHaveLength(1000);
    expect(JSON.stringify(annotations).length).toBeLessThan(20_000_000);
    expect(annotations[1]?.url_citation).toMatchObject({ start_index: 1, end_index: 999_999 });
  });

  test("log probabilities and pictures are read", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "é", logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: "e", logProbability: -1 }] }],
    };
    const content = { parts: [{ text: "é" }, { inlineData: { mimeType: "image/png", data: "AA" } }] };
    const body = { candidates: [{ content, finishReason: "STOP", logprobsResult }] };
    const [choice] = gemini.chat.reply(body, makeCard("x"), makeRequest({}), new Headers()).choices;
    expect(choice?.logprobs).toMatchObject({
      content: [
        {
          token: "é",
          logprob: -0.5,
          bytes: [195, 169],
          top_logprobs: [{ token: "e", logprob: -1, bytes: [101] }],
        },
      ],
    });
    expect(choice?.message.images).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
    ]);
  });

  const broken: [string, readonly unknown[], string][] = [
    ["nothing", [], "upstream_error"],
    ["a cut before the finish", [part([{ text: "a" }])], "upstream_error"],
    [
      "a finish that turns out to be none",
      [part([{ text: "a" }], "STOP"), part([], "MALFORMED_FUNCTION_CALL")],
      "upstream_error",
    ],
    [
      "a cut within a call",
      [part([{ functionCall: { name: "f", willContinue: true } }], "STOP")],
      "upstream_error",
    ],
    ["neither candidates nor a block", [{ usageMetadata: { promptTokenCount: 1 } }], "upstream_error"],
    ["no JSON", ["<html>"], "upstream_error"],
    [
      "an unreadable path",
      [part([{ functionCall: { name: "f", partialArgs: [{ jsonPath: "$..", stringValue: "" }] } }], "STOP")],
      "upstream_error",
    ],
    ...["$.a[99]", `$${".a".repeat(100)}`].map((jsonPath): [string, object[], string] => {
      const functionCall = { name: "f", partialArgs: [{ jsonPath, numberValue: 1 }] };
      return [`a path out of bounds: ${jsonPath}`, [part([{ functionCall }], "STOP")], "upstream_error"];
    }),
    [
      "an error in the middle",
      [
        part([{ text: "a" }]),
        { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
      ],
      "provider_busy",
    ],
    [
      "an error in an array",
      [[{ error: { code: 500, message: "Internal", status: "INTERNAL" } }]],
      "upstream_error",
    ],
  ];
  test.each(broken)("a broken stream: %s", (_what, bodies, code) => {
    expect(faultCode(() => streamed(bodies))).toBe(code);
  });

  test("an error in a 200 is an error", () => {
    const body = { error: { code: 429, message: "Resource exhausted", status: "RESOURCE_EXHAUSTED" } };
    expect(faultCode(() => whole(body))).toBe("provider_busy");
  });
});
