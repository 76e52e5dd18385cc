// The port that every operation implements: all that the gateway, the ledger and the log may know about a request.
import type { ConversationNames } from "../core/attempt.ts";
import type { ModelCard, OperationName } from "../core/card.ts";
import type { Offer } from "../core/demand.ts";
import type { Delivered, Outgoing, RawRequest, Target } from "../core/dialect.ts";
import type { JsonObject } from "../core/json.ts";
import type { Amounts } from "../core/units.ts";
import type { ChatChunk, ChatRequest } from "./chat/form.ts";
import type { Needs } from "./chat/needs.ts";
import type { AnswerCodec, Codec, Codecs } from "./codec.ts";
import type { Form } from "./form.ts";

/** A client's request as its surface read it. */
export interface Asking<F extends Form> {
  readonly ask: F["ask"];
  /** The client's own request, for a provider of the surface's family; null: it is always translated. */
  readonly raw: RawRequest | null;
  /** Fields that the gateway never passes on, named to the client. */
  readonly dropped: readonly string[];
  /** Fields that the operation's form has no place for, named to the client unless the native lane carries them. */
  readonly lost: readonly string[];
  /** True if the form requires an output limit: then it is a wish, not the length that the client expects. */
  readonly isLimitRequired: boolean;
  /** The most searches that the provider may run in the native lane. */
  readonly searches: number;
  /** Bytes of text that only a provider of the client's family reads. The hold counts them as part of the prompt. */
  readonly unreadBytes: number;
}

/** The terms of a hold that the request's own form sets beside the request. */
export type OfferTerms = Pick<Asking<Form>, "isLimitRequired" | "searches" | "unreadBytes">;

const NO_TERMS: OfferTerms = { isLimitRequired: false, searches: 0, unreadBytes: 0 };

/** A request that was changed, and the client's fields that it cost. */
export interface Changed<A> {
  readonly ask: A;
  readonly dropped: readonly string[];
}

/** A request as it was sent to the provider that answered it. */
export interface SentAsk<A> {
  readonly ask: A;
  readonly card: ModelCard;
  /** The number of calls that together make up the answer. */
  readonly calls: number;
  /** Bytes of text that went with each call and aren't in the ask: 0 where it was translated. */
  readonly unreadBytes: number;
}

/** A usage report, cut to the amounts that its model can read and write. */
export interface PlausibleUsage<Usage> {
  readonly usage: Usage;
  /** True if the provider claimed more. */
  readonly isCut: boolean;
}

/** The result of one read of a streamed body. */
export interface Reading<Piece> {
  readonly pieces: readonly Piece[];
  /** The failure that came after those pieces and broke the answer; undefined: nothing did. */
  readonly broken: unknown;
}

/** The terms on which an answer is read: the request that it answers, and the call that was sent for it. */
export interface ReaderOptions<A> {
  readonly ask: A;
  readonly card: ModelCard;
  /** Added to the answers' indexes, where several calls make up one answer. */
  readonly offset: number;
  /** The fields that the call could not carry: the gateway applies while it reads what it can do itself. */
  readonly dropped: readonly string[];
  /** True if the client is shown the provider's own events. */
  readonly isNative: boolean;
  /** The headers of the answer; left out: none are known. */
  readonly headers?: Headers;
}

/** Reads one streamed answer from its text. */
export interface Reader<F extends Form> {
  /** True once the dialect's own last event was seen. */
  readonly done: boolean;
  /** True once every answer that was asked for has come to its finish. */
  readonly isFinished: boolean;
  /** The latest usage report, if there was one. */
  readonly usage: F["usage"] | null;
  /**
   * Takes more of the body. Returns null if no event was completed. Comments and empty events are no progress: an upstream
   * that sends nothing else runs into its deadline.
   */
  push(text: string): Reading<F["piece"]> | null;
  /** Returns the rest at the end of the body. `broken` unless the dialect's own end was seen. */
  end(): Reading<F["piece"]>;
  /** Returns the rest of an answer that is whole although its connection is still open, or null if it isn't whole. */
  early(): readonly F["piece"][] | null;
  /** Returns the pieces of an answer that came whole where a stream was asked for. */
  takeReply(reply: F["reply"]): readonly F["piece"][];
  /** Returns the last pieces, once nothing else comes. */
  finish(): readonly F["piece"][];
}

/** Counts what an answer produced while it passes. */
export interface Meter<F extends Form> {
  /** True once a part of the answer itself was seen. */
  readonly hasAnswer: boolean;
  /** The number of answers that were begun or finished. */
  readonly begun: number;
  /** The size of what was produced, in UTF-8. */
  readonly bytes: number;
  take(pieces: readonly F["piece"][]): void;
  /** Counts the answers of a whole reply as finished. */
  takeWhole(reply: F["reply"]): void;
}

/** Collects a stream's pieces into one reply. */
export interface Folding<F extends Form> {
  /** Takes pieces, and returns about how many characters they are as JSON. */
  take(pieces: readonly F["piece"][]): number;
  /** null: nothing of it came. */
  reply(): F["reply"] | null;
}

/** A request as selectors read it. */
export interface Choosable {
  readonly request: ChatRequest;
  readonly needs: Needs;
}

/** The part of an operation for which selectors choose models. */
export interface Choosing<F extends Form> {
  describe(ask: F["ask"]): Choosable;
  /** Returns an answer's pieces as graders read them; with `isShort` without those that only continue a text. */
  toChunks(pieces: readonly F["piece"][], isShort: boolean): readonly ChatChunk[];
}

export interface Operation<F extends Form> {
  readonly name: OperationName;
  /** The longest whole answer that is read. */
  readonly answerBytesMax: number;
  /** True if answers may hold texts of megabytes, which are read without being copied; left out: they don't. */
  readonly hasLongTexts?: boolean;
  /** The longest answer that is kept for those who ask the same again. */
  readonly keptBytesMax: number;
  /** Returns a dialect's codec, or null if its providers don't serve the operation. */
  findCodec(codecs: Codecs): Codec<F> | null;
  /** Null: a model has to be named. */
  readonly choosing: Choosing<F> | null;

  /** Returns how many answers are asked for: each takes a place. */
  countAnswers(ask: F["ask"]): number;
  /** Throws the Fault `unsupported_capability` if the model can't take what the request is about. */
  refuseUnable(ask: F["ask"], card: ModelCard): void;
  /** Returns the field of the first image that the provider would have to fetch, or null if there is none. */
  findImageUrl(ask: F["ask"]): string | null;
  /** Returns the most that the request may cost on a card. */
  offer(ask: F["ask"], card: ModelCard, terms: OfferTerms): Offer;
  /** Returns the request within the output that was held for; undefined: none was. */
  bound(ask: F["ask"], card: ModelCard, outputTokens: number | undefined, isWish: boolean): Changed<F["ask"]>;
  /** Returns the requests for at most so many answers that together make up this one. */
  split(ask: F["ask"], answersPerCall: number): readonly F["ask"][];
  /** Returns the body that makes two requests the same, however the answer is delivered; null: its answer can't be kept. */
  identify(ask: F["ask"]): JsonObject | null;
  /** Returns the request as the log keeps it, its messages apart. */
  toLog(ask: F["ask"]): { readonly request: JsonObject; readonly messages: readonly unknown[] };
  /** Returns the names under which a conversation is known again; `session` is the client's own. */
  nameConversation(ask: F["ask"], session: string | null): ConversationNames;
  /** Estimates the prompt's tokens. */
  estimatePrompt(ask: F["ask"]): number;
  /** Estimates what a provider's limit of tokens in a minute counts for the request. */
  estimateLoad(ask: F["ask"]): number;

  encode(codec: Codec<F>, ask: F["ask"], card: ModelCard, target: Target): Outgoing;
  /** Returns a whole answer. Throws the Fault of one that can't be read. */
  readWhole(codec: AnswerCodec<F>, delivered: Delivered, options: ReaderOptions<F["ask"]>): F["reply"];
  reader(codec: AnswerCodec<F>, options: ReaderOptions<F["ask"]>): Reader<F>;
  /** True where a provider's limit on the wait for the first part, or between parts, holds: some work for minutes. */
  readonly bounds: { readonly firstByte: boolean; readonly idle: boolean };
  isAnswer(piece: F["piece"]): boolean;
  /** Returns the answers of several calls as one. */
  merge(replies: readonly F["reply"][]): F["reply"];
  fold(): Folding<F>;
  /** Returns a whole answer as the pieces of a stream that says the same. */
  unfold(reply: F["reply"]): readonly F["piece"][];
  /** Returns a reply that was kept as JSON, or null if it is none. */
  restore(kept: unknown): F["reply"] | null;
  /** Returns the reply as the log keeps it, or null if there is nothing in it. */
  toLogged(reply: F["reply"]): JsonObject | null;

  readUsage(reply: F["reply"]): F["usage"] | null;
  withUsage(reply: F["reply"], usage: F["usage"]): F["reply"];
  /** Returns the last piece of a stream. */
  usagePiece(usage: F["usage"]): F["piece"];
  /** Adds the counts of several calls, each of which was billed its own prompt. Returns null when one reported none. */
  addUsages(usages: readonly (F["usage"] | null)[]): F["usage"] | null;
  meter(ask: F["ask"]): Meter<F>;
  /** Returns the report as far as it can be. */
  cutUsage(usage: F["usage"], sent: SentAsk<F["ask"]>): PlausibleUsage<F["usage"]>;
  /** Returns the work that is billed. */
  countAmounts(usage: F["usage"]): Amounts;
  /** Returns what was produced as far as the provider reported it, and no less than what was seen. */
  estimate(sent: Omit<SentAsk<F["ask"]>, "card">, bytes: number, reported: F["usage"] | null): F["usage"];
  /** Returns the usage with the answer's cost, or its charge, in USD. */
  withCost(usage: F["usage"], cost: { readonly cost?: number; readonly charged?: number }): F["usage"];
}

/** Returns the most that the request may cost on each of the cards, each once, in their order. */
export function makeOffers<F extends Form>(
  operation: Operation<F>,
  cards: Iterable<ModelCard>,
  ask: F["ask"],
  terms = NO_TERMS,
): readonly Offer[] {
  return [...new Set(cards)].map((card) => operation.offer(ask, card, terms));
}

/** Returns how many answers each call is asked for, where one gives at most so many. */
export function shareAnswers(wanted: number, perCall: number): readonly number[] {
  const shares: number[] = [];
  for (let left = wanted; left > 0; left -= perCall) shares.push(Math.min(left, perCall));
  return shares;
}
