// Passes the provider's own events on to a client of its family, the last ones once their cost is known.
import type { JsonObject } from "../core/json.ts";
import type { Usage } from "../operations/chat/form.ts";
import type { ShownEvents } from "../operations/chat/run.ts";
import { namedEvent } from "./event-stream.ts";

export abstract class VerbatimWriter {
  /** Events from the last usage on. Their cost is known once the request is settled. */
  readonly #held: JsonObject[] = [];

  write(event: JsonObject): string {
    if (this.#held.length === 0 && !this.isLast(event)) return this.show(event);
    this.#held.push(event);
    return "";
  }

  /** Writes events that differ only in their text. Null if each must be examined. */
  writeRun({ type, data }: ShownEvents): string | null {
    if (this.#held.length > 0) return null;
    let written = "";
    for (const one of data) written += namedEvent(type, one);
    return written;
  }

  end(usage: Usage | null): string {
    return this.#held.map((event) => this.show(event, usage)).join("");
  }

  /** True if an event holds the last usage. */
  protected abstract isLast(event: JsonObject): boolean;
  /** `usage` is undefined before the end, and null if none was reported. */
  protected abstract show(event: JsonObject, usage?: Usage | null): string;
}
