// Rows of bad input: malformed bodies, content types, encodings, model names, paths, methods, and the order of checks.
import { expect } from "bun:test";
import { asking } from "../../whole/world/world.ts";
import { CANARY } from "./bad-fields.ts";
import type { Row } from "./row.ts";
import { MOST_STRUCTURE_ROW, STRUCTURE_ROWS } from "./structure.ts";

/** The world's `body_limit`, in bytes. */
export const BODY_LIMIT = 1024 * 1024;

const GOOD = JSON.stringify(asking("Local#sim"));
const TOO_LARGE = JSON.stringify(asking("Local#sim", "x".repeat(BODY_LIMIT)));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
/** The field's value is one level deep in the body. */
const withDepth = (depth: number) =>
  `{"x":${nested(depth - 1)},${JSON.stringify(asking("Anthropic#sim")).slice(1)}`;

const NOT_JSON: Readonly<Record<string, string>> = {
  "an empty body": "",
  null: "null",
  "a list": "[]",
  "a text": `"${CANARY}"`,
  "a number": "1",
  "a cut object": GOOD.slice(0, -1),
  "a trailing comma": `${GOOD.slice(0, -1)},}`,
  "a comment": `/* x */${GOOD}`,
  "single quotes": GOOD.replaceAll('"', "'"),
  NaN: GOOD.replace("{", '{"temperature":NaN,'),
  Infinity: GOOD.replace("{", '{"temperature":Infinity,'),
  "something behind it": `${GOOD}${CANARY}`,
  "two objects": `${GOOD}${GOOD}`,
  "a raw NUL": GOOD.replace("good day", "good\0day"),
  "a raw line break in a text": GOOD.replace("good day", "good\nday"),
  "an unpaired surrogate": GOOD.replace("good day", "\\ud800"),
  "an unpaired surrogate in a field's name": GOOD.replace("{", '{"\\udc00":1,'),
  "65 levels": withDepth(65),
  "100,000 levels": withDepth(100_000),
  "65 levels of objects": `{"x":${'{"a":'.repeat(64)}1${"}".repeat(64)},${GOOD.slice(1)}`,
};

const bodyRows = Object.entries(NOT_JSON).map(
  ([name, body]): Row => ({
    name: `body: ${name}`,
    method: "POST",
    body,
    status: 400,
    code: null,
    param: null,
    json: { error: { type: "invalid_request_error" } },
  }),
);

const TYPES_REFUSED = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonx",
  "application/vnd.api+json",
  "application/json; charset=utf-16",
  "application/json; charset=iso-8859-1",
  "application/json, text/plain",
];

function refuseContent(header: string, value: string, code: string): Row {
  return {
    name: `${header}: ${value}`,
    body: GOOD,
    headers: { [header]: value },
    status: 415,
    code,
    param: null,
  };
}

const typeRows: readonly Row[] = [
  ...TYPES_REFUSED.map((type) => refuseContent("content-type", type, "unsupported_content_type")),
  ...["gzip", "br", "deflate", "GZIP", "identity, gzip"].map((encoding) =>
    refuseContent("content-encoding", encoding, "unsupported_content_encoding"),
  ),
  {
    name: "a body beyond the limit",
    body: TOO_LARGE,
    status: 413,
    code: "request_too_large",
    param: null,
  },
];

const MODEL_NAMES: readonly string[] = [
  `Local${"x".repeat(70)}#${CANARY}`,
  `${"m".repeat(10_000)}${CANARY}`,
  `Nobody#${"x".repeat(10_000)}`,
  "Local#a\r\nx-injected: yes",
  "Local#a b",
  "Nobody#\u{1f600}",
  "../../admin",
  "__proto__",
  "constructor#toString",
  "Router#__proto__",
  "OpenAI#\u2028",
];

const modelRows = MODEL_NAMES.map(
  (model): Row => ({
    name: `model: ${JSON.stringify(model.replaceAll(CANARY, "…").slice(0, 40))}`,
    body: asking(model),
    status: 404,
    code: "model_not_found",
    told: { "x-injected": null },
    check: ({ error }) => expect(String(error?.message).length).toBeLessThan(400),
  }),
);

const PATHS_UNKNOWN: readonly (readonly [string, string])[] = [
  ["GET", "/v1"],
  ["GET", "/v1/nowhere"],
  ["GET", "/v1//models"],
  ["GET", "/V1/models"],
  ["GET", "/v1/Models"],
  ["GET", "/%76%31/models"],
  ["GET", "/v1/keys"],
  ["POST", "/v1/fine_tuning/jobs"],
  ["POST", "/v1/uploads"],
  ["POST", "/v1/chat/completions/x"],
  ["POST", "/v1/chat"],
  ["POST", "/v1/complete"],
  ["GET", "/admin"],
  ["GET", "/admin/v2/keys"],
  ["GET", "/%61dmin/v1/keys"],
  ["GET", `/v1/${"x".repeat(3000)}`],
];

const pathRows: readonly Row[] = [
  ...PATHS_UNKNOWN.map(
    ([method, path]): Row => ({
      name: `${method} ${path.slice(0, 30)}`,
      method,
      path,
      who: "nobody",
      status: 404,
      code: "unknown_url",
      param: null,
      check: ({ error }) => expect(String(error?.message).length).toBeLessThan(300),
    }),
  ),
  {
    name: "GET /v1/responses says that it takes POST",
    path: "/v1/responses",
    who: "nobody",
    status: 405,
    code: "method_not_supported",
  },
  {
    name: "a WebSocket on /v1/responses needs a key",
    path: "/v1/responses",
    headers: { upgrade: "websocket", connection: "upgrade" },
    who: "nobody",
    status: 401,
    contains: [/API key/],
  },
];

const METHODS_WRONG: readonly (readonly [string, string, string])[] = [
  ["GET", "/v1/chat/completions", "POST"],
  ["PUT", "/v1/chat/completions", "POST"],
  ["DELETE", "/chat/completions", "POST"],
  ["PATCH", "/v1/chat/completions", "POST"],
  ["OPTIONS", "/v1/chat/completions", "POST"],
  ["POST", "/v1/models", "GET"],
  ["DELETE", "/v1/models/OpenAI%23gpt-5.4", "GET, POST"],
  ["POST", "/v1/key", "GET"],
  ["POST", "/healthz", "GET"],
  ["DELETE", "/metrics", "GET"],
  ["PUT", "/admin/v1/keys", "GET, POST"],
  ["POST", "/admin/v1/keys/key_1", "GET, PATCH, DELETE"],
];

const methodRows = METHODS_WRONG.map(
  ([method, path, allow]): Row => ({
    name: `${method} ${path}`,
    method,
    path,
    who: "nobody",
    status: 405,
    code: "method_not_supported",
    param: null,
    told: { allow, "access-control-allow-origin": null },
  }),
);

/** Each has two or more errors. The first check in the contract's order decides the answer. */
const ORDER: readonly Row[] = [
  { name: "the path before the key", path: "/v1/nowhere", who: "nobody", status: 404, code: "unknown_url" },
  { name: "the method before the key", path: "/v1/chat/completions", who: "nobody", status: 405 },
  { name: "the key before the size", body: TOO_LARGE, who: "nobody", status: 401, code: null },
  {
    name: "the size before the type",
    body: TOO_LARGE,
    headers: { "content-type": "text/plain" },
    status: 413,
  },
  { name: "the type before the JSON", body: "{", headers: { "content-type": "text/plain" }, status: 415 },
  { name: "the JSON before the bounds", body: '{"temperature":9', status: 400, code: null, param: null },
  {
    name: "the bounds before the model",
    body: asking("Nobody#x", "x", { temperature: 9 }),
    status: 400,
    param: "temperature",
  },
  {
    name: "the bounds before what the key may use",
    who: "restricted",
    body: asking("OpenAI#gpt-5.4", "x", { n: 0 }),
    status: 400,
    param: "n",
  },
  {
    name: "the model before the allowance",
    who: "spent",
    body: asking("Nobody#x"),
    status: 404,
    code: "model_not_found",
  },
  {
    name: "the allowance before the provider",
    who: "spent",
    body: asking("Local#sim"),
    status: 429,
    code: "rate_limit_exceeded",
  },
];

export const BAD_REQUEST_ROWS: readonly Row[] = [
  ...bodyRows,
  ...STRUCTURE_ROWS,
  ...typeRows,
  ...modelRows,
  ...pathRows,
  ...methodRows,
  ...ORDER,
].map((row) => ({ ...row, lacks: ["canary-7QxZ"], calls: 0 }));

/** Odd but valid. */
export const GOOD_REQUEST_ROWS: readonly Row[] = [
  ...["APPLICATION/JSON", "application/json;charset=UTF-8", 'application/json; charset="utf-8"'].map(
    (type): Row => ({
      name: `content-type: ${type}`,
      body: GOOD,
      headers: { "content-type": type },
      status: 200,
    }),
  ),
  {
    name: "content-encoding: identity",
    body: GOOD,
    headers: { "content-encoding": "identity" },
    status: 200,
  },
  { name: "a byte-order mark", body: `\ufeff${GOOD}`, status: 200 },
  { name: "64 levels", body: withDepth(64), status: 200 },
  MOST_STRUCTURE_ROW,
  { name: "white space around", body: `\r\n\t ${GOOD} \n`, status: 200 },
  {
    name: "a whole surrogate pair",
    body: GOOD.replace("good day", "\\ud83d\\ude00"),
    status: 200,
    contains: ["\u{1f600}"],
  },
  { name: "brackets in a text", body: GOOD.replace("good day", "[".repeat(500)), status: 200 },
  {
    name: "an escaped quote before brackets",
    body: GOOD.replace("good day", `\\"${"[{".repeat(99)}\\\\`),
    status: 200,
  },
  {
    name: "NUL in a message",
    body: asking("Local#sim", "say: a\u0000b"),
    status: 200,
    contains: ["a\\u0000b"],
  },
  { name: "HEAD /v1/models", method: "HEAD", path: "/v1/models", status: 200, contains: [/^$/] },
  { name: "a trailing slash", path: "/v1/models/", status: 200 },
  { name: "a query that nobody asked for", path: "/v1/models?x=1&__proto__=2", status: 200 },
];
