// Operations with a single result, whole or in parts: what they have in common.

import type { Offer } from "../core/demand.ts";
import { malformed } from "../core/faults/malformed.ts";
import { parseBounded, REQUEST_SHAPE } from "../core/json/bounds.ts";
import { asCount, isObject } from "../core/json/json.ts";
import { LongJson } from "../core/json/long.ts";
import type { ModelCard, Price } from "../core/models/card.ts";
import type { DeliveredBody } from "../core/models/dialect.ts";
import { catchUnreadable } from "../core/models/upstream.ts";
import { listBillLines } from "../core/money/price.ts";
import { type Amounts, addAmounts, NO_AMOUNTS, UNITS, type Unit } from "../core/money/units.ts";
import type { ChangeText } from "../core/text/texts.ts";
import type { Codec } from "./codec.ts";
import { type Ask, NONE } from "./form.ts";
import type { OfferTerms, Operation, SentAsk } from "./operation.ts";
import { ANSWER_BYTES_MAX, addUsages, foldReplies, PartMeter, PartReader } from "./part-reader.ts";
import { mapList } from "./text-json.ts";
import { mapTextsBut } from "./text-walk.ts";
import type { WholePiece, WholeReply, WholeReplyForm, WorkUsage } from "./whole-form.ts";

type Whole<A extends Ask, R extends WholeReply, P extends object> = Operation<WholeReplyForm<A, R, P>>;

/** The parts in which such operations differ. `makeWholeOperation` has the defaults. */
interface WholeParts<A extends Ask, R extends WholeReply, P extends object>
  extends Pick<Whole<A, R, P>, "name" | "findCodec" | "toLog">,
    Partial<
      Pick<
        Whole<A, R, P>,
        | "countAnswers"
        | "refuseUnable"
        | "identify"
        | "hasJsonAnswer"
        | "split"
        | "fold"
        | "restore"
        | "keeping"
        | "toLogged"
      >
    > {
  /** The fields of a request whose strings are the API's own words or ids. All others are texts. */
  readonly words: readonly string[];
  /** As in `Operation`. */
  readonly makes?: "pictures" | "sound";
  /** The same as `words`, for its answers. Missing if they have no texts. */
  readonly answerWords?: readonly string[];
  /** Returns the most elements and fields that an answer may have. */
  countElements(ask: A): number;
  /** Returns the most work that the request may take. */
  countWorst(ask: A, card: ModelCard): Amounts;
  /** Returns work that `countWorst` never falls below, without reading a file. Missing if `countWorst` reads none. */
  countLeast?(ask: A): Amounts;
  /** Returns the expected work if no provider reported it. `bytes` of the answer were seen, unless 0. */
  countLikely(ask: A, bytes: number): Amounts;
  /**
   * Returns the most work that a report on all calls may claim. Null or missing for ten times the worst case, if
   * nothing is known about the model.
   */
  countMost?(ask: A, card: ModelCard): Amounts | null;
  /** Adds what the card charges for and a report lacks. Missing if reports always have it. */
  complete?(amounts: Amounts, ask: A, card: ModelCard): Amounts;
  /** True if the parts of a stream are minutes apart. By default they follow closely. */
  readonly isSlow?: boolean;
  /** Returns the size of the output. Missing if it isn't counted. */
  countBytes?(piece: WholePiece<R, P>): number;
  /** Returns the number of answers in a reply. One by default. */
  countReply?(reply: R): number;
  /** True if answers may be text other than JSON, which their codec reads. */
  readonly isText?: boolean;
  /** Joins the answers of several calls without their usage. Missing if a request is never split. */
  join?(replies: readonly R[]): R;
  /** The field that identifies a reply stored as JSON. Missing if `restore` knows it otherwise. */
  readonly content?: keyof R & string;
}

const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const KEPT = { bytesMax: KEPT_BYTES_MAX, collectedMax: KEPT_BYTES_MAX };
/** A reply ends the texts of its parts. */
const ALL: readonly string[] = [""];
/** An absurd amount: reports beyond it are capped. */
const TIMES_WORST = 10;

export function makeWholeOperation<A extends Ask, R extends WholeReply, P extends object = never>(
  parts: WholeParts<A, R, P>,
): Operation<WholeReplyForm<A, R, P>> {
  const { countLeast, countLikely } = parts;
  const countAnswers = parts.countAnswers ?? (() => 1);
  const countReply = parts.countReply ?? (() => 1);
  const merge = (replies: readonly R[]) => mergeReplies(parts, replies);
  return {
    ...makeDefaults<A, R, P>(merge, parts.content),
    ...makeMappers(parts.words, parts.answerWords),
    ...(parts.makes && { makes: parts.makes }),
    ...parts,
    countAnswers,
    offer: (ask, card, terms) => makeOffer(card, countAnswers(ask), listWorst(parts, ask, card, terms)),
    offerLeast: countLeast ? (ask, card) => makeOffer(card, countAnswers(ask), [countLeast(ask)]) : null,
    estimatePrompt: (ask) => countLikely(ask, 0).prompt,
    estimateLoad(ask) {
      const { prompt, completion } = countLikely(ask, 0);
      return { prompt, output: completion };
    },
    fit: (codec, ask, card, operator) => codec.fit(ask, card, operator),
    encode: (codec, ask, card, target) => codec.encode(ask, card, target),
    readWhole: (codec, delivered, { ask, card }) => {
      const body = parts.isText ? delivered.body : parseBody(delivered, parts.countElements(ask));
      const reply = catchUnreadable(() => codec.reply(body, card, ask, delivered.headers));
      if (countReply(reply) > countAnswers(ask)) throw malformed("more answers than requested");
      return reply;
    },
    bounds: { firstByte: false, idle: !parts.isSlow },
    reader: (codec, { ask, card, headers }) => new PartReader(codec.decoder(card, ask, headers)),
    isAnswer: ({ kind }) => kind !== "usage",
    merge,
    unfold: (reply) => [
      { kind: "reply", reply },
      ...(reply.usage ? [{ kind: "usage", usage: reply.usage } as const] : []),
    ],
    readUsage: ({ usage }) => usage,
    withUsage: (reply, usage) => ({ ...reply, usage }),
    usagePiece: (usage) => ({ kind: "usage", usage }),
    addUsages,
    meter: () => new PartMeter(parts.countBytes ?? (() => 0), countReply),
    cutUsage: (reported, sent) => cutToWorst(parts, reported, sent),
    countAmounts: ({ amounts }) => amounts,
    estimate: ({ ask }, bytes, reported) => reported ?? { amounts: countLikely(ask, bytes) },
    withCost: ({ terms: _terms, ...usage }, cost) => ({ ...usage, ...cost }),
  };
}

type DefaultName =
  | ("answerBytesMax" | "kept" | "choosing" | "refuseUnable" | "findUrl" | "bound" | "split" | "identify")
  | ("conversations" | "toLogged" | "fold" | "restore");

/** The members that an operation's own parts may replace. */
function makeDefaults<A extends Ask, R extends WholeReply, P extends object>(
  merge: (replies: readonly R[]) => R,
  content: (keyof R & string) | undefined,
): Pick<Whole<A, R, P>, DefaultName> {
  return {
    answerBytesMax: ANSWER_BYTES_MAX,
    kept: KEPT,
    choosing: null,
    refuseUnable: () => {},
    findUrl: () => null,
    bound: (ask) => ({ ask, dropped: [] }),
    split: (ask) => [ask],
    identify: (ask) => Object.fromEntries(Object.entries(ask)),
    conversations: { name: () => ({ sought: null, kept: [], heldTokens: 0 }) },
    toLogged: () => null,
    fold: () => foldReplies(merge),
    restore: (kept) => (content !== undefined && isReply<R>(kept, content) ? kept : null),
  };
}

function makeMappers<A extends Ask, R extends WholeReply, P extends object>(
  requestWords: readonly string[],
  answerWords: readonly string[] | undefined,
): Pick<Whole<A, R, P>, "mapTexts" | "mapReply" | "mapPieces" | "streamed"> {
  const words = new Set(["model", ...requestWords]);
  const mapTexts = (ask: A, change: ChangeText) => mapTextsBut(ask, words, change);
  if (answerWords === undefined)
    return { mapTexts, mapReply: (reply) => reply, mapPieces: (pieces) => pieces };
  const own = new Set(["kind", "usage", ...answerWords]);
  return {
    mapTexts,
    mapReply: (reply, change) => mapTextsBut(reply, own, change, "reply"),
    mapPieces: (pieces, change) => mapList(pieces, (piece) => mapTextsBut(piece, own, change, "piece")),
    streamed: { endedTexts: ({ kind }) => (kind === "reply" ? ALL : NONE) },
  };
}

/** Returns the most work of each call, since what a prompt takes is taken by each of them. */
function listWorst<A extends Ask, R extends WholeReply, P extends object>(
  { split, countWorst }: WholeParts<A, R, P>,
  ask: A,
  card: ModelCard,
  { answersPerCall }: OfferTerms,
): readonly Amounts[] {
  return (split?.(ask, answersPerCall) ?? [ask]).map((call) => countWorst(call, card));
}

function cutToWorst<A extends Ask, R extends WholeReply, P extends object>(
  { complete, countMost, countWorst }: WholeParts<A, R, P>,
  reported: WorkUsage,
  { ask, card, calls }: SentAsk<A>,
) {
  const usage = { ...reported, amounts: complete?.(reported.amounts, ask, card) ?? reported.amounts };
  const most = countMost?.(ask, card);
  return most ? cutUsage(usage, most, 1) : cutUsage(usage, countWorst(ask, card), TIMES_WORST * calls);
}

function isReply<R>(kept: unknown, content: keyof R & string): kept is R {
  return isObject(kept) && typeof kept[content] === "object";
}

/** A codec for such answers. */
export function makeWholeCodec<A extends Ask, R extends WholeReply, P extends object = never>(
  parts: Omit<Codec<WholeReplyForm<A, R, P>>, "decoder" | "answersPerCall" | "fit"> & {
    /** Missing if it carries every field. */
    fit?: Codec<WholeReplyForm<A, R, P>>["fit"];
    /** Missing if its servers don't stream. */
    decoder?: Codec<WholeReplyForm<A, R, P>>["decoder"];
    /** Missing if one call returns them all. */
    answersPerCall?(card: ModelCard, ask: A): number;
  },
): Codec<WholeReplyForm<A, R, P>> {
  const all = Number.POSITIVE_INFINITY;
  const fit = parts.fit ?? ((ask: A) => ({ ask, dropped: [] }));
  return {
    ...parts,
    fit,
    encode(given, card, target) {
      const { ask, dropped } = fit(given, card, target);
      const outgoing = parts.encode(ask, card, target);
      return { ...outgoing, dropped: [...outgoing.dropped, ...dropped] };
    },
    answersPerCall: (card, ask) => parts.answersPerCall?.(card, ask) ?? all,
    decoder: (card, ask, headers) => parts.decoder?.(card, ask, headers) ?? null,
  };
}

/** The hold covers all of the work of each call, so no output limit lowers it. */
function makeOffer(card: ModelCard, choices: number, calls: readonly Amounts[]): Offer {
  const limits = { isLimitMeant: true, outputTokensAsked: 0, outputTokensMax: 0, outputUsdPerMillion: 0 };
  const worst = calls.reduce((sum, call) => addAmounts(sum, call), NO_AMOUNTS);
  const lines =
    card.price === null ? [] : listBillLines(findHighest(card.price, worst.prompt), worst, calls.length);
  return { card: card.id, choices, ...limits, isPriced: card.price !== null, lines };
}

/** Returns the price with the highest rates of the tiers within the prompt's reach. */
function findHighest(given: Price, promptTokens: number): Price {
  if (given.tiers === undefined) return given;
  const { tiers, ...price } = given;
  const reached = [price, ...tiers.filter(({ aboveTokens }) => promptTokens > aboveTokens)];
  const input = Math.max(...reached.map((rates) => rates.input));
  const output = Math.max(...reached.map((rates) => rates.output));
  return { ...price, input, output };
}

/** Some servers send blank lines before the JSON while they work. */
function parseBody({ body }: DeliveredBody, elements: number): unknown {
  const most = { ...REQUEST_SHAPE, elements };
  const parsed = body instanceof LongJson ? body.parse(most) : parseBounded(body, most);
  if (parsed === undefined) throw malformed("not JSON, or too much of it");
  return parsed;
}

function mergeReplies<A extends Ask, R extends WholeReply, P extends object>(
  { name, join }: WholeParts<A, R, P>,
  replies: readonly R[],
): R {
  if (!join) throw new Error(`A request for ${name} is never split.`);
  return { ...join(replies), usage: addUsages(replies.map(({ usage }) => usage)) };
}

function cutUsage(usage: WorkUsage, most: Amounts, times: number) {
  const amounts: Record<Unit, number> = { ...usage.amounts };
  let isCut = false;
  for (const unit of UNITS) {
    const count = Math.min(asCount(amounts[unit]), times * Math.max(1, most[unit]));
    isCut ||= count < amounts[unit];
    amounts[unit] = count;
  }
  return { usage: { ...usage, amounts }, isCut };
}
