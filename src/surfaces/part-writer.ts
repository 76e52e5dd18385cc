// Writes a chat answer piece by piece: chunks that a surface translates, or the provider's own events.

import type { Fault } from "../core/faults/fault.ts";
import { parseReceived } from "../core/json/bounds.ts";
import { asObject, type JsonObject } from "../core/json/json.ts";
import { parseShortened } from "../core/models/thinking/removed-reasoning.ts";
import { isChunk, type Part, Run, type Verbatim } from "../operations/chat/answer/run.ts";
import type { ShownEvents } from "../operations/chat/answer/shown-events.ts";
import type { ChatChunk, Usage } from "../operations/chat/form.ts";
import type { EventCopier } from "./copied-events.ts";
import { wrapEvents } from "./event-stream.ts";
import type { Stamp } from "./surface.ts";

export abstract class PartWriter {
  readonly #stamp: () => Stamp;
  readonly #copier: EventCopier | null;
  #stamped: Stamp | null = null;
  /** True once one of the provider's own events was passed on. */
  protected isVerbatim = false;
  /** The provider's own events from the last usage on. Their cost is known once the request is settled. */
  protected readonly held: JsonObject[] = [];
  /** Null until it is reported. */
  protected usage: Usage | null = null;

  /** `copier` is for writers of which two alike events for texts show how the next will be, whatever its text is. */
  constructor(stamp: () => Stamp, copier: EventCopier | null = null) {
    this.#stamp = stamp;
    this.#copier = copier;
  }

  protected get stamp(): Stamp {
    this.#stamped ??= this.#stamp();
    return this.#stamped;
  }

  write(parts: readonly Part[]): string {
    let text = "";
    for (const part of parts) text += part instanceof Run ? this.#writeRun(part) : this.#writeOther(part);
    return text;
  }

  end(): string {
    this.catchUp();
    return this.writeEnd();
  }

  fail(fault: Fault, requestId: string): string {
    this.catchUp();
    return this.writeFailure(fault, requestId);
  }

  #writeOther(part: ChatChunk | Verbatim): string {
    this.catchUp();
    return isChunk(part) ? this.#takeChunk(part) : this.passOn(readOwn(part.event.data));
  }

  #writeRun(run: Run): string {
    const { shown, texts } = run;
    const copier = this.isVerbatim ? null : this.#copier;
    if (copier?.isKnown(run) !== true) this.catchUp();
    if (shown !== null) return this.passRunOn(shown);
    let text = "";
    let at = 0;
    for (; at < texts.length && copier?.isKnown(run) !== true; at++) {
      const said = texts[at] ?? "";
      const chunk = run.chunk(said);
      const written = this.#takeChunk(chunk);
      if (!this.isWaiting) copier?.learn(run, said, chunk, written);
      text += written;
    }
    if (copier === null) return text;
    text += copier.copy(run, at);
    if (copier.isFull) this.#flush(copier);
    return text;
  }

  /** Call this before anything is written or read but copies. */
  protected catchUp(): void {
    if (this.#copier === null) return;
    if (this.#copier.hasCopied) this.#flush(this.#copier);
    this.#copier.forget();
  }

  #flush(copier: EventCopier): void {
    copier.flush((chunk) => this.writeChunk(chunk));
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
  protected passRunOn(shown: ShownEvents): string {
    if (this.held.length === 0 && this.isPiece(shown.type)) return wrapEvents(shown);
    let text = "";
    for (const one of shown.data) text += this.passOn(readOwn(one));
    return text;
  }

  /** Shows the events held back, with the cost. */
  protected showHeld(): string {
    return this.held.map((event) => this.show(event, this.usage)).join("");
  }

  /** True if pieces wait, which may be written together with the next one. */
  protected get isWaiting(): boolean {
    return false;
  }

  protected abstract writeChunk(chunk: ChatChunk): string;
  protected abstract writeEnd(): string;
  protected abstract writeFailure(fault: Fault, requestId: string): string;
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
