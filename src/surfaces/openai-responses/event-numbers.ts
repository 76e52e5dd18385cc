// The numbers of a stream's events.
import type { JsonObject } from "../../core/json.ts";
import { namedEvent } from "../event-stream.ts";

/** Numbers the events of one stream, without gaps. */
export class EventNumbers {
  #next = 0;

  write(type: string, fields: JsonObject): string {
    return namedEvent(type, JSON.stringify({ type, sequence_number: this.#next++, ...fields }));
  }

  /** The provider numbers its own events: ours go on from there. */
  follow(sequenceNumber: unknown): void {
    if (typeof sequenceNumber === "number") this.#next = sequenceNumber + 1;
  }
}
