// The types of the chat operation: its request, pieces, reply, usage, and the decoder that reads a dialect's stream.
import type { ServerEvent } from "../../core/models/dialect.ts";
import type { Part } from "./answer/run.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "./form.ts";

export interface ChatForm {
  readonly ask: ChatRequest;
  readonly piece: Part;
  readonly reply: ChatReply;
  readonly usage: Usage;
  readonly decoder: Decoder;
}

export interface Decoder {
  /** True once the dialect's own last event was seen: nothing follows, even if the connection stays open. */
  readonly done: boolean;
  /** Decodes one event into chunks, often none. Throws a Fault for an error event or garbage. */
  push(event: ServerEvent): readonly ChatChunk[];
  /**
   * Returns an event as a client of its family may see it, behind those that it lacked. If missing or null, as it came. Each
   * event is given to it once.
   */
  restate?(event: ServerEvent): readonly ServerEvent[] | null;
  /** Ends the stream and returns what was held back. Throws a Fault unless the dialect's own end was seen. */
  end(): readonly ChatChunk[];
}
