// Answers that alternate between thinking, text and calls, as each provider that supports it sends them.
import type { JsonObject } from "../../src/core/json/json.ts";
import { findDialect } from "../../src/providers/index.ts";
import type { ChatApi } from "../recorded/load.ts";
import { makeSubject, type Subject } from "../recorded/pipeline.ts";

/** The parts of each, in the form of `order.ts`. */
export const ORDER = ["thinking One.", "text Two.", "call f", "thinking Three.", "call g", "text Four."];

const CALLS = [
  { id: "call_f", name: "f", input: { a: 1 } },
  { id: "call_g", name: "g", input: { b: 2 } },
] as const;
const [F, G] = CALLS;

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "thinking", thinking: "One.", signature: "s1" },
    { type: "text", text: "Two." },
    { type: "tool_use", ...F },
    { type: "thinking", thinking: "Three.", signature: "s2" },
    { type: "tool_use", ...G },
    { type: "text", text: "Four." },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};

const functionCall = ({ id, name, input }: (typeof CALLS)[number]) => ({ id, name, args: input });
const PARTS = [
  { text: "One.", thought: true },
  { text: "Two." },
  { functionCall: functionCall(F), thoughtSignature: "c2ln" },
  { text: "Three.", thought: true },
  { functionCall: functionCall(G) },
  { text: "Four." },
];
const makeCandidate = (parts: readonly JsonObject[], isLast: boolean) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(isLast ? { finishReason: "STOP" } : {}) }],
  ...(isLast ? { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } } : {}),
});

const makeItem = ({ id, name, input }: (typeof CALLS)[number]) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(input),
});
const makeReasoning = (id: string, text: string) => ({
  type: "reasoning",
  id,
  encrypted_content: "e",
  summary: [{ type: "summary_text", text }],
});
const makeMessage = (id: string, text: string) => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const OUTPUT = [
  makeReasoning("rs_1", "One."),
  makeMessage("msg_1", "Two."),
  makeItem(F),
  makeReasoning("rs_2", "Three."),
  makeItem(G),
  makeMessage("msg_2", "Four."),
];
const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: OUTPUT,
  usage: { input_tokens: 1, output_tokens: 2 },
};

const makeToolUse = ({ id, name, input }: (typeof CALLS)[number]) => ({
  toolUse: { toolUseId: id, name, input },
});
const CONVERSE = {
  output: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "One.", signature: "s1" } } },
        { text: "Two." },
        makeToolUse(F),
        { reasoningContent: { reasoningText: { text: "Three.", signature: "s2" } } },
        makeToolUse(G),
        { text: "Four." },
      ],
    },
  },
  stopReason: "tool_use",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
};

const PIECES: Readonly<Record<string, (block: JsonObject) => JsonObject>> = {
  text: ({ text }) => ({ type: "text_delta", text }),
  thinking: ({ thinking }) => ({ type: "thinking_delta", thinking }),
  tool_use: ({ input }) => ({ type: "input_json_delta", partial_json: JSON.stringify(input) }),
};
const EMPTY: Readonly<Record<string, JsonObject>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
};

function listMessageEvents(): readonly JsonObject[] {
  const { content, usage, ...message } = MESSAGE;
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    ...content.flatMap((block, index): readonly JsonObject[] => [
      { type: "content_block_start", index, content_block: { ...block, ...EMPTY[block.type] } },
      { type: "content_block_delta", index, delta: PIECES[block.type]?.(block) },
      ...(block.type === "thinking"
        ? [
            {
              type: "content_block_delta",
              index,
              delta: { type: "signature_delta", signature: block.signature },
            },
          ]
        : []),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

export function writeEvents(events: readonly JsonObject[]): string {
  return events
    .map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");
}

const MODELS: Readonly<Partial<Record<ChatApi, string>>> = {
  "anthropic-messages": "claude-sonnet-4-5",
  "gemini-generateContent": "gemini-3-pro-preview",
  "openai-responses": "gpt-5.2",
  "bedrock-converse": "us.amazon.nova-2-lite-v1:0",
};

export function subject(api: ChatApi, streamed: boolean, body: string): Subject {
  const made = makeSubject({
    id: `${api} ${streamed ? "streamed" : "whole"}`,
    file: "made-up",
    api,
    model: MODELS[api] ?? "m",
    tags: [],
    url: "",
    request: null,
    status: 200,
    headers: new Headers(),
    body,
    frames: null,
    streamed,
  });
  return api === "bedrock-converse" ? { ...made, dialect: findDialect("bedrock") } : made;
}

/** The same turn as sent back to each provider: a response's items without their ids, as nothing is stored. */
export const TURNS: Readonly<Partial<Record<ChatApi, readonly unknown[]>>> = {
  "anthropic-messages": MESSAGE.content,
  "gemini-generateContent": PARTS,
  "openai-responses": [
    makeReasoning("rs_1", "One."),
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Two." }] },
    { type: "function_call", call_id: F.id, name: "f", arguments: JSON.stringify(F.input) },
    makeReasoning("rs_2", "Three."),
    { type: "function_call", call_id: G.id, name: "g", arguments: JSON.stringify(G.input) },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Four." }] },
  ],
  "bedrock-converse": CONVERSE.output.message.content,
};

/** The answers, by provider and form. */
export const INTERLEAVED: readonly Subject[] = [
  subject("anthropic-messages", false, JSON.stringify(MESSAGE)),
  subject("anthropic-messages", true, writeEvents(listMessageEvents())),
  subject("gemini-generateContent", false, JSON.stringify(makeCandidate(PARTS, true))),
  subject(
    "gemini-streamGenerateContent",
    true,
    writeEvents(PARTS.map((part, at) => makeCandidate([part], at === PARTS.length - 1))),
  ),
  subject("openai-responses", false, JSON.stringify(RESPONSE)),
  subject(
    "openai-responses",
    true,
    writeEvents([
      ...OUTPUT.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
      { type: "response.completed", response: RESPONSE },
    ]),
  ),
  subject("bedrock-converse", false, JSON.stringify(CONVERSE)),
];
