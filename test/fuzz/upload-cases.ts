// Uploads and creations of batches: forms with odd parts, lists of requests with odd elements, ids of nothing, on both forms' routes.
import type { Dice } from "../sim/dice.ts";
import { type Case, CHOICES_MAX } from "./case.ts";
import { mutateBytes, mutateJson, oddValue, write } from "./mutate.ts";
import type { Secrets } from "./world.ts";

const BOUNDARY = "fuzz-boundary";
const NAMES = [
  "file",
  "purpose",
  "expires_after[anchor]",
  "expires_after[seconds]",
  "expires_in_seconds",
  "",
  "x",
  "file[]",
];
const VALUES = ["batch", "user_data", "created_at", "3600", "-1", "1e400", "", "\0", "x".repeat(2000)];
const HEADS = [
  'form-data; name="file"; filename="a.jsonl"',
  'form-data; name="file"; filename="../../a"',
  'form-data; name="file"; filename=""',
  'form-data; name="file"',
  "form-data; name=file; filename*=UTF-8''a%00b",
  "attachment",
  "",
];
const LINE = {
  custom_id: "a",
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "Calm#calm", messages: [{ role: "user", content: "hello" }] },
};
const ORDER = {
  input_file_id: "file-0",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
  metadata: { a: "b" },
  output_expires_after: { anchor: "created_at", seconds: 3600 },
};
const PARAMS = { model: "Calm#calm", max_tokens: 9, messages: [{ role: "user", content: "hello" }] };
const REQUESTS = {
  requests: [
    { custom_id: "a", params: PARAMS },
    { custom_id: "b", params: PARAMS },
  ],
};
const IDS = ["file-0", "file_0", "batch_0", "msgbatch_0", "%00", "..%2f..", "x".repeat(500), "%F0%9F%99%88"];
const READS = [
  "GET /v1/files",
  "DELETE /v1/files",
  "GET /v1/batches",
  "GET /v1/messages/batches",
  "DELETE /v1/messages/batches",
];
const ENDS = ["", "/content", "/cancel", "/results"];
const QUERIES = [
  "",
  "?limit=0",
  "?limit=1e9&after=x",
  "?after_id=%00",
  "?before_id=msgbatch_0",
  "?purpose=x&order=up",
];

interface Sent {
  readonly line: string;
  readonly type: string;
  readonly body: Buffer;
}

function writePart(dice: Dice): Buffer {
  const isFile = dice.chance(0.4);
  const head = isFile ? dice.pick(HEADS) : `form-data; name="${dice.pick(NAMES)}"`;
  const lines = Array.from({ length: dice.int(0, 3) }, () => write(mutateJson(dice, LINE, dice.int(0, 2))));
  const value = isFile ? lines.join(dice.pick(["\n", "\r\n", "\n\n"])) : dice.pick(VALUES);
  return Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${head}\r\n\r\n${value}\r\n`);
}

function upload(dice: Dice): Sent {
  const parts = Array.from({ length: dice.int(0, 5) }, () => writePart(dice));
  const whole = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}${dice.chance(0.9) ? "--" : ""}\r\n`)]);
  const body = dice.chance(0.3) ? mutateBytes(dice, whole, dice.int(1, 5)) : whole;
  return { line: "POST /v1/files", type: `multipart/form-data; boundary=${BOUNDARY}`, body };
}

function create(dice: Dice): Sent {
  const isOpenai = dice.chance(0.4);
  const line = isOpenai ? "POST /v1/batches" : "POST /v1/messages/batches";
  const right = isOpenai ? ORDER : REQUESTS;
  const text = dice.chance(0.1) ? write(oddValue(dice)) : write(mutateJson(dice, right, dice.int(0, 4)));
  const bytes = Buffer.from(text);
  const body = dice.chance(0.3) ? mutateBytes(dice, bytes, dice.int(1, 5)) : bytes;
  return { line, type: "application/json", body };
}

function look(dice: Dice): Sent {
  const path = dice.pick(READS);
  const rest = dice.chance(0.3) ? dice.pick(QUERIES) : `/${dice.pick(IDS)}${dice.pick(ENDS)}`;
  return { line: `${path}${rest}`, type: "application/json", body: Buffer.alloc(0) };
}

export function uploadCase(dice: Dice, number: number, secrets: Secrets): Case {
  const make = { upload, create, look }[dice.weighted({ upload: 4, create: 4, look: 2 })];
  const { line, type, body } = make(dice);
  const isAnthropic = line.includes("/messages/") || dice.chance(0.3);
  const head = [
    `${line} HTTP/1.1`,
    "host: 127.0.0.1",
    "connection: close",
    `authorization: Bearer ${secrets.calm}`,
    `content-type: ${dice.chance(0.95) ? type : "text/plain"}`,
    `content-length: ${body.length}`,
    ...(isAnthropic ? ["anthropic-version: 2023-06-01"] : []),
  ];
  return {
    number,
    kind: "upload",
    form: "openai",
    says: line,
    pieces: [Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body])],
    leavesAfterMs: dice.chance(0.05) ? dice.int(0, 40) : null,
    answer: null,
    choicesMax: CHOICES_MAX,
    isHurried: false,
  };
}
