// An answer that came whole as the event stream that its client asked for.
import type { JsonObject } from "../core/json.ts";
import { Document } from "./surface.ts";

export function writeEvents(events: readonly JsonObject[]): Document {
  const text = events
    .map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  return new Document("text/event-stream; charset=utf-8", text);
}
