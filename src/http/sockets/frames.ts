// Frames of a connection: a stream's events without their framing as lines, and failures.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { HeaderMap } from "../serve/answers.ts";

const DATA = "data: ";

/** Returns the data of a stream's events. Comments, which only keep an HTTP connection alive, have none. */
export function splitEvents(text: string): readonly string[] {
  const frames: string[] = [];
  for (const event of text.split("\n\n")) {
    const at = event.startsWith(DATA) ? 0 : event.indexOf(`\n${DATA}`) + 1;
    if (at === 0 && !event.startsWith(DATA)) continue;
    frames.push(event.slice(at + DATA.length));
  }
  return frames;
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
