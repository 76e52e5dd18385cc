// The port that every upstream dialect implements: pure functions between the canonical form and one wire format.
import type { ModelCard } from "../core/card.ts";
import type { Family, Outgoing, RawRequest, ServerEvent, Target } from "../core/dialect.ts";
import type { Fault } from "../core/fault.ts";
import type { ChatChunk, ChatReply, ChatRequest } from "../operations/chat/form.ts";

export interface Decoder {
  /** The dialect's own last event was seen: nothing follows, whether or not the connection ends. */
  readonly done: boolean;
  /**
   * Set after an event that added to the answer's text and changed nothing else: an event that differs from it in that
   * text alone would give the same chunks with its own text, and may be passed on unread. It is called with the
   * number of characters that the text grew by without being pushed; a negative number takes some back.
   */
  readonly grew?: ((characters: number) => void) | null;
  /** Takes one event, gives the chunks it holds (often none). Throws a Fault for an error event or garbage. */
  push(event: ServerEvent): readonly ChatChunk[];
  /** The stream is over: gives what was kept back. Throws a Fault unless the dialect's own end was seen. */
  end(): readonly ChatChunk[];
}

/**
 * The native lane of one family: the client's own request is sent, and its client is shown the provider's own answer.
 * The answer is decoded all the same, since that is what is counted, charged and kept.
 */
export interface Lane extends Pick<Dialect, "decoder" | "reply" | "explain"> {
  /**
   * The call for the client's own request: with the card's name, no higher an output limit than that of `request`, and
   * nothing else changed. `dropped` names what was.
   */
  encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing;
  /**
   * The request without what the provider has just refused and another provider made (a signature, encrypted thinking):
   * the call is made once more with it. Null: that is not why it was refused.
   */
  mend?(raw: RawRequest, fault: Fault): RawRequest | null;
}

export interface Dialect {
  /** The families whose requests it can be sent as they are. */
  readonly lanes?: Readonly<Partial<Record<Family, Lane>>>;
  /** The most choices that one call can give for this card: 1 where the gateway has to run n calls. */
  choicesMax(card: ModelCard): number;
  /**
   * The upstream call for a request. `request.n` is at most `choicesMax`; `request.stream` says which form to ask for.
   * Throws a Fault `unsupported_capability` only where leaving something out would change the meaning.
   */
  encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing;
  /** A decoder for one streamed answer to this request. */
  decoder(card: ModelCard, request: ChatRequest): Decoder;
  /** An unstreamed answer (already parsed JSON). Throws a Fault when it is an error or not of the dialect. */
  reply(body: unknown, card: ModelCard, request: ChatRequest): ChatReply;
  /** An error answer: status, headers and the body's text. `nowMs` is for dates in headers. */
  explain(status: number, headers: Headers, body: string, nowMs: number): Fault;
}
