// Rows of bytes on a TCP connection that no client library sends: odd hosts, framing, paths and headers.

import { asking } from "../../whole/world/world.ts";
import { BODY_LIMIT } from "./bad-requests.ts";
import { chunked, head } from "./raw.ts";

export interface RawRow {
  readonly name: string;
  /** `{auth}` is replaced by the header with a live key, `{host}` by the right Host header. */
  readonly bytes: string;
  /** Any of these. 0 if the connection is closed without an answer. */
  readonly status: readonly number[];
  /** The error object's code. Not checked if missing. */
  readonly code?: string | null;
  /** Bun itself answers, without a body, before any of our code runs. */
  readonly bare?: true;
  readonly contains?: string;
  readonly lacks?: string;
}

export const HOST = "{host}";
export const AUTH = "{auth}";
export const JSON_TYPE = "content-type: application/json";
export const CLOSE = "connection: close";
const GOOD = JSON.stringify(asking("Local#sim"));
const POST = "POST /v1/chat/completions HTTP/1.1";

export const get = (path: string, ...headers: readonly string[]) =>
  head(`GET ${path} HTTP/1.1`, ...(headers.length > 0 ? headers : [HOST, AUTH, CLOSE]));
const post = (body: string, length: number | string, ...headers: readonly string[]) =>
  head(POST, HOST, AUTH, JSON_TYPE, `content-length: ${length}`, CLOSE, ...headers) + body;
const inChunks = (body: string) =>
  head(POST, HOST, AUTH, JSON_TYPE, "transfer-encoding: chunked", CLOSE) + body;

const HOST_ROWS: readonly RawRow[] = [
  {
    name: "a short host",
    bytes: get("/v1/models", "host: x", AUTH, CLOSE),
    status: [200],
    contains: "Router#best",
  },
  {
    name: "a short host hides the document from nobody",
    bytes: head("GET /openapi.json HTTP/1.1", "Host: x"),
    status: [200],
  },
  {
    name: "a short host doesn't shift the path into the operator's routes",
    bytes: get("/a1/admin/v1/keys", "host: x", "{admin}", CLOSE),
    status: [404],
    code: "unknown_url",
    lacks: "key_",
  },
  {
    name: "… nor out of one route into another",
    bytes: get("/ab/v1/models", "host: x", AUTH, CLOSE),
    status: [404],
    code: "unknown_url",
  },
  {
    name: "an empty host",
    bytes: get("/v1/models", "host:", AUTH, CLOSE),
    status: [400],
    code: "invalid_header",
  },
  {
    name: "a host with a path in it",
    bytes: get("/v1/models", "host: a/..?x=#", AUTH, CLOSE),
    status: [400],
    code: "invalid_header",
  },
  {
    name: "a host with the operator's path in it",
    bytes: get("/", "host: x/admin/v1/keys?", "{admin}", CLOSE),
    status: [400],
    code: "invalid_header",
    lacks: "key_",
  },
  { name: "a host with an at", bytes: get("/v1/models", "host: a@b", AUTH, CLOSE), status: [400] },
  {
    name: "a host of 300 characters",
    bytes: get("/v1/models", `host: ${"a".repeat(300)}`, AUTH, CLOSE),
    status: [400],
  },
  { name: "does not serve", bytes: get("/v1/models", AUTH, CLOSE), status: [400], bare: true },
  { name: "two hosts", bytes: get("/v1/models", HOST, "host: evil.test", AUTH, CLOSE), status: [200, 400] },
  {
    name: "another authority in the request line",
    bytes: get("http://evil.test/v1/models"),
    status: [200],
    contains: "Router#best",
  },
];

const PATH_ROWS: readonly RawRow[] = [
  {
    name: "dot segments don't reach the operator's routes with a gateway key",
    bytes: get("/v1/models/../../admin/v1/keys"),
    status: [401, 404],
    lacks: "key_",
  },
  {
    name: "encoded dot segments",
    bytes: get("/v1/models/%2e%2e/%2e%2e/admin/v1/keys"),
    status: [401, 404],
    lacks: "key_",
  },
  { name: "two slashes", bytes: get("//admin/v1/keys"), status: [401, 404], lacks: "key_" },
  { name: "a backslash", bytes: get("/admin\\v1\\keys"), status: [401, 404], lacks: "key_" },
  { name: "a semicolon", bytes: get("/admin/v1/keys;/v1/models"), status: [401, 404], lacks: "key_" },
  { name: "an encoded slash", bytes: get("/admin%2fv1%2fkeys"), status: [404], code: "unknown_url" },
  { name: "a fragment", bytes: get("/v1/models#/admin"), status: [404], code: "unknown_url" },
  { name: "a star", bytes: head("OPTIONS * HTTP/1.1", HOST, CLOSE), status: [0, 400, 404, 405], bare: true },
  {
    name: "an address of 20,000 characters",
    bytes: get(`/v1/${"x".repeat(20_000)}`),
    status: [404, 414, 431],
    bare: true,
  },
];

const AUTH_ROWS: readonly RawRow[] = [
  {
    name: "two Authorization headers, the first one right",
    bytes: get("/v1/models", HOST, AUTH, "authorization: Bearer sk-wrong", CLOSE),
    status: [400, 401],
  },
  {
    name: "two Authorization headers, the second one right",
    bytes: get("/v1/models", HOST, "authorization: Bearer sk-wrong", AUTH, CLOSE),
    status: [400, 401],
  },
  {
    name: "the right one twice",
    bytes: get("/v1/models", HOST, AUTH, AUTH, CLOSE),
    status: [400, 401],
  },
  {
    name: "a header over two lines",
    bytes: get("/v1/models", HOST, "authorization: Bearer", ` sk-x`, CLOSE),
    status: [400, 401],
    bare: true,
  },
  {
    name: "a control character",
    bytes: get("/v1/models", HOST, "authorization: Bearer \u0001", CLOSE),
    status: [400, 401],
    bare: true,
  },
];

const BODY_ROWS: readonly RawRow[] = [
  { name: "a good request by hand", bytes: post(GOOD, GOOD.length), status: [200], contains: "good day" },
  { name: "a good request in chunks", bytes: inChunks(chunked(GOOD)), status: [200], contains: "good day" },
  {
    name: "a body in chunks beyond the limit",
    bytes: inChunks(chunked(JSON.stringify(asking("Local#sim", "x".repeat(BODY_LIMIT))))),
    status: [413],
    code: "request_too_large",
  },
  {
    name: "a declared length beyond the limit, before any of it came",
    bytes: post("", BODY_LIMIT + 1),
    status: [413],
    code: "request_too_large",
  },
  {
    name: "a declared length beyond all limits",
    bytes: post("", BODY_LIMIT * 100),
    status: [413],
    code: "request_too_large",
  },
  { name: "a length that is too short", bytes: post(GOOD, GOOD.length - 5), status: [400], code: null },
  { name: "a length below zero", bytes: post(GOOD, -1), status: [400], bare: true },
  { name: "a length in hexadecimal", bytes: post(GOOD, "0x10"), status: [400], bare: true },
  { name: "two lengths", bytes: post(GOOD, GOOD.length, "content-length: 3"), status: [400], bare: true },
  {
    name: "a length and chunks",
    bytes: post(chunked(GOOD), GOOD.length, "transfer-encoding: chunked"),
    status: [400],
    bare: true,
  },
  { name: "a chunk of no size", bytes: inChunks(`zz\r\n${GOOD}\r\n0\r\n\r\n`), status: [0, 400], bare: true },
  {
    name: "two content types",
    bytes: post(GOOD, GOOD.length, "content-type: text/plain"),
    status: [400, 415],
  },
  {
    name: "no content type",
    bytes: head(POST, HOST, AUTH, `content-length: ${GOOD.length}`, CLOSE) + GOOD,
    status: [415],
    code: "unsupported_content_type",
  },
  {
    name: "no body and no length",
    bytes: head(POST, HOST, AUTH, JSON_TYPE, CLOSE),
    status: [400],
    code: null,
  },
];

const LINE_ROWS: readonly RawRow[] = [
  {
    name: "an unknown method",
    bytes: head("BREW /v1/models HTTP/1.1", HOST, AUTH, CLOSE),
    status: [0, 400, 404, 405, 501],
    bare: true,
  },
  {
    name: "TRACE",
    bytes: head("TRACE /v1/models HTTP/1.1", HOST, AUTH, CLOSE),
    status: [400, 405],
    lacks: "sk-",
  },
  {
    name: "HTTP/2 without asking",
    bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    status: [0, 400, 505],
    bare: true,
  },
  { name: "TLS", bytes: "\u0016\u0003\u0001\u0002\u0000\u0001", status: [0, 400], bare: true },
  {
    name: "bare line feeds",
    bytes: `GET /v1/models HTTP/1.1\n${HOST}\n\n`,
    status: [0, 400, 505],
    bare: true,
  },
  {
    name: "300 headers",
    bytes: get("/v1/models", HOST, AUTH, CLOSE, ...Array.from({ length: 300 }, (_, at) => `x-${at}: y`)),
    status: [200, 431],
    bare: true,
  },
  {
    name: "an upgrade that we don't know",
    bytes: get("/v1/models", HOST, AUTH, "upgrade: h2c", "connection: upgrade"),
    status: [200],
    contains: "Router#best",
  },
];

export const RAW_ROWS: readonly RawRow[] = [
  ...HOST_ROWS,
  ...PATH_ROWS,
  ...AUTH_ROWS,
  ...BODY_ROWS,
  ...LINE_ROWS,
];
