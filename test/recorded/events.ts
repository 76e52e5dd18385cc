// A plain reader of server-sent events for expectations. It shares no code with the gateway's parser.
import { isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";

export interface RecordedEvent {
  readonly event: string;
  readonly data: string;
  /** The data, if it is a JSON object. */
  readonly json: JsonObject | null;
  /** The character offsets of the event's block, its blank line included. */
  readonly start: number;
  readonly end: number;
}

/** The events of a recorded stream in order, without comments and empty blocks. */
export function splitEvents(text: string): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  const blankLine = /\r\n\r\n|\n\n|\r\r/g;
  for (let start = 0; start < text.length; ) {
    blankLine.lastIndex = start;
    const end = blankLine.exec(text) ? blankLine.lastIndex : text.length;
    const event = eventOf(text.slice(start, end), start, end);
    if (event) events.push(event);
    start = end;
  }
  return events;
}

function eventOf(block: string, start: number, end: number): RecordedEvent | null {
  const lines = block.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const data = lines.filter((line) => line.startsWith("data:"));
  if (data.length === 0) return null;
  const joined = data.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
  const named = lines.find((line) => line.startsWith("event:"));
  const json = parseJson(joined);
  return {
    event: named ? named.slice(6).trim() : "",
    data: joined,
    json: isObject(json) ? json : null,
    start,
    end,
  };
}
