// A plain reader of Amazon's frames over a whole body, for expectations, and a writer. They share no code with the gateway's.
import { asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import { encodeFrames } from "../../src/simulator/event-frames.ts";

export interface RecordedFrame {
  readonly event: string;
  readonly json: JsonObject;
  /** The byte offsets of the frame's start and end. */
  readonly start: number;
  readonly end: number;
}

/** The events of a body in order, up to the first invalid frame. A model's own events are decoded from base64. */
export function splitFrames(bytes: Uint8Array): RecordedFrame[] {
  const frames: RecordedFrame[] = [];
  const whole = Buffer.from(bytes);
  for (let start = 0; start + 4 <= whole.length; ) {
    const end = start + whole.readUInt32BE(start);
    if (end > whole.length) break;
    const headersEnd = start + 12 + whole.readUInt32BE(start + 4);
    const event = readEventType(whole.subarray(start + 12, headersEnd));
    const json = asObject(JSON.parse(whole.subarray(headersEnd, end - 4).toString()));
    const inner = asString(json.bytes);
    const held = inner === undefined ? json : asObject(JSON.parse(Buffer.from(inner, "base64").toString()));
    frames.push({ event: asString(held.type) ?? event, json: held, start, end });
    start = end;
  }
  return frames;
}

const NAME = ":event-type";

/** Reads the value after the header's name, its type (one byte) and its length (two). */
function readEventType(headers: Buffer): string {
  if (!headers.includes(NAME)) return "error";
  const at = headers.indexOf(NAME) + NAME.length + 1;
  return headers.subarray(at + 2, at + 2 + headers.readUInt16BE(at)).toString();
}

/** The same events as server-sent events, followed by any bytes that are not a frame. */
export function toEvents(bytes: Uint8Array): string {
  const frames = splitFrames(bytes);
  const rest = Buffer.from(bytes).subarray(frames.at(-1)?.end ?? 0);
  const events = frames
    .map(({ event, json }) => {
      const { "amazon-bedrock-invocationMetrics": _metrics, ...own } = json;
      return `event: ${event}\ndata: ${JSON.stringify(own)}\n\n`;
    })
    .join("");
  return events + rest.toString();
}

/** The same events, each with one line of data, as frames. By InvokeModel, a model's own events are sent in base64. */
export function toFrames(events: string, isInvoked: boolean): Uint8Array {
  if (!isInvoked) return encodeFrames(events);
  return encodeFrames(
    events.replace(/event: .*\ndata: (.*)\n\n/g, (_, data: string) => {
      const bytes = Buffer.from(data).toString("base64");
      return `event: chunk\ndata: ${JSON.stringify({ bytes, p: "abcdefg" })}\n\n`;
    }),
  );
}
