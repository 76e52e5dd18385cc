// A cheap provider for benchmarks on bare sockets: OpenAI's and Anthropic's dialects, paced as the prompt says.
import type { Socket } from "bun";
import { composeAnswer, type Playing, play } from "../peers/upstream-answers.ts";

/** A request that is being read. */
interface Reading {
  parts: Buffer[];
  size: number;
  /** The total length of head and body. Null until the head is complete. */
  needs: number | null;
}

interface Line {
  readonly reading: Reading;
  /** The bytes that the socket hasn't accepted yet. */
  readonly unsent: Buffer[];
  playing: Playing | null;
}

let open = 0;
let total = 0;

/** Streams by the millisecond at which their next frame is due. */
const due = new Map<number, (() => void)[]>();
let tickedMs = 0;
let ticking = false;

function at(ms: number, run: () => void): void {
  const slot = Math.max(Math.ceil(ms), tickedMs + 1);
  const runs = due.get(slot);
  if (runs) runs.push(run);
  else due.set(slot, [run]);
  if (!ticking) setTimeout(tick, 1);
  ticking = true;
}

function tick(): void {
  const nowMs = Math.floor(performance.now());
  if (due.size < nowMs - tickedMs) {
    const slots = [...due.keys()].filter((slot) => slot <= nowMs).sort((a, b) => a - b);
    tickedMs = nowMs;
    for (const slot of slots) runSlot(slot);
  } else {
    while (tickedMs < nowMs) runSlot(++tickedMs);
  }
  ticking = due.size > 0;
  if (ticking) setTimeout(tick, 1);
}

function runSlot(slot: number): void {
  const runs = due.get(slot);
  if (!runs) return;
  due.delete(slot);
  for (const run of runs) run();
}

function send(socket: Socket<Line>, bytes: Buffer): void {
  const { unsent } = socket.data;
  const sent = unsent.length > 0 ? 0 : socket.write(bytes);
  if (sent < bytes.length) unsent.push(bytes.subarray(Math.max(sent, 0)));
}

function drain(socket: Socket<Line>): void {
  const { unsent } = socket.data;
  while (unsent[0]) {
    const sent = socket.write(unsent[0]);
    if (sent < unsent[0].length) {
      unsent[0] = unsent[0].subarray(Math.max(sent, 0));
      return;
    }
    unsent.shift();
  }
}

const HEAD_END = Buffer.from("\r\n\r\n");
const CHUNKS_END = Buffer.from("\r\n0\r\n\r\n");

/** The length of the request at the start of the bytes, or null until it is known. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.toString("latin1", 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return end + 4 + Number(length);
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return end + 4;
  const last = bytes.indexOf(CHUNKS_END, end + 2);
  return last === -1 ? null : last + CHUNKS_END.length;
}

function take(socket: Socket<Line>, bytes: Buffer): void {
  const { reading } = socket.data;
  reading.parts.push(Buffer.from(bytes));
  reading.size += bytes.length;
  if (reading.needs !== null && reading.size < reading.needs) return;
  let whole = reading.parts.length === 1 ? (reading.parts[0] ?? bytes) : Buffer.concat(reading.parts);
  reading.needs = lengthOf(whole);
  while (reading.needs !== null && whole.length >= reading.needs) {
    respond(socket, whole.subarray(0, reading.needs));
    whole = whole.subarray(reading.needs);
    reading.needs = lengthOf(whole);
  }
  reading.parts = whole.length > 0 ? [whole] : [];
  reading.size = whole.length;
}

function respond(socket: Socket<Line>, request: Buffer): void {
  if (request.subarray(0, 4).toString("latin1") === "GET ") {
    const body = JSON.stringify({ open, total });
    send(socket, Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    return;
  }
  open++;
  total++;
  const playing = play(composeAnswer(request), {
    nowMs: () => performance.now(),
    at,
    send: (data) => send(socket, data),
    end: () => {
      open--;
      socket.data.playing = null;
    },
    close: () => void socket.end(),
  });
  if (!playing.ended) socket.data.playing = playing;
}

function gone(socket: Socket<Line>): void {
  if (socket.data.playing === null) return;
  socket.data.playing.ended = true;
  socket.data.playing = null;
  open--;
}

const server = Bun.listen<Line>({
  hostname: "127.0.0.1",
  port: Number(process.env.UPSTREAM_PORT ?? 0),
  socket: {
    open(socket) {
      socket.data = { reading: { parts: [], size: 0, needs: null }, unsent: [], playing: null };
    },
    data: take,
    drain,
    close: gone,
    error: gone,
  },
});
console.log(`listens on http://127.0.0.1:${server.port}`);
