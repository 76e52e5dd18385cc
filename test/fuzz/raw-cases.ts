// Requests that no library sends: broken lines, headers and chunks, odd targets, several at once, and early closes.
import type { Dice } from "../sim/dice.ts";
import { type Case, CHOICES_MAX } from "./case.ts";
import { mutateBytes } from "./mutate.ts";
import type { Secrets } from "./world.ts";

const CALM = JSON.stringify({ model: "Calm#calm", messages: [{ role: "user", content: "hello" }] });
const METHODS = [
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "get",
  "PRI",
  "X",
  "",
];
const PATHS = [
  "/",
  "/healthz",
  "/v1/models",
  "/v1/chat/completions",
  "/v1/key",
  "/admin/v1/keys",
  "/docs",
  "/openapi.json",
  "/metrics",
  "/console/main.js",
];
const VERSIONS = ["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9", "http/1.1", "", "HTTP/1.1 x"];
const ODD_PATHS = [
  "//",
  "/%",
  "/%ff",
  "/%00",
  "/..%2f",
  "/x\\..\\admin",
  "/./v1/models",
  "*",
  "http://x/y",
  "x",
  "?",
  "/#a",
  "/\u00e9",
  "/v1/models/%23%23",
  "/%E0%A4%A",
  "/a//b",
];
const LENGTHS = ["-1", "0", "1", "99999999999999999999", "0x10", "+5", "5, 5", "", "1e3", "NaN"];
const SIZES = ["5", "0", "ffffffff", "ffffffffffffffffff", "-1", "zz", "", "5;x=y", "0005", " 5"];

function target(dice: Dice): string {
  const path = dice.chance(0.6) ? dice.pick(PATHS) : dice.pick(ODD_PATHS);
  const query = dice.chance(0.2) ? `?${dice.pick(["a=b", "%", "limit=-1", "after=%00", "limit=1e9"])}` : "";
  return dice.chance(0.05) ? path + "a".repeat(10 ** dice.int(2, 5)) : path + query;
}

function oddHeaders(dice: Dice, secrets: Secrets): readonly string[] {
  const makers: readonly (() => string)[] = [
    () => `Host: ${dice.pick(["x", "", "a b", "127.0.0.1:99999", "[::1", "é", "a".repeat(300), "x,y"])}`,
    () =>
      `Authorization: ${dice.pick([`Bearer ${secrets.calm}`, `bearer ${secrets.calm}`, "Bearer", "Basic eDp5", `Bearer ${secrets.calm}x`, "Bearer \x01"])}`,
    () => `Content-Length: ${dice.pick(LENGTHS)}`,
    () =>
      `Transfer-Encoding: ${dice.pick(["chunked", "gzip, chunked", "identity", "chunked, chunked", "xchunked", ""])}`,
    () =>
      `Content-Type: ${dice.pick(["application/json", "application/json; charset=latin1", "text/plain", "", "multipart/form-data"])}`,
    () => `Content-Encoding: ${dice.pick(["gzip", "identity", "br", "x"])}`,
    () => `Expect: ${dice.pick(["100-continue", "x"])}`,
    () => `Connection: ${dice.pick(["close", "keep-alive", "upgrade", "x"])}`,
    () => `Upgrade: ${dice.pick(["websocket", "h2c"])}`,
    () => `X-Request-Id: ${dice.pick(["ok-1", "a b", "x".repeat(200), "\x7f"])}`,
    () => `Origin: ${dice.pick(["null", "http://evil.example", "x"])}`,
    () => `Cookie: ${dice.pick(["poundkey_session=x", "a=b; c", "=", "x".repeat(5000)])}`,
    () => dice.pick(["NoColon", ": no name", "Sp ace: x", "Nul\0: x", " folded: x", "X: a\nY: b", "X:\x0b"]),
    () => `X-${"h".repeat(10 ** dice.int(1, 3))}: ${"v".repeat(10 ** dice.int(1, 5))}`,
  ];
  const many = dice.chance(0.03) ? 400 : dice.int(0, 5);
  return Array.from({ length: many }, () => dice.pick(makers)());
}

function plainHead(secrets: Secrets, length: number | "chunked"): string {
  const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secrets.calm}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
}

function oddChunks(dice: Dice): string {
  const pieces = Array.from({ length: dice.int(1, 5) }, () => {
    const part = CALM.slice(0, dice.int(0, CALM.length));
    const size = dice.chance(0.6) ? part.length.toString(16) : dice.pick(SIZES);
    return `${size}${dice.pick(["\r\n", "\r\n", "\r\n", "\n", "\r"])}${part}\r\n`;
  });
  return pieces.join("") + dice.pick(["0\r\n\r\n", "0\r\n", "", "0\r\nX: y\r\n\r\n"]);
}

type Make = (dice: Dice, secrets: Secrets) => string;

const MAKERS: Readonly<Record<string, Make>> = {
  line: (dice) => {
    const gap = dice.pick([" ", " ", "  ", "\t", ""]);
    return `${dice.pick(METHODS)}${gap}${target(dice)}${gap}${dice.pick(VERSIONS)}${dice.pick(["\r\n", "\n"])}Host: x\r\n\r\n`;
  },
  headers: (dice, secrets) => {
    const lines = ["Host: x", ...oddHeaders(dice, secrets)];
    return `${dice.pick(["GET", "POST", "HEAD"])} ${target(dice)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
  },
  chunks: (dice, secrets) => plainHead(secrets, "chunked") + oddChunks(dice),
  length: (dice, secrets) => plainHead(secrets, dice.int(0, CALM.length * 2)) + CALM,
  pipeline: (dice, secrets) => {
    const one = plainHead(secrets, CALM.length) + CALM;
    const get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    return Array.from({ length: dice.int(2, 30) }, () => dice.pick([one, get, get])).join("");
  },
  bytes: (dice) => Buffer.from(dice.bytes(dice.int(1, 2000))).toString("latin1"),
  bent: (dice, secrets) =>
    mutateBytes(dice, Buffer.from(plainHead(secrets, CALM.length) + CALM, "latin1"), dice.int(1, 6)).toString(
      "latin1",
    ),
};

const NAMES = Object.keys(MAKERS);

export function rawCase(dice: Dice, number: number, secrets: Secrets): Case {
  const name = dice.pick(NAMES);
  const bytes = Buffer.from(MAKERS[name]?.(dice, secrets) ?? "", "latin1");
  const cut = dice.int(0, bytes.length);
  const pieces = dice.chance(0.3) ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes];
  const leavesAfterMs = dice.chance(0.3) ? dice.int(0, 30) : null;
  return {
    number,
    kind: "raw",
    form: "openai",
    says: name,
    pieces,
    leavesAfterMs,
    answer: null,
    choicesMax: CHOICES_MAX,
    isHurried: false,
  };
}
