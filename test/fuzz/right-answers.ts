// A valid answer of each dialect, whole and as events, on which the hostile provider's answers are based.

interface StreamEvent {
  /** The name in an `event:` line. */
  readonly event: string | null;
  readonly data: unknown;
}

export interface RightAnswer {
  readonly whole: unknown;
  readonly events: readonly StreamEvent[];
  /** True if `data: [DONE]` ends its streams. */
  readonly hasDone: boolean;
}

const named = (data: { readonly type: string; readonly [field: string]: unknown }): StreamEvent => ({
  event: data.type,
  data,
});
const plain = (data: unknown): StreamEvent => ({ event: null, data });

const usage = {
  prompt_tokens: 9,
  completion_tokens: 3,
  total_tokens: 12,
  completion_tokens_details: { reasoning_tokens: 1 },
};
const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } };
const chatHead = { id: "c-1", created: 1_700_000_000, model: "m" };
const delta = (one: object, finish: string | null = null) =>
  plain({
    ...chatHead,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: one, finish_reason: finish }],
  });

const chat: RightAnswer = {
  whole: {
    ...chatHead,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "A cat.", tool_calls: [call] },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage,
  },
  events: [
    delta({ role: "assistant", content: "" }),
    delta({ content: "A " }),
    delta({ content: "cat.", reasoning_content: "hm" }),
    delta({ tool_calls: [{ index: 0, ...call }] }),
    delta({}, "stop"),
    plain({ ...chatHead, object: "chat.completion.chunk", choices: [], usage }),
  ],
  hasDone: true,
};

const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };
const anthropic: RightAnswer = {
  whole: {
    ...message,
    content: [
      { type: "text", text: "A cat." },
      { type: "tool_use", id: "t1", name: "look", input: { at: 1 } },
    ],
    stop_reason: "end_turn",
    usage: { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 2 },
  },
  events: [
    named({
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A cat." } }),
    named({ type: "content_block_stop", index: 0 }),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 3 },
    }),
    named({ type: "message_stop" }),
  ],
  hasDone: false,
};

const counted = { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12, thoughtsTokenCount: 1 };
const candidate = (text: string, finish?: string) => ({
  candidates: [
    { index: 0, content: { role: "model", parts: [{ text }] }, ...(finish ? { finishReason: finish } : {}) },
  ],
  usageMetadata: counted,
  modelVersion: "m",
});
const gemini: RightAnswer = {
  whole: candidate("A cat.", "STOP"),
  events: [plain(candidate("A ")), plain(candidate("cat.", "STOP"))],
  hasDone: false,
};

const text = { type: "output_text", text: "A cat.", annotations: [] };
const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [text] };
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  output: [item],
  usage: {
    input_tokens: 9,
    output_tokens: 3,
    total_tokens: 12,
    output_tokens_details: { reasoning_tokens: 1 },
  },
};
const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
const responses: RightAnswer = {
  whole: response,
  events: [
    named({
      type: "response.created",
      response: { ...response, status: "in_progress", output: [], usage: null },
    }),
    named({ type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } }),
    named({ type: "response.content_part.added", ...at, part: { ...text, text: "" } }),
    named({ type: "response.output_text.delta", ...at, delta: "A cat." }),
    named({ type: "response.output_text.done", ...at, text: "A cat." }),
    named({ type: "response.output_item.done", output_index: 0, item }),
    named({ type: "response.completed", response }),
  ],
  hasDone: false,
};

const billed = {
  billed_units: { input_tokens: 9, output_tokens: 3 },
  tokens: { input_tokens: 9, output_tokens: 3 },
};
const cohere: RightAnswer = {
  whole: {
    id: "c-1",
    finish_reason: "COMPLETE",
    message: { role: "assistant", content: [{ type: "text", text: "A cat." }] },
    usage: billed,
  },
  events: [
    named({ type: "message-start", id: "c-1", delta: { message: { role: "assistant" } } }),
    named({
      type: "content-start",
      index: 0,
      delta: { message: { content: { type: "text", text: "" } } },
    }),
    named({ type: "content-delta", index: 0, delta: { message: { content: { text: "A cat." } } } }),
    named({ type: "content-end", index: 0 }),
    named({ type: "message-end", delta: { finish_reason: "COMPLETE", usage: billed } }),
  ],
  hasDone: false,
};

/** By the dialect's name in the configuration. */
export const RIGHT_ANSWERS = { openai: chat, mistral: chat, anthropic, gemini, responses, cohere } as const;
export type FuzzedDialect = keyof typeof RIGHT_ANSWERS;
export const FUZZED_DIALECTS = Object.keys(RIGHT_ANSWERS).filter(
  (name): name is FuzzedDialect => name in RIGHT_ANSWERS,
);

/** The events as a stream's text. `write` makes the JSON. */
export function streamText(answer: RightAnswer, write: (data: unknown) => string): string {
  const lines = answer.events.map(
    ({ event, data }) => `${event ? `event: ${event}\n` : ""}data: ${write(data)}\n\n`,
  );
  return lines.join("") + (answer.hasDone ? "data: [DONE]\n\n" : "");
}
