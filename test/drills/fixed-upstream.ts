// A provider whose answers always arrive in one piece, since an answer in more pieces takes more objects.

const USAGE = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const TEXT = "Hello! I am a model, and I can help you with many things.";

function makeChunk(delta: object, reason: string | null = null): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
}

const ANSWERS = {
  chat: JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
    usage: USAGE,
  }),
  stream: [
    makeChunk({ role: "assistant", content: "" }),
    ...TEXT.split(" ").map((word) => makeChunk({ content: ` ${word}` })),
    makeChunk({}, "stop"),
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: USAGE })}\n\n`,
    "data: [DONE]\n\n",
  ].join(""),
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
      if (request.url.includes("/anthropic/")) return answer(ANSWERS.messages);
      if (text.includes('"stream":true')) return answer(ANSWERS.stream, "text/event-stream");
      return answer(ANSWERS.chat);
    },
  });
}

function answer(text: string, type = "application/json"): Response {
  return new Response(text, { headers: { "content-type": type } });
}
