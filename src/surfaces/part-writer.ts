// Writes a chat answer piece by piece: chunks that a surface translates, or the provider's own events.

import { parseReceived } from "../core/json/bounds.ts";
import { asObject, type JsonObject } from "../core/json/json.ts";
import { parseShortened } from "../core/log/removed-reasoning.ts";
import { isChunk, type Part, type ShownEvents, Verbatim } from "../operations/chat/answer/run.ts";
import type { ChatChunk, Usage } from "../operations/chat/form.ts";
import { namedEvent } from "./event-stream.ts";
import type { Stamp } from "./surface.ts";

export abstract class PartWriter {
  readonly #stamp: () => Stamp;
  #stamped: Stamp | null = null;
  /** True once one of the provider's own events was passed on. */
  protected isVerbatim = false;
  /** The provider's own events from the last usage on. Their cost is known once the request is settled. */
  protected readonly held: JsonObject[] = [];
  /** Null until it is reported. */
  protected usage: Usage | null = null;

  constructor(stamp: () => Stamp) {
    this.#stamp = stamp;
  }

  protected get stamp(): Stamp {
    this.#stamped ??= this.#stamp();
    return this.#stamped;
  }

  write(parts: readonly Part[]): string {
    let text = "";
    for (const part of parts) {
      if (part instanceof Verbatim) text += this.passOn(readOwn(part.event.data));
      else if (isChunk(part)) text += this.#takeChunk(part);
      else if (part.shown) text += this.passRunOn(part.shown);
      else for (const chunk of part.chunks()) text += this.#takeChunk(chunk);
    }
    return text;
  }

  #takeChunk(chunk: ChatChunk): string {
    if (chunk.usage) this.usage = chunk.usage;
    // Chunks after the provider's own events only summarise them.
    return this.isVerbatim || chunk.choices.length === 0 ? "" : this.writeChunk(chunk);
  }

  protected passOn(event: JsonObject): string {
    this.isVerbatim = true;
    if (this.held.length === 0 && !this.isLast(event)) return this.show(event);
    this.held.push(event);
    return "";
  }

  /** Passes on events that differ only in their text. */
  protected passRunOn({ type, data }: ShownEvents): string {
    const isPlain = this.held.length === 0 && this.isPiece(type);
    let text = "";
    for (const one of data) text += isPlain ? namedEvent(type, one) : this.passOn(readOwn(one));
    return text;
  }

  /** Shows the events held back, with the cost. */
  protected showHeld(): string {
    return this.held.map((event) => this.show(event, this.usage)).join("");
  }

  protected abstract writeChunk(chunk: ChatChunk): string;
  /** True if an event of the provider's holds the last usage. */
  protected abstract isLast(event: JsonObject): boolean;
  /** True if events of this type that differ only in their text can be shown unchanged. */
  protected abstract isPiece(type: string): boolean;
  /** Writes an event of the provider's. `usage` is undefined before the end, and null if none was reported. */
  protected abstract show(event: JsonObject, usage?: Usage | null): string;
}

function readOwn(event: string): JsonObject {
  return asObject(parseReceived(event) ?? parseShortened(event));
}
