// The framing of server-sent events for clients.
import { errorBody, type Fault } from "../core/faults/fault.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { ShownEvents } from "../operations/chat/answer/shown-events.ts";
import type { Writer } from "./surface.ts";

/** Returns an unnamed event. `json` must not contain a line break. */
export function dataLine(json: string): string {
  return `data: ${json}\n\n`;
}

/** Returns an event with a name, which clients dispatch on. `json` must not contain a line break. */
export function namedEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** The same for events of one type, by their data. */
export function wrapEvents(events: ShownEvents): string {
  return events.wrap(`event: ${events.type}\ndata: `, "\n\n");
}

/** Returns an event named after its own type. */
export function typedEvent(event: JsonObject & { readonly type: string }): string {
  return namedEvent(event.type, JSON.stringify(event));
}

/** Returns a stream's writer that writes piece by piece. SDKs throw the `error` field of a failure. */
export function makePieceWriter<Piece>(write: (piece: Piece) => string, end = ""): Writer<Piece> {
  return {
    keepAlive: KEEP_ALIVE_LINE,
    write: (pieces) => pieces.map(write).join(""),
    end: () => end,
    fail: (fault: Fault) => typedEvent({ type: "error", ...errorBody(fault) }),
  };
}

/** The end of a stream in the form of OpenAI's chat completions. */
export const DONE_LINE = "data: [DONE]\n\n";

/** A comment, which every parser skips, to keep the connection alive. */
export const KEEP_ALIVE_LINE = ": keep-alive\n\n";

/** A stream in the form of OpenAI's completions: unnamed events, an end mark, failures as an `error` field. */
export const DATA_LINES = {
  keepAlive: KEEP_ALIVE_LINE,
  end: () => DONE_LINE,
  fail: (fault: Fault) => dataLine(JSON.stringify(errorBody(fault))),
};
