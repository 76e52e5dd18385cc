// The port between an operation and a dialect: the calls that a provider is sent for a request, and how their answers are read. Pure.
import type { ModelCard } from "../core/card.ts";
import type { Family, Outgoing, RawRequest, Target } from "../core/dialect.ts";
import type { Fault } from "../core/fault.ts";
import type { ChatForm } from "./chat/decoder.ts";
import type { CompletionForm } from "./completion/form.ts";
import type { EmbeddingsForm } from "./embeddings/form.ts";
import type { Form } from "./form.ts";
import type { ImagesForm } from "./images/form.ts";
import type { ModerationForm } from "./moderation/form.ts";
import type { RerankForm } from "./rerank/form.ts";
import type { SpeechForm } from "./speech/form.ts";
import type { TranscriptionForm } from "./transcription/form.ts";

/** Reads the answers to a call. */
export interface AnswerCodec<F extends Form> {
  /** Returns a decoder for one streamed answer to this request, which has these headers. */
  decoder(card: ModelCard, ask: F["ask"], headers?: Headers): F["decoder"];
  /**
   * Returns an unstreamed answer from its parsed JSON, or its bytes where the call asked for bytes. Throws a Fault when it is
   * an error or not of the dialect.
   */
  reply(body: unknown, card: ModelCard, ask: F["ask"], headers: Headers): F["reply"];
}

/** Reads a failed answer: status, headers and the body's text. `nowMs` is for dates in headers. */
export type Explain = (status: number, headers: Headers, body: string, nowMs: number) => Fault;

/**
 * The native lane of one family: the client's own request is sent, and its client is shown the provider's own answer.
 * The answer is decoded all the same, since the decoded form is counted, charged and kept.
 */
export interface Lane<F extends Form> extends AnswerCodec<F> {
  /**
   * False: the provider serves this card in another form alone, at least by that version of its API (undefined: it has none).
   * Left out: it serves all in this one.
   */
  serves?(card: ModelCard, apiVersion: string | undefined): boolean;
  /**
   * Returns the call for the client's own request: with the card's name, no higher an output limit than that of `ask`, and
   * nothing else changed. `dropped` names what was.
   */
  encode(raw: RawRequest, ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /**
   * Returns the request without the part that the provider has just refused and another provider made (a signature, encrypted
   * thinking), for one more call; null if that is not why it was refused.
   */
  mend?(raw: RawRequest, fault: Fault): RawRequest | null;
  explain: Explain;
}

export interface Codec<F extends Form> extends AnswerCodec<F> {
  /** The families whose requests it can be sent as they are. */
  readonly lanes?: Readonly<Partial<Record<Family, Lane<F>>>>;
  /** The most answers of this request that one call can give for this card: 1 where the gateway has to make a call for each. */
  answersPerCall(card: ModelCard, ask: F["ask"]): number;
  /** False: this card is sent images as data alone, as its provider fetches none. Left out: it takes their addresses too. */
  takesImageUrls?(card: ModelCard): boolean;
  /**
   * Returns the upstream call for a request, which asks for at most `answersPerCall` and says whether to stream. Throws a
   * Fault `unsupported_capability` only where leaving something out would change the meaning.
   */
  encode(ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /** As a lane's `mend`, for a request that was translated. */
  mend?(ask: F["ask"], fault: Fault): F["ask"] | null;
}

/** A dialect's codecs, one for each operation that its providers serve. */
export interface Codecs {
  readonly chat?: Codec<ChatForm>;
  readonly completion?: Codec<CompletionForm>;
  readonly embeddings?: Codec<EmbeddingsForm>;
  readonly images?: Codec<ImagesForm>;
  readonly speech?: Codec<SpeechForm>;
  readonly transcription?: Codec<TranscriptionForm>;
  readonly rerank?: Codec<RerankForm>;
  readonly moderation?: Codec<ModerationForm>;
}
