// A connection behind a port, without a process: when it pings, and what it sends and does at its end.
import { expect, test } from "bun:test";
import { Connection } from "../../../src/http/sockets/connection.ts";
import { SocketMemory } from "../../../src/http/sockets/memory.ts";
import type { SocketPort } from "../../../src/http/sockets/port.ts";

const RULES = {
  isOn: true,
  allMax: 10,
  perAccountMax: 10,
  perKeyMax: 10,
  lanesMax: 2,
  queueMax: 2,
  frameBytesMax: 1000,
  bytesMax: 1000,
  accountBytesMax: 1000,
  memoryBytesMax: 1000,
  ageMs: 60_000,
  idleMs: 60_000,
};

function openConnection() {
  const done: string[] = [];
  const ends: string[] = [];
  const codes: number[] = [];
  const waiting = { bytes: 0 };
  const clock = { ms: 0 };
  const port: SocketPort = {
    send: (text) => done.push(text),
    cork: (send) => send(),
    ping: () => void done.push("ping"),
    // Bun tells of it before this returns.
    close: (code, reason) => {
      done.push(`close ${code}`);
      connection.close(port, code, reason);
    },
    terminate: () => void done.push("terminate"),
    getBufferedAmount: () => waiting.bytes,
  };
  const late: (() => void)[] = [];
  const deadlines = {
    nowMs: () => clock.ms,
    watch: (atMs: number, one: { late(): void }) => {
      late.push(() => one.late());
      return { atMs, clear: () => void late.pop() };
    },
  };
  const ports = {
    deadlines,
    rules: () => RULES,
    parse: JSON.parse,
    makeTurn: () => {
      throw new Error("no turn is made here");
    },
    runTurn: () => Promise.resolve(null),
    onClose: (_connection: Connection, code: number, reason: string) => {
      codes.push(code);
      ends.push(reason);
    },
  };
  const handshake = {
    id: "sock_1",
    keyId: "key_1",
    accountId: "default",
    payer: "default ann",
    request: new Request("http://127.0.0.1/v1/responses", { method: "POST" }),
    address: "127.0.0.1",
  };
  const connection = new Connection(ports, handshake, new SocketMemory(() => RULES).open("default"));
  connection.open(port);
  return { connection, port, done, ends, codes, waiting, clock, late };
}

test("a client is pinged every 30 seconds", () => {
  const { connection, done, clock } = openConnection();
  for (clock.ms = 1000; clock.ms <= 90_000; clock.ms += 1000) connection.keepAlive();
  expect(done).toEqual(["ping", "ping", "ping"]);
});

test("a client that takes nothing for 30 seconds is cut off, and the log says why", () => {
  const { connection, port, done, ends, waiting, late } = openConnection();
  waiting.bytes = 2_000_000;
  expect(connection.send("frame")).toBeInstanceOf(Promise);
  for (const run of late) run();
  connection.close(port, 1006);
  expect([done, ends]).toEqual([["frame", "terminate"], ["slow_client"]]);
});

test.each([
  ["Received invalid UTF-8", 1007, "invalid_frame"],
  ["Received unexpected RSV1 bit", 1002, "invalid_frame"],
  ["Received invalid opcode", 1002, "invalid_frame"],
  ["Received too big message", 1009, "frame_too_large"],
  ["", 1006, "client_gone"],
] as const)("an end with Bun's words '%s' has code %d, and the reason %s", (words, code, reason) => {
  const { connection, port, ends, codes } = openConnection();
  connection.close(port, 1006, words);
  expect([codes, ends]).toEqual([[code], [reason]]);
});

test("a hundred frames within a minute that are no requests end it", () => {
  const { connection, port, done, ends } = openConnection();
  for (let count = 0; count < 101; count++) connection.message(port, "{}");
  expect(done.length).toBe(102);
  expect([done.at(-1), ends]).toEqual(["close 1008", ["refused_frames"]]);
});

test("requests that are refused don't", () => {
  const { connection, port, ends } = openConnection();
  for (let count = 0; count < 200; count++)
    connection.message(port, '{"type":"response.create","stream_id":""}');
  expect(ends).toEqual([]);
});
