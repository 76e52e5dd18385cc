// A provider of every dialect that does as little as possible. The model's name selects an answer that is hostile, or large.
import { RIGHT_ANSWERS } from "../fuzz/right-answers.ts";

const DEPTH = 50_000;
const IMAGES = 500_000;
const CHOICES = 100_000;
const VECTOR_NUMBERS = 1_600_000;
/** As large as each of the hostile answers, in the same order. */
const DEEP_BYTES = 100_000;
const IMAGES_BYTES = 9_500_000;
const CHOICES_BYTES = 9_000_000;
const VECTOR_BYTES = 8_000_000;
const MODEL_BYTES = 400;

function say(content: string, fields: object = {}) {
  const message = { role: "assistant", content, ...fields };
  return {
    id: "c",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
  };
}

function callDeeply() {
  const deep = `{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`;
  const call = { id: "c", type: "function", function: { name: "look", arguments: deep } };
  return say("", { tool_calls: [call] });
}

const converse = {
  output: { message: { role: "assistant", content: [{ text: "A cat." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
  metrics: {},
};
const choice = (index: number) => ({
  index,
  message: { role: "assistant", content: "x".repeat(20) },
  finish_reason: "stop",
});
const vectors = (count: number, numbers: number) => ({
  object: "list",
  model: "m",
  data: Array.from({ length: count }, (_, index) => ({
    object: "embedding",
    index,
    embedding: Array(numbers).fill(0.25),
  })),
  usage: { prompt_tokens: 9, total_tokens: 9 },
});
const images = (count: number, base64: string) => ({
  created: 1_700_000_000,
  data: Array(count).fill({ b64_json: base64 }),
});

/** Written once, because only the gateway's work counts. */
const ANSWERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    deep: callDeeply(),
    // With lines: a text without anything to escape is parsed and written several times as fast.
    "deep-plain": say(`${"word ".repeat(15)}end\n`.repeat(DEEP_BYTES / 80)),
    choices: { ...say(""), choices: Array.from({ length: CHOICES }, (_, index) => choice(index)) },
    "choices-plain": say("x".repeat(CHOICES_BYTES)),
    images: images(IMAGES, "aaaa"),
    "images-plain": images(1, "a".repeat(IMAGES_BYTES)),
    vector: vectors(1, VECTOR_NUMBERS),
    "vector-plain": say("x".repeat(VECTOR_BYTES)),
  }).map(([name, answer]) => [name, JSON.stringify(answer)]),
);

const BY_PATH: readonly (readonly [string, string])[] = [
  [":generateContent", JSON.stringify(RIGHT_ANSWERS.gemini.whole)],
  ["/messages", JSON.stringify(RIGHT_ANSWERS.anthropic.whole)],
  ["/responses", JSON.stringify(RIGHT_ANSWERS.responses.whole)],
  ["/converse", JSON.stringify(converse)],
  ["/embeddings", JSON.stringify(vectors(1, 8))],
  ["/images/generations", JSON.stringify(images(1, "aaaa"))],
  ["/audio/transcriptions", '{"text":"A cat.","language":"en","duration":1,"segments":[]}'],
  ["", JSON.stringify(say("A cat."))],
];

const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: 100_000_000,
  async fetch(request) {
    const body = Buffer.from(await request.arrayBuffer());
    const { pathname } = new URL(request.url);
    const model = /"model":"([a-z-]+?)-\d/.exec(body.toString("latin1", 0, MODEL_BYTES))?.[1];
    const answer = ANSWERS[model ?? ""] ?? BY_PATH.find(([end]) => pathname.endsWith(end))?.[1];
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});
console.log(`listens on http://127.0.0.1:${provider.port}`);
