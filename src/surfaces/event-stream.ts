// The framing of server-sent events for clients.
import { errorBody, type Fault } from "../core/fault.ts";
import type { Writer } from "./surface.ts";

/** An event without a name. `json` holds no line break. */
export function dataLine(json: string): string {
  return `data: ${json}\n\n`;
}

/** An event whose name clients dispatch on. `json` holds no line break. */
export function namedEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** Returns the writer of a stream whose pieces are written one by one, and whose SDKs throw what stands under `error`. */
export function makePieceWriter<Piece>(write: (piece: Piece) => string, end = ""): Writer<Piece> {
  return {
    keepAlive: KEEP_ALIVE_LINE,
    write: (pieces) => pieces.map(write).join(""),
    end: () => end,
    fail: (fault: Fault) => namedEvent("error", JSON.stringify({ type: "error", ...errorBody(fault) })),
  };
}

/** A comment: every parser skips it, and it keeps the connection alive. */
export const KEEP_ALIVE_LINE = ": keep-alive\n\n";
