// A provider whose answers always arrive in one piece, since an answer in more pieces takes more objects.

const USAGE = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const TEXT = "Hello! I am a model, and I can help you with many things.";
/** A request with these words gets a stream of many chunks. */
export const LONG_WORDS = "You are a helpful assistant that answers at length.";
const LONG_CHUNKS = 200;

function makeChunk(delta: object, reason: string | null = null): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
}

/** Returns a stream with a chunk for each of the words. */
function writeStream(words: readonly string[]): string {
  return [
    makeChunk({ role: "assistant", content: "" }),
    ...words.map((word) => makeChunk({ content: ` ${word}` })),
    makeChunk({}, "stop"),
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: USAGE })}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

function writeMessageStream(words: readonly string[]): string {
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const usage = { input_tokens: 20, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
  };
  return [
    event("message_start", { message: { ...message, stop_sequence: null, usage } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((word) =>
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: ` ${word}` } }),
    ),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    event("message_stop", {}),
  ].join("");
}

const LONG = Array.from({ length: LONG_CHUNKS }, (_, at) => `word${at}`);

const ANSWERS = {
  chat: JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
    usage: USAGE,
  }),
  stream: writeStream(TEXT.split(" ")),
  longStream: writeStream(LONG),
  longMessage: writeMessageStream(LONG),
  embedding: JSON.stringify({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: Array.from({ length: 8 }, (_, at) => at / 8) }],
    model: "m",
    usage: { prompt_tokens: 5, total_tokens: 5 },
  }),
  messages: JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: TEXT }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 9 },
  }),
};

export function startFixedUpstream() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text();
      const isMessages = request.url.includes("/anthropic/");
      if (text.includes('"stream":true')) return answer(chooseStream(text, isMessages), "text/event-stream");
      if (request.url.endsWith("/embeddings")) return answer(ANSWERS.embedding);
      return answer(isMessages ? ANSWERS.messages : ANSWERS.chat);
    },
  });
}

function chooseStream(text: string, isMessages: boolean): string {
  if (!text.includes(LONG_WORDS)) return ANSWERS.stream;
  return isMessages ? ANSWERS.longMessage : ANSWERS.longStream;
}

function answer(text: string, type = "application/json"): Response {
  return new Response(text, { headers: { "content-type": type } });
}
