// One case on its own connection: sends its raw bytes and splits the received ones into answers.
import { once } from "node:events";
import { connect } from "node:net";
import type { Case } from "./case.ts";

/** A gateway that keeps its own deadlines (3 s here) is done long before. */
const ANSWER_MS = 30_000;
/** Raw bytes may be the start of a request, which is neither completed nor waited for. */
const RAW_MS = 250;
const PIECE_GAP_MS = 3;

export interface Answer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** True if it reached the end announced by its head. */
  readonly isWhole: boolean;
}

export interface Played {
  readonly answers: readonly Answer[];
  /** True if the gateway could not be reached. */
  readonly isRefused: boolean;
  /** True if the time was up before the answer was complete. */
  readonly isLate: boolean;
}

export async function play(url: string, one: Case): Promise<Played> {
  const { hostname, port } = new URL(url);
  const received: Buffer[] = [];
  const state = { isRefused: false, isLate: false };
  const over = Promise.withResolvers<void>();
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("data", (part: Buffer) => received.push(part));
  socket.on("error", (error) => {
    state.isRefused = "code" in error && error.code === "ECONNREFUSED";
    over.resolve();
  });
  socket.on("close", () => over.resolve());
  for (const piece of one.pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (one.pieces.length > 1) await Bun.sleep(PIECE_GAP_MS);
  }
  if (one.leavesAfterMs !== null) setTimeout(over.resolve, one.leavesAfterMs);
  const waitMs = one.kind === "raw" ? RAW_MS : ANSWER_MS;
  const late = setTimeout(() => {
    state.isLate = one.kind !== "raw";
    over.resolve();
  }, waitMs);
  await over.promise;
  clearTimeout(late);
  if (!socket.destroyed) {
    socket.destroy();
    await once(socket, "close");
  }
  return { answers: answersIn(Buffer.concat(received)), ...state };
}

const HEAD_END = "\r\n\r\n";

/** All answers on a connection except interim ones. An answer to HEAD counts as broken off. */
function answersIn(bytes: Buffer): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf(HEAD_END);
    if (end === -1)
      return [...answers, { status: 0, headers: new Map(), body: rest.toString(), isWhole: false }];
    const [first = "", ...lines] = rest.toString("latin1", 0, end).split("\r\n");
    const headers = new Map(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
    rest = rest.subarray(end + HEAD_END.length);
    const { body, length, isWhole } = bodyIn(rest, headers);
    rest = rest.subarray(length);
    if (status >= 200 || status === 0) answers.push({ status, headers, body, isWhole });
  }
  return answers;
}

interface Body {
  readonly body: string;
  /** The number of bytes that it takes on the wire. */
  readonly length: number;
  readonly isWhole: boolean;
}

function bodyIn(rest: Buffer, headers: ReadonlyMap<string, string>): Body {
  if (headers.get("transfer-encoding") === "chunked") return chunkedBodyIn(rest);
  const length = Number(headers.get("content-length") ?? 0);
  return { body: rest.toString("utf8", 0, length), length, isWhole: rest.length >= length };
}

function chunkedBodyIn(rest: Buffer): Body {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(rest.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    const isBroken = Number.isNaN(size) || end > rest.length;
    if (!isBroken && size > 0) parts.push(rest.subarray(lineEnd + 2, end - 2));
    if (isBroken || size === 0) {
      return {
        body: Buffer.concat(parts).toString(),
        length: isBroken ? rest.length : end,
        isWhole: !isBroken,
      };
    }
    at = end;
  }
}
