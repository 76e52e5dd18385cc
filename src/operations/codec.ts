// The port between an operation and a dialect: encodes the calls for a request and decodes their answers. Pure.

import type { Fault } from "../core/faults/fault.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Family, Outgoing, RawRequest, Target } from "../core/models/dialect.ts";
import type { Refusal } from "../core/models/refusals.ts";
import type { CacheMarkMode, PlannedMarks } from "../core/models/words/cache-marks.ts";
import type { ChatForm } from "./chat/decoder.ts";
import type { ChatRequest } from "./chat/form.ts";
import type { CompletionForm } from "./completion/form.ts";
import type { EmbeddingsForm } from "./embeddings/form.ts";
import type { ChangedAsk, Form } from "./form.ts";
import type { ImagesForm } from "./images/form.ts";
import type { ModerationForm } from "./moderation/form.ts";
import type { RerankForm } from "./rerank/form.ts";
import type { SpeechForm } from "./speech/form.ts";
import type { TranscriptionForm } from "./transcription/form.ts";

/** The fields that the operator lets pass to a provider. */
export type Passing = Pick<Target, "extraFields">;

/** The signs of a request that goes on, beside its own fields. */
export interface MarkSigns {
  readonly isLine: boolean;
  /** True if a coding agent asks for something beside its work. */
  isSideCall(request: ChatRequest): boolean;
  /**
   * True if the request shows that its conversation goes on, or if a turn of it came to the same model within five minutes. Names
   * the conversation, unless every turn of it shows that it goes on.
   */
  goesOn(): boolean;
  /** True if marks haven't paid. */
  isResting(): boolean;
}

/** The values that a codec leaves as they are in a request with none but simple fields and texts. */
export interface PlainBounds {
  /** The ranges of numbers that have one. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  readonly stopsMax: number;
  readonly identifierCharactersMax: number;
}

/** Decodes the answers to a call. */
export interface AnswerCodec<F extends Form> {
  /** Returns a decoder for a streamed answer to this request, with these response headers. */
  decoder(card: ModelCard, ask: F["ask"], headers?: Headers): F["decoder"];
  /**
   * Decodes an unstreamed answer from its JSON, or from bytes if the call asked for bytes. Throws a Fault if it is an
   * error or not of the dialect.
   */
  reply(body: unknown, card: ModelCard, ask: F["ask"], headers: Headers): F["reply"];
  /** True if the call for this card carries the request's web search. Missing if none does. */
  searches?(card: ModelCard, ask: F["ask"]): boolean;
}

/** Explains a failed answer by status, headers and body. `nowMs` is for dates in headers. */
export type Explain = (status: number, headers: Headers, body: string, nowMs: number) => Fault;

/**
 * The native lane of a family: the client's own request is sent, and the provider's own answer is returned. It is
 * decoded too, because the decoded form is counted, charged and stored.
 */
export interface Lane<F extends Form> extends AnswerCodec<F> {
  /**
   * False if the provider serves this card only in another form, at least with this API version (undefined: none). If
   * missing, all cards are served.
   */
  serves?(card: ModelCard, apiVersion: string | undefined): boolean;
  /**
   * Returns the call for the client's own request with the card's name, an output limit of at most that of `ask`, and
   * nothing else changed. `dropped` names what was.
   */
  encode(raw: RawRequest, ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /**
   * Returns the request without a signature or encrypted thinking that the provider has just refused, for one more
   * call. Returns null if the refusal had another reason.
   */
  repair?(raw: RawRequest, fault: Fault): RawRequest | null;
}

/** The contents that a provider may have to fetch. */
export type UrlKind = "image" | "file";

export interface Codec<F extends Form> extends AnswerCodec<F> {
  /** Families whose requests can be sent unchanged. */
  readonly lanes?: Readonly<Partial<Record<Family, Lane<F>>>>;
  /** The most answers per call for this card: 1 if the gateway must make a call for each. */
  answersPerCall(card: ModelCard, ask: F["ask"]): number;
  /** False if this request's images or files must be sent as data, because the card's provider fetches none. If missing, URLs work too. */
  takesUrls?(kind: UrlKind, card: ModelCard, ask: F["ask"]): boolean;
  /**
   * Returns the request without the fields that the call for this card can't carry. `encode` begins with it, and holds
   * and estimates are made on its result, so a field that isn't sent never changes what a request costs. Returns the
   * same object if nothing is left out.
   */
  fit(ask: F["ask"], card: ModelCard, operator: Passing): ChangedAsk<F["ask"]>;
  /**
   * Encodes a request for at most `answersPerCall` answers. Throws a Fault `unsupported_capability` only if dropping
   * something would change the meaning.
   */
  encode(ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /** Plans the cache marks of a request whose client may have set none. Missing if none can be set. */
  planMarks?(
    ask: F["ask"],
    card: ModelCard,
    mode: CacheMarkMode,
    readSigns: () => MarkSigns,
  ): PlannedMarks | null;
  /** True if the call for this card may change tools within the conversation. If missing, `tools` is all that it has. */
  changesTools?(card: ModelCard, ask: F["ask"]): boolean;
  /** True if `encode` asks in words for a call that the card's model can't be forced to make. */
  readonly demandsCalls?: true;
  /**
   * Returns the bounds within which requests of the same fields are all fitted and encoded alike. Null or missing if there
   * is more to it.
   */
  plainBounds?(card: ModelCard, ask: F["ask"]): PlainBounds | null;
  /** True if a request that the model's server refused for these reasons is encoded in another way once they are known. */
  mends?(ask: F["ask"], card: ModelCard, refuses: ReadonlySet<Refusal>): boolean;
  /**
   * Returns the codec of another interface of the same servers, for a request that they are known to refuse at this one.
   * Null or missing if it stays here.
   */
  instead?(ask: F["ask"], card: ModelCard, refuses: ReadonlySet<Refusal>): Codec<F> | null;
  /** Like a lane's `repair`, for a translated request. */
  repair?(ask: F["ask"], fault: Fault): F["ask"] | null;
}

/** A dialect's codecs, one per operation that its providers serve. */
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
