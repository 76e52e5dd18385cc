// Anthropic's own events for a client of the Messages API: passed on with our id, the card's name and the cost.
import { asObject, asString, type JsonObject } from "../../core/json.ts";
import type { Usage } from "../../operations/chat/form.ts";
import type { ShownEvents } from "../../operations/chat/run.ts";
import { writeCost } from "../cost.ts";
import { namedEvent } from "../event-stream.ts";
import type { Stamp } from "../surface.ts";

export class VerbatimWriter {
  readonly #stamp: Stamp;
  /** From the event with the last usage on: its cost is known once the request is settled. */
  readonly #held: JsonObject[] = [];

  constructor(stamp: Stamp) {
    this.#stamp = stamp;
  }

  write(event: JsonObject): string {
    const type = asString(event.type);
    if (type === undefined) return "";
    if (type === "message_delta" && asObject(event.delta).stop_reason) this.#held.push(event);
    else if (this.#held.length > 0) this.#held.push(event);
    else return show(type === "message_start" ? this.#start(event) : event);
    return "";
  }

  /** Writes events that differ in their text alone; null: they have to be looked at one by one. */
  writeRun({ type, data }: ShownEvents): string | null {
    if (this.#held.length > 0) return null;
    let written = "";
    for (const one of data) written += namedEvent(type, one);
    return written;
  }

  end(usage: Usage | null): string {
    const cost = usage === null ? {} : writeCost(usage);
    return this.#held
      .map((event) => {
        if (event.type !== "message_delta") return show(event);
        return show({ ...event, usage: { ...asObject(event.usage), ...cost } });
      })
      .join("");
  }

  #start(event: JsonObject): JsonObject {
    const { id, model } = this.#stamp;
    return { ...event, message: { ...asObject(event.message), id, model } };
  }
}

function show(event: JsonObject): string {
  return namedEvent(String(event.type), JSON.stringify(event));
}
