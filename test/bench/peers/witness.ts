// The cost of grading an answer as it passes: `bun test/bench/peers/witness.ts`.
import type { ChatChunk, ChatRequest } from "../../../src/operations/chat/form.ts";
import { Grader } from "../../../src/operations/chat/grader.ts";

const ROUNDS = 5000;
const PIECE_CHARACTERS = 8;
const row = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: "integer" } },
  required: ["a"],
};
const schema = { type: "object", properties: { rows: { type: "array", items: row } }, required: ["rows"] };
const text = JSON.stringify({ rows: Array.from({ length: 60 }, (_, at) => ({ a: `word ${at}`, b: at })) });

const plain: ChatRequest = { model: "Router#best", messages: [{ role: "user", content: "Hi" }] };
const asked: ChatRequest = {
  ...plain,
  response_format: { type: "json_schema", json_schema: { name: "rows", schema } },
};

function listChunks(words: string): readonly ChatChunk[] {
  const pieces = words.match(new RegExp(`.{1,${PIECE_CHARACTERS}}`, "g")) ?? [];
  const chunk = (content: string, isLast: boolean): ChatChunk => ({
    choices: [{ index: 0, delta: { content }, finish_reason: isLast ? "stop" : null }],
  });
  return pieces.map((piece, at) => chunk(piece, at === pieces.length - 1));
}

function microseconds(request: ChatRequest, chunks: readonly ChatChunk[]): number {
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const grader = new Grader(request);
    for (const chunk of chunks) grader.add([chunk]);
    if (grader.signal(10) !== null) throw new Error("The answer is sound.");
  }
  return ((performance.now() - started) / ROUNDS) * 1000;
}

const chunks = listChunks(text);
for (const [what, request] of [["in words", plain] as const, ["of a schema", asked] as const]) {
  microseconds(request, chunks);
  const spent = microseconds(request, chunks).toFixed(1);
  console.log(`an answer ${what}, ${chunks.length} chunks, ${text.length} characters: ${spent} µs`);
}
