// The Mistral dialect: only known fields, ids of nine characters, turns in its order, thinking both ways.
import { describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { CALL_IDS } from "../../../src/dialects/mistral/call-ids.ts";
import { mistral } from "../../../src/dialects/mistral/dialect.ts";
import { readSource } from "../../../src/operations/chat/answer/citations.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { checkMistralRequest } from "../../simulator/mistral-validator.ts";
import {
  BASE,
  catchCode,
  encoded,
  functionTool,
  makeCard,
  readMessage,
  streamed,
  whole,
  writeStream,
} from "./drive.ts";

const card = makeCard("mistral-medium-latest", ["tools", "reasoning", "vision"], 1000);

function sent(request: Partial<ChatRequest>, name = "mistral-medium-latest") {
  const outgoing = encoded(mistral, request, { ...card, name });
  checkMistralRequest(outgoing.body);
  return outgoing;
}

const tools = [functionTool("look")];
const bare = { type: "function" as const, function: { name: "now" } };
const format = { type: "json_schema", json_schema: { name: "a" } } as const;
const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [bare] } } as const;

type Row = readonly [string, Partial<ChatRequest>, JsonObject?, string?];
const ROWS: readonly Row[] = [
  ["limits", { max_completion_tokens: 5000 }, { max_tokens: 1000 }, "max_completion_tokens"],
  ["seed", { seed: 7, n: 2, stop: ["x"] }, { random_seed: 7, n: 2, stop: ["x"], seed: undefined }],
  ["unknown fields", { user: "u", logit_bias: {}, store: true, top_k: 3 }, {}, "user logit_bias store top_k"],
  ["its own fields", { safe_prompt: true }, { safe_prompt: true }],
  [
    "streams",
    { stream: true, stream_options: { include_usage: true } },
    { stream: true, stream_options: undefined },
  ],
  ["temperature", { temperature: 2 }, { temperature: 1.5 }, "temperature"],
  ["greedy", { temperature: 0, top_p: 0.5 }, { temperature: 0, top_p: 1 }, "top_p"],
  ["efforts", { reasoning_effort: "low" }, { reasoning_effort: "high" }, "reasoning_effort"],
  ["no effort", { reasoning_effort: "none" }, { reasoning_effort: "none" }],
  ["forced calls", { tools, tool_choice: "required" }, { tools, tool_choice: "any" }],
  ["allowed tools", { tools: [...tools, bare], tool_choice: allowed }, { tool_choice: "any" }],
  ["a choice of nothing", { tool_choice: "auto" }, { tool_choice: undefined }, "tool_choice"],
  ["a schema left out", { response_format: format }, { response_format: { type: "json_object" } }],
];
describe("requests", () => {
  for (const [name, request, body = {}, dropped = ""] of ROWS) {
    test(name, () => {
      const outgoing = sent(request);
      const fields = Object.fromEntries(Object.keys(body).map((field) => [field, outgoing.body[field]]));
      expect(fields).toEqual(body);
      expect(outgoing.dropped.join(" ")).toBe(dropped);
    });
  }

  test("only allowed tools are sent, and each has parameters", () => {
    const { body } = sent({ tools: [...tools, bare], tool_choice: allowed });
    const parameters = { type: "object", properties: {} };
    expect(body.tools).toEqual([{ type: "function", function: { name: "now", parameters } }]);
  });

  test("magistral gets no effort, and the address is the chat's", () => {
    const outgoing = sent({ reasoning_effort: "high" }, "magistral-medium-latest");
    expect(outgoing).toMatchObject({ url: `${BASE}/chat/completions`, dropped: ["reasoning_effort"] });
  });
});

describe("messages", () => {
  test("ids have nine characters, the same for a call and its result, and are unique per turn", () => {
    const turn = (id: string): ChatMessage[] => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "look", arguments: "" } }],
      },
      { role: "tool", tool_call_id: id, content: "seen" },
    ];
    const hi: ChatMessage = { role: "user", content: "Hi" };
    const { messages } = sent({
      messages: [hi, ...turn("look_0"), hi, ...turn("look_0"), hi, ...turn("abcDEF123")],
    }).body;
    const outgoing = Array.isArray(messages) ? messages.filter(isObject) : [];
    const results = outgoing.filter(({ role }) => role === "tool").map((message) => message.tool_call_id);
    const calls = outgoing.flatMap(({ tool_calls: made }) =>
      Array.isArray(made) ? made.map(({ id }) => id) : [],
    );
    expect(results).toEqual(calls);
    expect(new Set(results).size).toBe(3);
    expect(results[2]).toBe("abcDEF123");
    expect(outgoing[2]).toMatchObject({ role: "tool", name: "look" });
    expect(CALL_IDS.write("look_0", 0)).toBe(String(results[0]));
  });

  test("order, roles and parts follow Mistral's rules", () => {
    const image = { type: "image_url" as const, image_url: { url: "https://x.example/a.png" } };
    const file = {
      type: "file" as const,
      file: { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" },
    };
    const { messages } = sent({
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [{ type: "text", text: "See", cache_control: {} }, image, file],
          name: "ann",
        },
        { role: "assistant", content: "" },
        { role: "assistant", content: "Well", annotations: [] },
        { role: "system", content: "Be kind." },
        { role: "assistant", content: "So" },
      ],
    }).body;
    const document = { type: "document_url", document_url: file.file.file_data, document_name: "a.pdf" };
    expect(messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "See" }, image, document] },
      { role: "assistant", content: "Well" },
      { role: "user", content: "Be kind." },
      { role: "assistant", content: "So", prefix: true },
    ]);
  });

  test("a reference cites the text before it, streamed or whole", () => {
    const parts = [
      { type: "text", text: "Paris" },
      { type: "reference", reference_ids: [2, 5] },
      { type: "text", text: ", France" },
      { type: "reference", reference_ids: ["b"] },
    ];
    const said = { index: 0, message: { role: "assistant", content: parts }, finish_reason: "stop" };
    const reply = readMessage(whole(mistral, { choices: [said] }));
    const places = reply.annotations?.map((one) => [readSource(one).document_id, readSource(one).end_index]);
    expect([reply.content, places]).toEqual([
      "Paris, France",
      [
        ["2", 5],
        ["5", 5],
        ["b", 13],
      ],
    ]);
    const piece = (content: unknown, finish: string | null = null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const events = [
      piece("Par"),
      piece("is"),
      piece(parts.slice(1, 3)),
      piece(parts.slice(3)),
      piece("", "stop"),
    ];
    expect(readMessage(streamed(mistral, writeStream(events)))).toEqual(reply);
  });

  test("thinking is read and sent back over two turns", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true };
    const said = { role: "assistant", content: [thinking, { type: "text", text: "4" }], tool_calls: null };
    const reply = readMessage(
      whole(mistral, { choices: [{ index: 0, message: said, finish_reason: "stop" }] }),
    );
    expect(reply).toMatchObject({ content: "4", reasoning_content: "Hm." });
    const again: ChatMessage[] = [
      { role: "user", content: "2+2" },
      reply,
      { role: "user", content: "Sure?" },
    ];
    const { messages } = sent({ messages: again }).body;
    const { closed: _, ...sentBack } = thinking;
    expect(messages).toMatchObject([{}, { content: [sentBack, { type: "text", text: "4" }] }, {}]);
    const mute = encoded(mistral, { messages: again }, makeCard("ministral", ["tools"])).body.messages;
    expect(mute).toMatchObject([{}, { content: "4" }, {}]);
  });
});

describe("answers", () => {
  const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}) => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
    p: "abc",
    ...more,
  });
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, num_cached_tokens: 4 };

  test("a streamed call arrives complete, with its usage", () => {
    const call = { id: "abcDEF123", function: { name: "look", arguments: "{}" } };
    const reply = streamed(
      mistral,
      writeStream([chunk({ content: "" }), chunk({ tool_calls: [call] }, "tool_calls", { usage }), "[DONE]"]),
    );
    expect<unknown>(readMessage(reply).tool_calls).toEqual([{ ...call, type: "function" }]);
    expect(reply.usage).toMatchObject({ total_tokens: 11, prompt_tokens_details: { cached_tokens: 4 } });
  });

  test("truncated or malformed answers fail", () => {
    expect(catchCode(() => streamed(mistral, writeStream([chunk({ content: "x" }), "[DONE]"])))).toBe(
      "upstream_error",
    );
    expect(catchCode(() => streamed(mistral, writeStream([chunk({}, "error")])))).toBe("upstream_error");
    const busy = {
      object: "error",
      message: "Requests rate limit exceeded",
      type: "rate_limited",
      code: "1300",
    };
    const fault = mistral.explain(429, new Headers({ "retry-after": "3" }), JSON.stringify(busy), 0);
    expect(fault).toMatchObject({ code: "provider_busy", details: { retryAfterMs: 3000 } });
  });
});
