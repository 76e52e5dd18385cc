// The framing of server-sent events for clients.
import { errorBody, type Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { Writer } from "./surface.ts";

/** An event without a name. `json` holds no line break. */
export function dataLine(json: string): string {
  return `data: ${json}\n\n`;
}

/** An event whose name clients dispatch on. `json` holds no line break. */
export function namedEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** An event that is named by its own type. */
export function typedEvent(event: JsonObject & { readonly type: string }): string {
  return namedEvent(event.type, JSON.stringify(event));
}

/** Returns the writer of a stream whose pieces are written one by one, and whose SDKs throw what stands under `error`. */
export function makePieceWriter<Piece>(write: (piece: Piece) => string, end = ""): Writer<Piece> {
  return {
    keepAlive: KEEP_ALIVE_LINE,
    write: (pieces) => pieces.map(write).join(""),
    end: () => end,
    fail: (fault: Fault) => typedEvent({ type: "error", ...errorBody(fault) }),
  };
}

/** The end of a stream of OpenAI's chat completions, and of those in their form. */
export const DONE_LINE = "data: [DONE]\n\n";

/** A comment: every parser skips it, and it keeps the connection alive. */
export const KEEP_ALIVE_LINE = ": keep-alive\n\n";
