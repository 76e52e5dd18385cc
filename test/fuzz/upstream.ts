// The campaign's provider on a raw socket: answers each case as the case demands, and all other requests correctly.

import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { MARK, type Step } from "./case.ts";
import { write } from "./mutate.ts";
import { RIGHT_ANSWERS, streamText } from "./right-answers.ts";

/** Bodies are read to their end. The whole head comes within the first few bytes. */
const HEAD_END = "\r\n\r\n";

export interface HostileUpstream {
  /** The URL for every dialect. */
  readonly url: string;
  /** The number of requests that were read whole. */
  readonly calls: number;
  /** The answers by case number. */
  readonly answers: Map<number, readonly Step[]>;
  stop(): void;
}

export async function startHostileUpstream(): Promise<HostileUpstream> {
  const answers = new Map<number, readonly Step[]>();
  const sockets = new Set<Socket>();
  const count = { calls: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // The gateway often disconnects here.
    socket.on("error", () => {});
    let received = Buffer.alloc(0);
    socket.on("data", (part: Buffer) => {
      received = Buffer.concat([received, part]);
      if (!isWhole(received)) return;
      const mark = MARK.exec(received.toString("latin1"));
      const isStream = received.includes('"stream":true');
      received = Buffer.alloc(0);
      count.calls++;
      void play(socket, (mark && answers.get(Number(mark[1]))) || calm(isStream));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    answers,
    get calls() {
      return count.calls;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function isWhole(received: Buffer): boolean {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return false;
  const head = received.toString("latin1", 0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (/^transfer-encoding: *chunked/im.test(head))
    return received.subarray(-5).toString("latin1") === "0\r\n\r\n";
  return received.length >= end + HEAD_END.length + length;
}

function calm(isStream: boolean): readonly Step[] {
  const body = isStream ? streamText(RIGHT_ANSWERS.openai, write) : write(RIGHT_ANSWERS.openai.whole);
  const type = isStream ? "text/event-stream" : "application/json";
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return [{ does: "send", bytes: Buffer.from(head + body) }];
}

async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if (step.does === "send") socket.write(step.bytes);
    if (step.does === "flood") await flood(socket, step.bytes, step.bytesMax);
    if (step.does === "wait") await Bun.sleep(step.ms);
    if (step.does === "close") socket.end();
    if (step.does === "reset") socket.resetAndDestroy();
  }
}

async function flood(socket: Socket, bytes: Buffer, bytesMax: number): Promise<void> {
  for (let sent = 0; sent < bytesMax && !socket.destroyed; sent += bytes.length) {
    if (socket.write(bytes)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.once("drain", resolve);
    socket.once("close", resolve);
    await promise;
    socket.off("drain", resolve);
    socket.off("close", resolve);
  }
}
