// OpenAI's own events for a client of the Responses API: passed on with our id, the card's name and the cost.
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Usage } from "../../operations/chat/form.ts";
import type { ShownEvents } from "../../operations/chat/run.ts";
import { namedEvent } from "../event-stream.ts";
import type { Stamp } from "../surface.ts";
import { type ResponseOf, stampState, stampVerbatim } from "./response.ts";

const FINAL: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
/** A name is a line of its own: one with a line break would be an event that the provider made up. */
const EVENT_NAME = /^[\w.-]+$/;
/** Events that hold a piece of a text, and nothing of the response. */
const PIECE_NAME = /^[\w.-]+\.delta$/;

export class VerbatimWriter {
  readonly #stamp: Stamp;
  readonly #of: ResponseOf;
  /** From the event with the usage on: its cost is known once the request is settled. */
  readonly #held: JsonObject[] = [];
  #response: JsonObject = {};

  constructor(stamp: Stamp, of: ResponseOf) {
    this.#stamp = stamp;
    this.#of = of;
  }

  write(event: JsonObject): string {
    if (typeof event.type !== "string" || !EVENT_NAME.test(event.type)) return "";
    if (FINAL.has(event.type) || this.#held.length > 0) {
      this.#held.push(event);
      return "";
    }
    return this.#show(event, undefined);
  }

  /** Writes events that differ in their text alone; null: they have to be looked at one by one. */
  writeRun({ type, data }: ShownEvents): string | null {
    if (this.#held.length > 0 || !PIECE_NAME.test(type)) return null;
    let written = "";
    for (const one of data) written += namedEvent(type, one);
    return written;
  }

  end(usage: Usage | null | undefined): string {
    return this.#held.map((event) => this.#show(event, usage ?? undefined)).join("");
  }

  /** The latest form of the response that was shown. */
  get response(): JsonObject {
    return this.#response;
  }

  #show(event: JsonObject, usage: Usage | undefined): string {
    const { response } = event;
    if (isObject(response)) this.#response = this.#stampOn(response, usage);
    const shown = isObject(response) ? { ...event, response: this.#response } : event;
    return namedEvent(String(event.type), JSON.stringify(shown));
  }

  #stampOn(response: JsonObject, usage: Usage | undefined): JsonObject {
    if (isObject(response.usage)) return stampVerbatim(response, this.#stamp, usage, this.#of);
    return { ...response, ...stampState(response, this.#stamp, this.#of), model: this.#stamp.model };
  }
}
