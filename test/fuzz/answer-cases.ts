// Valid requests to a hostile provider whose answer is broken in its JSON, events, framing, length or end.
import type { Dice } from "../sim/dice.ts";
import { type Case, makeMark, type Step } from "./case.ts";
import { mutateBytes, mutateJson, oddValue, write } from "./mutate.ts";
import { FUZZED_DIALECTS, RIGHT_ANSWERS, type RightAnswer, streamText } from "./right-answers.ts";
import { PRICED_MODELS, type Secrets, UNLISTED_MODELS } from "./world.ts";

const STATUSES_LIKELY = [200, 200, 200, 200, 200, 400, 404, 413, 422, 429, 500, 503, 529];
const ABSURD = ["1e400", "-1", "1e15", "9007199254740993", "1.5", '"7"', "null", "[]"];
const FLOODS = [
  "\n",
  "\r\n\r\n",
  "data:\n\n",
  ": ping\n\n",
  "data: {}\n\n",
  "event: x\n",
  "x",
  "\0",
  "[",
  '{"a":',
  'data: {"choices":[{"index":0,"delta":{"content":"flood"}}]}\n\n',
];
const FLOOD_BYTES = 8_000_000;
const LONG_WAIT_MS = 300;

function send(text: string | Buffer): Step {
  return { does: "send", bytes: typeof text === "string" ? Buffer.from(text) : text };
}

interface Shape {
  readonly status: number;
  readonly isStream: boolean;
  readonly body: Buffer;
}

function headOf({ status, isStream }: Shape, framing: string): string {
  const type = isStream ? "text/event-stream" : "application/json";
  return `HTTP/1.1 ${status} Said\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n`;
}

function framed(shape: Shape): Step[] {
  return [send(headOf(shape, `content-length: ${shape.body.length}`)), send(shape.body)];
}

function chunk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
}

/** The ways in which a body is sent. */
const WIRES: Readonly<Record<string, (dice: Dice, shape: Shape) => readonly Step[]>> = {
  plain: (_dice, shape) => framed(shape),
  chunks: (dice, shape) => {
    const cut = dice.int(0, shape.body.length);
    const parts = [shape.body.subarray(0, cut), shape.body.subarray(cut)].filter(({ length }) => length > 0);
    return [
      send(headOf(shape, "transfer-encoding: chunked")),
      ...parts.flatMap((part): Step[] => [send(chunk(part)), { does: "wait", ms: dice.int(0, 5) }]),
      send("0\r\n\r\n"),
    ];
  },
  "until close": (_dice, shape) => [
    send(headOf(shape, "connection: close")),
    send(shape.body),
    { does: "close" },
  ],
  "too short": (dice, shape) => [
    send(headOf(shape, `content-length: ${shape.body.length + dice.int(1, 1000)}`)),
    send(shape.body),
    { does: dice.pick(["close", "reset", "hold"]) },
  ],
  "too long": (dice, shape) => [
    send(headOf(shape, `content-length: ${dice.int(0, shape.body.length)}`)),
    send(shape.body),
  ],
  "cut off": (dice, shape) => [
    send(headOf(shape, "transfer-encoding: chunked")),
    send(chunk(shape.body.subarray(0, dice.int(1, shape.body.length)))),
    { does: dice.pick(["close", "reset", "hold"]) },
  ],
  "half a head": (dice, shape) => {
    const head = headOf(shape, `content-length: ${shape.body.length}`);
    return [
      send(head.slice(0, dice.int(0, head.length - 1))),
      { does: dice.pick(["close", "reset", "hold"]) },
    ];
  },
  "bent head": (dice, shape) => [
    send(
      mutateBytes(dice, Buffer.from(headOf(shape, `content-length: ${shape.body.length}`)), dice.int(1, 4)),
    ),
    send(shape.body),
    { does: "close" },
  ],
  "huge head": (dice, shape) => [
    send(headOf(shape, `x-a: ${"a".repeat(10 ** dice.int(2, 6))}\r\ncontent-length: ${shape.body.length}`)),
    send(shape.body),
  ],
  "odd chunks": (dice, shape) => [
    send(headOf(shape, "transfer-encoding: chunked")),
    send(mutateBytes(dice, Buffer.concat([chunk(shape.body), Buffer.from("0\r\n\r\n")]), dice.int(1, 3))),
    { does: dice.pick(["close", "reset"]) },
  ],
  slow: (dice, shape) => [
    send(headOf(shape, "connection: close")),
    send(shape.body.subarray(0, 20)),
    { does: "wait", ms: dice.int(0, LONG_WAIT_MS) },
    send(shape.body.subarray(20)),
    { does: "close" },
  ],
  flood: (dice, shape) => [
    send(headOf(shape, "connection: close")),
    send(shape.body.subarray(0, dice.int(0, shape.body.length))),
    { does: "flood", bytes: Buffer.from(dice.pick(FLOODS).repeat(2000)), bytesMax: FLOOD_BYTES },
    { does: dice.pick(["close", "hold"]) },
  ],
  nothing: (dice) => [{ does: dice.pick(["close", "reset", "hold"]) }],
  "told to go on": (dice, shape) => [
    send(`HTTP/1.1 ${dice.int(100, 103)} x\r\n\r\n`.repeat(dice.int(1, 50))),
    ...framed(shape),
  ],
};
const WIRE_WEIGHTS = {
  plain: 12,
  chunks: 6,
  "until close": 3,
  "too short": 1,
  "too long": 1,
  "cut off": 2,
  "half a head": 1,
  "bent head": 2,
  "huge head": 1,
  "odd chunks": 1,
  slow: 2,
  flood: 1,
  nothing: 1,
  "told to go on": 1,
};

/** The changes to the answer itself. */
const BODIES: Readonly<Record<string, (dice: Dice, right: RightAnswer, isStream: boolean) => Buffer>> = {
  right: (_dice, right, isStream) => textOf(right, isStream, write),
  structure: (dice, right, isStream) =>
    textOf(right, isStream, (data) => write(mutateJson(dice, data, dice.int(0, 2)))),
  bytes: (dice, right, isStream) => mutateBytes(dice, textOf(right, isStream, write), dice.int(1, 6)),
  odd: (dice, _right, isStream) =>
    Buffer.from(isStream ? `data: ${write(oddValue(dice))}\n\n` : write(oddValue(dice))),
  usage: (dice, right, isStream) =>
    textOf(right, isStream, (data) =>
      write(data).replace(/("\w*[tT]okens?\w*":)\d+/g, (_all, name) => name + dice.pick(ABSURD)),
    ),
  many: (dice, right, isStream) =>
    textOf(right, isStream, (data) => repeatedLists(write(data), 10 ** dice.int(1, 4))),
  error: (dice) =>
    Buffer.from(
      write({
        error: mutateJson(dice, { message: "no", type: "x", code: "y", param: "model" }, dice.int(0, 3)),
      }),
    ),
  events: (dice, right) => {
    const events = Array.from({ length: dice.int(0, 12) }, () => dice.pick(right.events));
    return Buffer.from(streamText({ ...right, events, hasDone: dice.chance(0.5) }, write));
  },
  joined: (dice, right) =>
    Buffer.from(
      streamText(right, write).replaceAll("\n\n", dice.pick(["\n", "\r", "\r\n\r\n", "\n\n\n\n", ""])),
    ),
  giant: (dice, right, isStream) =>
    textOf(right, isStream, (data) => write(data).replace("cat", "cat ".repeat(10 ** dice.int(3, 6)))),
};
const BODY_WEIGHTS = {
  right: 3,
  structure: 8,
  bytes: 5,
  odd: 2,
  usage: 3,
  many: 1,
  error: 3,
  events: 3,
  joined: 2,
  giant: 0.4,
};

function textOf(right: RightAnswer, isStream: boolean, writer: (data: unknown) => string): Buffer {
  return Buffer.from(isStream ? streamText(right, writer) : writer(right.whole));
}

/** Repeats the first object of the first list of objects. */
function repeatedLists(text: string, times: number): string {
  const start = text.indexOf("[{");
  const end = text.lastIndexOf("}]");
  if (start === -1 || end === -1) return text;
  const inside = text.slice(start + 1, end + 1);
  return `${text.slice(0, start + 1)}${`${inside},`.repeat(times)}${text.slice(start + 1)}`;
}

function statusOf(dice: Dice): number {
  if (dice.chance(0.03)) return dice.pick([401, 402, 403]);
  return dice.chance(0.1) ? dice.int(100, 599) : dice.pick(STATUSES_LIKELY);
}

export function answerCase(dice: Dice, number: number, secrets: Secrets): Case {
  const dialect = dice.pick(FUZZED_DIALECTS);
  const asksStream = dice.chance(0.5);
  const isStream = dice.chance(0.9) ? asksStream : !asksStream;
  const bodyName = dice.weighted(BODY_WEIGHTS);
  const wireName = dice.weighted(WIRE_WEIGHTS);
  const body = BODIES[bodyName]?.(dice, RIGHT_ANSWERS[dialect], isStream) ?? Buffer.alloc(0);
  const answer = WIRES[wireName]?.(dice, { status: statusOf(dice), isStream, body }) ?? [];
  const isPaid = dice.chance(0.3);
  const choicesMax = dice.chance(0.1) ? dice.int(2, 4) : 1;
  const model = isPaid ? `p${number % PRICED_MODELS}` : `m${number % UNLISTED_MODELS}`;
  const asked = Buffer.from(
    JSON.stringify({
      model: `Hostile-${dialect}#${model}`,
      messages: [{ role: "user", content: `say ${makeMark(number)}` }],
      stream: asksStream,
      ...(asksStream && dice.chance(0.5) ? { stream_options: { include_usage: true } } : {}),
      ...(choicesMax > 1 ? { n: choicesMax } : {}),
      max_tokens: 100,
    }),
  );
  const secret = isPaid ? secrets.paid : secrets.free;
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${asked.length}\r\n\r\n`;
  const leavesAfterMs = dice.chance(0.05) ? dice.int(0, 60) : null;
  const says = `${dialect}, ${asksStream ? "streamed" : "whole"}: ${bodyName}, ${wireName}`;
  return {
    number,
    kind: "answer",
    form: "openai",
    says,
    pieces: [Buffer.concat([Buffer.from(head), asked])],
    leavesAfterMs,
    answer,
    choicesMax,
    isHurried: false,
  };
}
