// Requests with the known shapes to providers of every dialect, whose answers have the shapes as well.
import type { Dice } from "../sim/dice.ts";
import { type Case, CHOICES_MAX, makeMark, type Step } from "./case.ts";
import { mutateJson, write } from "./mutate.ts";
import { RIGHT_ANSWERS, type RightAnswer, streamText } from "./right-answers.ts";
import { type FormPart, pickShape, type ShapedRequest } from "./shape-requests.ts";
import { makeJsonText } from "./shapes.ts";
import { type Secrets, UNLISTED_MODELS } from "./world.ts";

const BOUNDARY = "fuzz-boundary";
const ANSWER_COUNTS = [1, 1, 2, 200, 5000];
const numbers = (count: number) => Array.from({ length: count }, () => 0.5);

/** Answers of what isn't chat, by path: too many parts, too long vectors. */
const PARTS: Readonly<Record<string, (dice: Dice, count: number) => object>> = {
  "/v1/embeddings": (dice, count) =>
    dice.chance(0.5)
      ? { data: Array.from({ length: count }, (_, index) => ({ index, embedding: numbers(8) })) }
      : { data: [{ index: 0, embedding: numbers(20 * count) }] },
  "/v1/images/generations": (_, count) => ({
    created: 1,
    data: Array.from({ length: count }, () => ({ b64_json: "aGVsbG8=" })),
  }),
  "/v1/rerank": (_, count) => ({
    results: Array.from({ length: count }, (_, index) => ({ index, relevance_score: 0.5 })),
  }),
  "/v1/audio/transcriptions": (_, count) => ({
    text: "hello",
    duration: 1,
    segments: Array.from({ length: count }, (_, id) => ({ id, start: 0, end: 1, text: "a" })),
  }),
  "/v1/moderations": (_, count) => ({
    results: Array.from({ length: count }, () => ({ flagged: false, categories: {}, category_scores: {} })),
  }),
};

function writeForm(parts: readonly FormPart[]): Buffer {
  const pieces = parts.flatMap(({ name, fileName, value }) => {
    const file = fileName === undefined ? "" : `; filename="${fileName}"`;
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function isForm(body: ShapedRequest["body"]): body is readonly FormPart[] {
  return Array.isArray(body);
}

function writeRequest(dice: Dice, { path, body, headers = [] }: ShapedRequest, secret: string): Buffer {
  const changes = dice.chance(0.2) ? dice.int(1, 2) : 0;
  const bytes = isForm(body) ? writeForm(body) : Buffer.from(write(mutateJson(dice, body, changes)));
  const type = isForm(body) ? `multipart/form-data; boundary=${BOUNDARY}` : "application/json";
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: x",
    "connection: close",
    `authorization: Bearer ${secret}`,
    `content-type: ${type}`,
    `content-length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

/** The dialect's right answer, with other arguments in its calls. */
function writeAnswer(dice: Dice, right: RightAnswer, isStream: boolean): string {
  const given = makeJsonText(dice);
  const shape = (data: unknown) =>
    write(data)
      .replaceAll('"arguments":"{\\"at\\":1}"', `"arguments":${JSON.stringify(given)}`)
      .replaceAll('"partial_json":"{\\"at\\":1}"', `"partial_json":${JSON.stringify(given)}`);
  return isStream ? streamText(right, shape) : shape(right.whole);
}

function answerSteps(dice: Dice, right: RightAnswer, path: string): readonly Step[] {
  const parts = PARTS[path] ?? PARTS[dice.pick(Object.keys(PARTS))];
  const how = dice.weighted({ whole: 3, stream: 3, parts: path in PARTS ? 18 : 1 });
  const isStream = how === "stream";
  const text =
    how === "parts" ? write(parts?.(dice, dice.pick(ANSWER_COUNTS))) : writeAnswer(dice, right, isStream);
  const body = Buffer.from(text);
  const type = isStream ? "text/event-stream" : "application/json";
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return [{ does: "send", bytes: Buffer.concat([Buffer.from(head), body]) }];
}

export function shapeCase(dice: Dice, number: number, secrets: Secrets): Case {
  const { dialect, makeRequest } = pickShape(dice);
  const model = `Hostile-${dialect}#s${number % UNLISTED_MODELS}`;
  const request = makeRequest(model, `say ${makeMark(number)}`);
  return {
    number,
    kind: "shape",
    form: "openai",
    says: `${request.path.replace(/models\/[^:]*/, "models/…")} to ${dialect}`,
    pieces: [writeRequest(dice, request, secrets.free)],
    leavesAfterMs: null,
    answer: answerSteps(dice, RIGHT_ANSWERS[dialect], request.path),
    choicesMax: CHOICES_MAX,
    isHurried: false,
  };
}
