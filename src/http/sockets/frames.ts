// Frames of a connection: a stream's events without their framing as lines, and failures.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { HeaderMap } from "../serve/answers.ts";

const DATA = "data: ";
const DATA_LINE = `\n${DATA}`;
const EVENT_END = "\n\n";

/** Returns the data of a stream's events. Comments, which only keep an HTTP connection alive, have none. */
export function splitEvents(text: string): readonly string[] {
  const frames: string[] = [];
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(EVENT_END, at);
    const end = found === -1 ? text.length : found;
    const start = findData(text, at);
    if (start <= end) frames.push(text.slice(start, end));
    at = end + EVENT_END.length;
  }
  return frames;
}

/** Returns where the first data from a line on begins. */
function findData(text: string, at: number): number {
  if (text.startsWith(DATA, at)) return at + DATA.length;
  const found = text.indexOf(DATA_LINE, at);
  return found === -1 ? Number.POSITIVE_INFINITY : found + DATA_LINE.length;
}

/** Returns a frame with further fields at its end. */
export function addFields(frame: string, fields: JsonObject): string {
  const more = JSON.stringify(fields).slice(1, -1);
  return more === "" ? frame : `${frame.slice(0, -1)},${more}}`;
}

/** A failure before anything of the answer was sent. */
interface FailedTurn {
  readonly status: number;
  /** The body of the same failure over HTTP. */
  readonly body: JsonObject;
  readonly headers: HeaderMap;
}

/** Codex reads the headers beside the error, OpenAI's SDKs within it. */
export function writeFailure({ status, body, headers }: FailedTurn, streamId: string | null): string {
  const error = { ...asObject(body.error), headers };
  return JSON.stringify({
    type: "error",
    status,
    error,
    headers,
    ...(streamId === null ? {} : { stream_id: streamId }),
    sequence_number: 0,
  });
}
