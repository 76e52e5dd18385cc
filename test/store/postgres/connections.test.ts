// Connections to a server that has none left: asking for many at once would take the next ones from those who could use them.
import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { Connections } from "../../../src/store/postgres/connections.ts";
import { Dialer } from "../../../src/store/postgres/dialer.ts";
import type { Session, SessionOptions } from "../../../src/store/postgres/session.ts";

const MAX = 10;
const WITHIN_MS = 10_000;
const PAUSE_MS = 20;

/** PostgreSQL's answers to a client that connects. */
const FULL = makeMessage("E", "SFATAL\0C53300\0Msorry, too many clients already\0\0");
const READY = Buffer.concat([makeMessage("R", "\0\0\0\0"), makeMessage("Z", "I")]);

function makeMessage(kind: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + text.length);
  return Buffer.concat([Buffer.from(kind), length, Buffer.from(text)]);
}

const seen = { isFull: true, open: 0, most: 0 };
const server = createServer((socket) => {
  seen.open++;
  seen.most = Math.max(seen.most, seen.open);
  socket.on("error", () => {});
  socket.on("close", () => {
    seen.open--;
  });
  socket.once("data", () => {
    if (seen.isFull) setTimeout(() => socket.end(FULL), PAUSE_MS);
    else socket.write(READY);
  });
});
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;
const connections = new Connections({
  dialer: new Dialer({ url: `postgres://postgres@127.0.0.1:${port}/any` }),
  options: () => ({ settings: {} }),
  max: MAX,
});
afterAll(async () => {
  await connections.close(0);
  server.close();
});

function takeAll() {
  return Promise.allSettled(Array.from({ length: MAX }, () => connections.take(WITHIN_MS)));
}

test("a server that refuses is asked for one connection at a time, and for all that are waited for once it has one", async () => {
  expect((await takeAll()).map(({ status }) => status)).toEqual(
    Array.from({ length: MAX }, () => "rejected"),
  );
  seen.most = 0;
  await takeAll();
  expect(seen.most).toBe(1);
  seen.isFull = false;
  expect((await takeAll()).map(({ status }) => status)).toEqual(
    Array.from({ length: MAX }, () => "fulfilled"),
  );
  expect(seen.most).toBe(MAX);
});

class CountingDialer extends Dialer {
  opened = 0;

  override open(options: SessionOptions): Promise<Session> {
    this.opened++;
    return super.open(options);
  }
}

test("a burst of short uses is served by the connection that is open, and more are opened for longer ones", async () => {
  const dialer = new CountingDialer({ url: `postgres://postgres@127.0.0.1:${port}/any` });
  const few = new Connections({ dialer, options: () => ({ settings: {} }), max: MAX });
  few.give(await few.take(WITHIN_MS));
  const short = async () => few.give(await few.take(WITHIN_MS));
  await Promise.all(Array.from({ length: MAX }, short));
  expect(dialer.opened).toBe(1);
  const held = await Promise.all(Array.from({ length: MAX }, () => few.take(WITHIN_MS)));
  expect(dialer.opened).toBe(MAX);
  for (const session of held) few.give(session);
  await few.close(0);
});
