// The numbers of a stream's events.
import type { JsonObject } from "../../core/json/json.ts";
import { namedEvent } from "../event-stream.ts";

/** Numbers a stream's events without gaps. */
export class EventNumbers {
  /** True if a provider's own events may be passed on with their numbers. */
  readonly passesOn: boolean = true;
  /** The number of the next event. */
  next = 0;

  write(type: string, fields: JsonObject): string {
    return namedEvent(type, JSON.stringify({ type, sequence_number: this.next++, ...fields }));
  }

  /** Writes an event of the provider's. */
  pass(event: JsonObject): string {
    return namedEvent(String(event.type), JSON.stringify(event));
  }

  /** Continues from the provider's own numbering. */
  follow(sequenceNumber: unknown): void {
    if (typeof sequenceNumber === "number") this.next = sequenceNumber + 1;
  }
}
