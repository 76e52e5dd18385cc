// The port that every operation implements: everything that the gateway, the ledger and the log may know about a
// request.

import type { ConversationNames, GoingOnSign } from "../core/attempt.ts";
import type { Offer } from "../core/demand.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { TokenLoad } from "../core/limits/limit.ts";
import type { ModelCard, OperationName } from "../core/models/card.ts";
import type { DeliveredBody, Outgoing, RawRequest, Said, Target } from "../core/models/dialect.ts";
import type { Hasher, PromptDigests } from "../core/models/prompt-digests.ts";
import type { RemovedReasoning } from "../core/models/thinking/removed-reasoning.ts";
import type { Amounts } from "../core/money/units.ts";
import type { MovePosition } from "../core/text/moves.ts";
import type { ChangeText, IsChanged, IsDropped, NativeTexts } from "../core/text/texts.ts";
import type { ChatRequest } from "./chat/form.ts";
import type { Signal } from "./chat/grader.ts";
import type { Needs } from "./chat/needs.ts";
import type { AnswerCodec, Codec, Codecs, Passing, UrlKind } from "./codec.ts";
import type { Folding, Keeping, KeptBounds } from "./folding.ts";
import type { ChangedAsk, Form } from "./form.ts";

/** A reason why only a provider of the client's family may answer. */
export interface FamilyNeed {
  /** Its place in the client's request. */
  readonly path: string;
  /**
   * It is all that is asked, or the sealed history of the conversation, or a demand for a tool that the provider runs. `code`: the
   * only tools run code, which another family's model that the client names would miss; others answer without.
   */
  readonly what: "asked" | "history" | "tool" | "code";
}

/** A client's request as read by its surface. */
export interface Asking<F extends Form> {
  readonly ask: F["ask"];
  /** The client's own request, for a provider of the surface's family. Null if it must be translated. */
  readonly raw: RawRequest | null;
  /** Fields that are never passed on, reported to the client. */
  readonly dropped: readonly string[];
  /** Fields that the operation's form can't hold, reported to the client unless the native lane carries them. */
  readonly lost: readonly string[];
  /** The client's names of the ask's fields, where they differ. */
  readonly names?: Readonly<Record<string, string>>;
  /** True if the API requires an output limit: then it is no indication of the expected length. */
  readonly isLimitRequired: boolean;
  /** The most searches that the provider may run in the native lane. */
  readonly searches: number;
  /** The most pages that it may fetch there. Only their text is billed, which is part of `unreadBytes`. */
  readonly fetches?: number;
  /** Bytes of text that only a provider of the client's family reads. The hold counts them as part of the prompt. */
  readonly unreadBytes: number;
  /** True if a cache mark in the native lane asks for the provider's longest time, wherever it stands. */
  readonly cachesLong?: boolean;
  /** Set if only the native lane can carry the request. */
  readonly nativeOnly?: FamilyNeed | undefined;
  /** True if it explicitly asks for its answer to be stored, whether or not anybody does. */
  readonly isToBeStored?: boolean;
}

/** Terms of a hold that come from the request's own form, and from how a card's provider is called. */
export interface OfferTerms
  extends Pick<Asking<Form>, "isLimitRequired" | "searches" | "unreadBytes" | "cachesLong"> {
  /** The most answers that one call gives. */
  readonly answersPerCall: number;
}

/** A request as sent to the provider that answered it. */
export interface SentAsk<A> {
  /** Without the fields that the call didn't carry. */
  readonly ask: A;
  readonly card: ModelCard;
  /** The number of calls that make up the answer. */
  readonly calls: number;
  /** Bytes of text sent with each call but not part of the ask. 0 if it was translated. */
  readonly unreadBytes: number;
  /** The most searches and fetches that a call in the native lane allows. Each reads the prompt once more. */
  readonly rounds: number;
}

/** A usage report, capped at what the model can read and write. */
export interface PlausibleUsage<Usage> {
  readonly usage: Usage;
  /** True if the provider reported more. */
  readonly isCut: boolean;
}

/** The result of one read of a streamed body. */
export interface Reading<Piece> {
  readonly pieces: readonly Piece[];
  /** The failure after those pieces. Undefined if there was none. */
  readonly broken: unknown;
}

/** Options for reading an answer: the request, and the call that was sent for it. */
export interface ReaderOptions<A> {
  readonly ask: A;
  readonly card: ModelCard;
  /** Added to the answers' indexes if several calls make up one answer. */
  readonly offset: number;
  /** Fields that the call could not carry. The gateway applies what it can itself while reading. */
  readonly dropped: readonly string[];
  /** True if the client gets the provider's own events. */
  readonly isNative: boolean;
  /** The response headers. Missing if unknown. */
  readonly headers?: Headers;
  /** The gateway's own words before the answer, which are kept in its thinking. Missing if there are none. */
  readonly said?: Said | undefined;
}

/** Reads a streamed answer from its text. */
export interface Reader<F extends Form> {
  /** True once the dialect's own last event was seen. */
  readonly done: boolean;
  /** True once every requested answer has finished. */
  readonly isFinished: boolean;
  /** The latest usage report, if any. */
  readonly usage: F["usage"] | null;
  /**
   * Accepts more of the body. Returns null if no event was completed. Comments and empty events are not progress: an
   * upstream that sends nothing else times out.
   */
  push(text: string): Reading<F["piece"]> | null;
  /** Ends the body and returns the rest. `broken` unless the dialect's own end was seen. */
  end(): Reading<F["piece"]>;
  /** Returns the rest of a complete answer whose connection is still open, or null if it isn't complete. */
  early(): readonly F["piece"][] | null;
  /** Returns the pieces of an answer that arrived whole although a stream was requested. */
  acceptReply(reply: F["reply"]): readonly F["piece"][];
  /** Returns the last pieces when nothing else follows. */
  finish(): readonly F["piece"][];
}

/** Counts what an answer produces as it passes. */
export interface Meter<F extends Form> {
  /** True once any content was seen. */
  readonly hasAnswer: boolean;
  /** The number of answers that have begun or finished. */
  readonly begun: number;
  /** The size of the output in UTF-8. */
  readonly bytes: number;
  /** The reasons for which answers ended, each once. Missing if the operation knows none. */
  readonly finishes?: readonly string[];
  /** The providers' reasons that no table has, shortened. Missing if there are none. */
  readonly unknownFinishes?: readonly string[] | undefined;
  /** The thinking of the history that the provider says it left out. Missing if there is none. */
  readonly removed?: readonly RemovedReasoning[] | undefined;
  add(pieces: readonly F["piece"][]): void;
  /** Counts the answers of a whole reply as finished. */
  takeWhole(reply: F["reply"]): void;
}

/** A request as seen by selectors. */
export interface Choosable {
  readonly request: ChatRequest;
  readonly needs: Needs;
}

/** The grade of an answer, from which is learned how good the model's answers are. */
export interface Grade {
  /** Returns the first signal against the answer, or null. `tokens` is the answer's length, if known. */
  signal(tokens: number | null): Signal | null;
  /** True if the answer ended at a limit of its length. */
  readonly isCutOff: boolean;
  /** The requested form. Sound answers are counted for each. */
  readonly form: string;
}

/** Grades an answer from its pieces, as they pass. */
export interface Grader<F extends Form> extends Grade {
  add(pieces: readonly F["piece"][]): void;
}

/** The part of an operation that lets selectors choose models. */
interface Choosing<F extends Form> {
  describe(ask: F["ask"]): Choosable;
  /** Returns a grader for an answer to the request. */
  grade(ask: F["ask"]): Grader<F>;
}

export interface Operation<F extends Form> {
  readonly name: OperationName;
  /** The longest whole answer that is read. */
  readonly answerBytesMax: number;
  /** Bounds of an answer that is stored for repeated requests. */
  readonly kept: KeptBounds;
  /** Returns a dialect's codec, or null if its providers don't serve the operation. */
  findCodec(codecs: Codecs): Codec<F> | null;
  /** Null if selectors can't choose: a model must be named. */
  readonly choosing: Choosing<F> | null;

  /** Returns the number of answers requested. Each takes a place. */
  countAnswers(ask: F["ask"]): number;
  /** Throws the Fault `unsupported_capability` if the model can't take this kind of request. */
  refuseUnable(ask: F["ask"], card: ModelCard, isNamed?: boolean): void;
  /** Returns the field of the first image or file that the provider would have to fetch, or null. */
  findUrl(ask: F["ask"], kind: UrlKind): string | null;
  /**
   * Returns whether the request offers the model a web search, or demands one. Null if it does neither. Missing if no
   * request does.
   */
  findSearch?(ask: F["ask"]): "offered" | "forced" | null;
  /** Returns the most that the request may cost on a card, as `fit` returns it if it is translated. */
  offer(ask: F["ask"], card: ModelCard, terms: OfferTerms): Offer;
  /**
   * Returns an offer that `offer` never falls below, without reading the request's files: what can't cover even this is
   * refused before they are read. Null if `offer` reads none.
   */
  readonly offerLeast: ((ask: F["ask"], card: ModelCard) => Offer) | null;
  /** Limits the request to the output held for. Undefined if nothing was held. */
  bound(
    ask: F["ask"],
    card: ModelCard,
    outputTokens: number | undefined,
    isWish: boolean,
  ): ChangedAsk<F["ask"]>;
  /** Splits the request into requests for at most this many answers. */
  split(ask: F["ask"], answersPerCall: number): readonly F["ask"][];
  /** Returns the body that identifies a repeated request, without how it is delivered. */
  identify(ask: F["ask"]): JsonObject;
  /** False if the answer isn't JSON: it isn't stored under an Idempotency-Key. Missing if it always is. */
  hasJsonAnswer?(ask: F["ask"]): boolean;
  /** Returns the request as logged, with its messages separate. */
  toLog(ask: F["ask"]): { readonly request: JsonObject; readonly messages: readonly unknown[] };
  /**
   * Returns the request with its texts changed: all that a provider would read, and every other string that isn't a
   * word of the API. Linear, and the same request if nothing changed.
   */
  mapTexts(ask: F["ask"], change: ChangeText): F["ask"];
  /** The same for a whole answer. `native` reaches the texts of a provider's own. Null if it is never shown. */
  mapReply(reply: F["reply"], change: ChangeText, native: NativeTexts | null): F["reply"];
  /** The same for the pieces of a stream. A change turns a piece that the fast path copied into several. */
  mapPieces(
    pieces: readonly F["piece"][],
    change: ChangeText,
    native: NativeTexts | null,
  ): readonly F["piece"][];
  /** For changes of an answer's texts while it is streamed. Missing if no text is. */
  readonly streamed?: {
    /** Returns how the paths of the texts begin that have no piece after this one, in both forms. An empty one ends all. */
    endedTexts(piece: F["piece"], native: NativeTexts | null): readonly string[];
    /** Moves the positions that annotations give into an answer's own texts, once these are changed. Missing if none do. */
    readonly positions?: {
      moveInReply(reply: F["reply"], move: MovePosition, native: NativeTexts | null): F["reply"];
      moveInPiece(piece: F["piece"], move: MovePosition, native: NativeTexts | null): F["piece"];
      /** Returns a piece of which only the texts are needed once more, without its annotations. */
      dropFromPiece(piece: F["piece"], native: NativeTexts | null): F["piece"];
    };
  };
  /** Set if answers are pictures or sound. Sound has no texts. */
  readonly makes?: "pictures" | "sound";
  /** Removes thinking that can't be changed, from requests and answers. Missing if there is no thinking. */
  readonly thoughts?: {
    drop(ask: F["ask"], isDropped: IsDropped): F["ask"];
    dropFromReply(reply: F["reply"], isDropped: IsDropped): F["reply"];
    /**
     * Returns a stream's piece without what a maker signed or encrypted of thinking that was changed, in both forms. None if it
     * has nothing else. Thinking that is encrypted without a text stays.
     */
    unseal(piece: F["piece"], native: NativeTexts | null, isChanged: IsChanged): readonly F["piece"][];
    /** The same for a whole answer. */
    unsealReply(reply: F["reply"], native: NativeTexts | null, isChanged: IsChanged): F["reply"];
  };
  /** Tells requests of one conversation from others. */
  readonly conversations: {
    /** Returns the names that identify a conversation. `session` is the client's own. */
    name(ask: F["ask"], session: string | null): ConversationNames;
    /** Returns the name that all turns of a conversation have in common. Missing if it decides nothing. */
    nameOpening?(ask: F["ask"], session: string | null): string;
    /** True if no model has answered in it yet. Missing if that decides nothing. */
    isFirstTurn?(ask: F["ask"]): boolean;
    /** Returns what shows in the request itself that its conversation goes on. Missing if nothing ever does. */
    findSignOfGoingOn?(ask: F["ask"], session: string | null): GoingOnSign | null;
    /** Returns the digests by which a prompt that goes on is known. Missing if no provider caches the operation's prompts. */
    digest?(ask: F["ask"], raw: RawRequest | null, makeHasher: () => Hasher): PromptDigests;
  };
  /**
   * Drops the prompt, in place, of a request that can't be sent again, and returns the length of the rest. Estimates and
   * names stay what they were. Missing if the prompt is only dropped with the request.
   */
  forgetPrompt?(ask: F["ask"], raw: RawRequest | null): number;
  /** Estimates the prompt's tokens. */
  estimatePrompt(ask: F["ask"]): number;
  /** Estimates what counts towards limits on tokens per minute, with one reading of the prompt. */
  estimateLoad(ask: F["ask"]): TokenLoad;

  /** Returns the request as a card's call carries it (see `Codec.fit`). Holds and estimates are made on it. */
  fit(codec: Codec<F>, ask: F["ask"], card: ModelCard, operator: Passing): ChangedAsk<F["ask"]>;
  /**
   * True if `fit` cuts what only the operation's own form can lose, such as a picture of an earlier turn that the model
   * doesn't take: then the client's own request can't be sent. Missing if nothing is.
   */
  cuts?(codec: Codec<F>, ask: F["ask"], card: ModelCard): boolean;
  encode(codec: Codec<F>, ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /** Reads a whole answer. Throws a Fault if it is malformed. */
  readWhole(codec: AnswerCodec<F>, delivered: DeliveredBody, options: ReaderOptions<F["ask"]>): F["reply"];
  reader(codec: AnswerCodec<F>, options: ReaderOptions<F["ask"]>): Reader<F>;
  /**
   * True if a provider's limits on the wait for the first part, or between parts, apply: some operations take minutes.
   */
  readonly bounds: { readonly firstByte: boolean; readonly idle: boolean };
  isAnswer(piece: F["piece"]): boolean;
  /** Joins the answers of several calls. */
  merge(replies: readonly F["reply"][]): F["reply"];
  fold(): Folding<F>;
  /** Returns a whole answer as the pieces of an equivalent stream. */
  unfold(reply: F["reply"]): readonly F["piece"][];
  /** Restores a reply stored as JSON. Returns null if it is invalid. */
  restore(kept: unknown): F["reply"] | null;
  /** Missing if replies are JSON, and `fold` and `unfold` are enough. */
  readonly keeping?: Keeping<Pick<F, "piece" | "reply">>;
  /** Returns the reply as logged, or null if it is empty. */
  toLogged(reply: F["reply"]): JsonObject | null;

  readUsage(reply: F["reply"]): F["usage"] | null;
  withUsage(reply: F["reply"], usage: F["usage"]): F["reply"];
  /** Returns the last piece of a stream. */
  usagePiece(usage: F["usage"]): F["piece"];
  /** Adds the counts of several calls, each billed for its own prompt. Returns null if one reported none. */
  addUsages(usages: readonly (F["usage"] | null)[]): F["usage"] | null;
  meter(ask: F["ask"]): Meter<F>;
  /** Caps an implausible report. */
  cutUsage(usage: F["usage"], sent: SentAsk<F["ask"]>): PlausibleUsage<F["usage"]>;
  /** Returns the billed amounts. */
  countAmounts(usage: F["usage"]): Amounts;
  /** Returns what was produced, as reported but at least as much as was seen. */
  estimate(
    sent: Omit<SentAsk<F["ask"]>, "card" | "rounds">,
    bytes: number,
    reported: F["usage"] | null,
  ): F["usage"];
  /** Adds the answer's cost or charge, in USD, to the usage. */
  withCost(usage: F["usage"], cost: { readonly cost?: number; readonly charged?: number }): F["usage"];
}

/** Returns the number of answers to request per call, given the most that one call can give. */
export function shareAnswers(wanted: number, perCall: number): readonly number[] {
  const shares: number[] = [];
  for (let left = wanted; left > 0; left -= perCall) shares.push(Math.min(left, perCall));
  return shares;
}
