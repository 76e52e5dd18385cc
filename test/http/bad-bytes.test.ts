// Bad input that client libraries can't send: raw bytes over TCP, and bodies that are not UTF-8.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { checkError, formatLine, seen } from "../whole/world/observe.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { BODY_LIMIT } from "./rows/bad-requests.ts";
import { PATH_SPELLING_ROWS } from "./rows/paths.ts";
import { dial, exchange, type RawAnswer } from "./rows/raw.ts";
import { RAW_ROWS, type RawRow } from "./rows/raw-bytes.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld({ server: `body_limit: ${BODY_LIMIT}B` });
});
afterAll(() => world.stop());

function bytesOf({ bytes }: RawRow): string {
  return bytes
    .replaceAll("{auth}", `authorization: Bearer ${world.secret}`)
    .replaceAll("{admin}", `authorization: Bearer ${world.adminToken}`)
    .replaceAll("{host}", `host: ${new URL(world.url).host}`);
}

function check(row: RawRow, { status, headers, body }: RawAnswer): void {
  expect(row.status).toContain(status);
  expect(body).not.toMatch(/\n\s+at |\.ts:\d|sk-/);
  if (row.contains) expect(body).toContain(row.contains);
  if (row.lacks) expect(body).not.toContain(row.lacks);
  if (status < 400 || (row.bare && body === "")) return;
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  const error = asObject(asObject(parseJson(body)).error);
  checkError(error);
  if (row.code !== undefined) expect(error.code).toBe(row.code);
}

describe("bytes", () => {
  test.each([...RAW_ROWS, ...PATH_SPELLING_ROWS].map((row) => [row.name, row] as const))(
    "%s",
    async (_name, row) => {
      world.callsSince();
      const answer = await exchange(world.url, bytesOf(row));
      check(row, answer);
      if (answer.status !== 200) expect(world.callsSince()).toBe(0);
    },
  );
});

const GOOD = JSON.stringify(asking("Local#sim"));
const [BEFORE = "", BEHIND = ""] = GOOD.split("good day");
const between = (...bytes: readonly number[]) =>
  Buffer.concat([Buffer.from(BEFORE), Buffer.from(bytes), Buffer.from(BEHIND)]);

const NOT_UTF8: Readonly<Record<string, Uint8Array>> = {
  "a lone byte": between(0xff),
  "a cut character": between(0xe2, 0x82),
  "an overlong form": between(0xc0, 0xaf),
  "an unpaired surrogate": between(0xed, 0xa0, 0x80),
  "beyond Unicode": between(0xf5, 0x80, 0x80, 0x80),
  "Latin-1": Buffer.from(GOOD.replace("good day", "\u00e9t\u00e9"), "latin1"),
  "UTF-16": Buffer.from(GOOD, "utf16le"),
  "gzip without a word of it": Bun.gzipSync(Buffer.from(GOOD)),
};

test.each(Object.keys(NOT_UTF8))("a body with invalid UTF-8: %s", async (name) => {
  world.callsSince();
  const response = await fetch(`${world.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
    body: Buffer.from(NOT_UTF8[name] ?? []),
  });
  const answer = await seen(response);
  expect(formatLine(answer)).toBe("400 invalid_request_error null");
  expect(answer.error?.param).toBeNull();
  expect(world.callsSince()).toBe(0);
});

test("a connection that ends mid-body leaves nothing behind", async () => {
  world.callsSince();
  const host = new URL(world.url).host;
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${world.secret}\r\n`;
  const bytes = `${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = await dial(world.url);
  socket.once("close", () => resolve());
  socket.end(bytes);
  await promise;
  const after = await world.chat(asking("Local#sim"));
  expect(after.status).toBe(200);
  expect(world.callsSince()).toBe(1);
});

test("pipelined requests are answered in order, until a malformed one", async () => {
  const auth = `authorization: Bearer ${world.secret}`;
  const host = `host: ${new URL(world.url).host}`;
  const one = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n${auth}\r\n\r\n`;
  const last = `GET /healthz HTTP/1.1\r\n${host}\r\nconnection: close\r\n\r\n`;
  const socket = await dial(world.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (part: Buffer) => {
    text += part.toString("latin1");
    if (text.includes('{"status":"ok"}')) resolve(text);
  });
  socket.once("close", () => resolve(text));
  socket.write(one("/v1/nowhere") + one("/v1/models/Router%23best") + last);
  const answered = await promise;
  socket.destroy();
  expect([...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(["404", "200", "200"]);
});
