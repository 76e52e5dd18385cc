// The types of the chat operation: its request, pieces, reply, usage, and the decoder that reads a dialect's stream.
import type { ServerEvent } from "../../core/dialect.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "./form.ts";
import type { Part } from "./run.ts";

export interface ChatForm {
  readonly ask: ChatRequest;
  readonly piece: Part;
  readonly reply: ChatReply;
  readonly usage: Usage;
  readonly decoder: Decoder;
}

export interface Decoder {
  /** The dialect's own last event was seen: nothing follows, whether or not the connection ends. */
  readonly done: boolean;
  /** Takes one event, gives the chunks it holds (often none). Throws a Fault for an error event or garbage. */
  push(event: ServerEvent): readonly ChatChunk[];
  /** The stream is over: gives what was kept back. Throws a Fault unless the dialect's own end was seen. */
  end(): readonly ChatChunk[];
}
