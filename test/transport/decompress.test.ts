// Compressed answers, which no call asks for: they are read correctly, and no faster than the gateway takes them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { Readable } from "node:stream";
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { upstreamFetch } from "../../src/app/world.ts";
import { startUnderTest } from "../harness/harness.ts";
import { seen } from "../whole/world/observe.ts";

const CODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
};
const TEXT = Array.from({ length: 5000 }, (_, at) => `data: event ${at} é\n\n`).join("");
const BOMB_BYTES = 400_000_000;
/** Without a bound, most rounds take all of it. */
const ROUNDS = 5;
/** The runtime and the pieces under way take 95 to 170 MB; without a bound, the whole bomb. */
const GROWTH_MAX_BYTES = 250_000_000;

/** By path: the encoding and the bytes sent. Sockets are bare, so that a body can be cut off. */
const bodies = new Map<string, readonly [encoding: string, bytes: Buffer, length: number]>();
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (asked) => {
    const path = String(asked).split(" ")[1] ?? "";
    const [encoding = "", bytes = Buffer.alloc(0), length = 0] = bodies.get(path) ?? [];
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${length}\r\n\r\n`);
    socket.end(bytes);
  });
});
let url = "";

function serve(path: string, encoding: string, bytes: Buffer, length = bytes.length): string {
  bodies.set(path, [encoding, bytes, length]);
  return `${url}${path}`;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe.each(Object.keys(CODERS))("%s", (encoding) => {
  const code = CODERS[encoding] ?? ((bytes: Buffer) => bytes);

  test("is decompressed, as a whole and as a stream", async () => {
    const address = serve(`/${encoding}`, encoding, code(Buffer.from(TEXT)));
    const whole = await upstreamFetch(address, {});
    expect([whole.headers.get("content-encoding"), whole.headers.get("content-length")]).toEqual([
      null,
      null,
    ]);
    expect(await whole.text()).toBe(TEXT);
    const pieces: string[] = [];
    for await (const piece of (await upstreamFetch(address, {})).textStream()) pieces.push(piece);
    expect(pieces.join("")).toBe(TEXT);
  });

  test("that is cut off or broken is never whole", async () => {
    const bytes = code(Buffer.from(TEXT));
    const half = bytes.subarray(0, bytes.length / 2);
    const cut = serve(`/${encoding}/cut`, encoding, half, bytes.length);
    const short = serve(`/${encoding}/short`, encoding, half);
    const garbage = serve(`/${encoding}/garbage`, encoding, Buffer.from("no such encoding ".repeat(50)));
    for (const address of [cut, short, garbage])
      expect(await (await upstreamFetch(address, {})).text().catch(() => "rejected")).not.toBe(TEXT);
  });

  test("ends with its reader", async () => {
    const abort = new AbortController();
    const address = serve(`/${encoding}/abort`, encoding, code(Buffer.alloc(5_000_000)));
    const reader = (await upstreamFetch(address, { signal: abort.signal })).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    abort.abort(new Error("over"));
    expect(await reader?.read()).toMatchObject({ done: true });
  });
});

test("one that becomes enormous ends with a fault, and takes little memory", async () => {
  const bomb = await makeBomb();
  bodies.set("/v1/chat/completions", ["br", bomb, bomb.length]);
  const more = `  Bad: { dialect: openai, keys: [k], base_url: "${url}/v1", unlisted_models: true }`;
  const gateway = await startUnderTest({ more });
  try {
    const messages = [{ role: "user", content: "hello" }];
    const before = readPeakBytes();
    for (let at = 0; at < ROUNDS; at++) {
      const { status, error } = await seen(await gateway.chat({ model: `Bad#m${at}`, messages }));
      expect(status).toBe(502);
      expect(error?.message).toStartWith("Bad's answer was incomplete or malformed.");
    }
    expect(readPeakBytes() - before).toBeLessThan(GROWTH_MAX_BYTES);
  } finally {
    await gateway.stop();
  }
}, 300_000);

/** Compressed piece by piece, because a whole one would already be this process's peak. */
async function makeBomb(): Promise<Buffer> {
  const piece = Buffer.alloc(1_000_000, "[],");
  const pieces = Readable.from(Array.from({ length: BOMB_BYTES / piece.length }, () => piece));
  const coder = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const parts: Buffer[] = [];
  for await (const part of pieces.pipe(coder)) parts.push(part);
  return Buffer.concat(parts);
}

/** The most memory that this process has had. */
function readPeakBytes(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}
