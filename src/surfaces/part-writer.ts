// Writes a chat answer piece by piece: the provider's own events, or chunks that a surface translates.
import type { ChatChunk } from "../operations/chat/form.ts";
import { isChunk, type Part, type ShownEvents, Verbatim } from "../operations/chat/run.ts";

export abstract class PartWriter {
  write(parts: readonly Part[]): string {
    let text = "";
    for (const part of parts) {
      if (part instanceof Verbatim) text += this.passOn(part);
      else if (isChunk(part)) text += this.writeChunk(part);
      else if (part.shown) text += this.passRunOn(part.shown);
      else for (const chunk of part.chunks()) text += this.writeChunk(chunk);
    }
    return text;
  }

  /** Passes on events that differ only in their text. */
  protected passRunOn({ type, data }: ShownEvents): string {
    let text = "";
    for (const one of data) text += this.passOn(new Verbatim({ event: type, data: one }, []));
    return text;
  }

  protected abstract passOn(part: Verbatim): string;
  protected abstract writeChunk(chunk: ChatChunk): string;
}
