// Operations whose answers are one thing, whole or in parts: what is the same for all of them.
import type { ModelCard, OperationName, Price, Rates } from "../core/card.ts";
import type { Offer } from "../core/demand.ts";
import type { Delivered } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { asCount, type JsonObject, parseJson } from "../core/json.ts";
import { LongJson } from "../core/long-json.ts";
import { listBillLines } from "../core/price.ts";
import { type Amounts, addAmounts, UNITS, type Unit } from "../core/units.ts";
import { garbled } from "../core/upstream.ts";
import type { Codec, Codecs } from "./codec.ts";
import type { Ask } from "./form.ts";
import type { Operation } from "./operation.ts";
import { PartMeter, PartReader, ReplyFolding } from "./part-reader.ts";
import type { FormOf, WholePiece, WholeReply, WorkUsage } from "./whole-form.ts";

/** The parts in which such operations differ. */
export interface WholeParts<A extends Ask, R extends WholeReply, P extends object> {
  readonly name: OperationName;
  findCodec(codecs: Codecs): Codec<FormOf<A, R, P>> | null;
  /** Left out: one. */
  countAnswers?(ask: A): number;
  /** Throws the Fault `unsupported_capability` if the model can't take what the request is about. */
  refuseUnable?(ask: A, card: ModelCard): void;
  /** Returns the most work that the request may take. */
  countWorst(ask: A, card: ModelCard): Amounts;
  /** Returns the work to expect, where no provider reported it; `bytes` were seen of the answer, if it isn't 0. */
  countLikely(ask: A, bytes: number): Amounts;
  /**
   * Returns the most work that a report on all calls together may claim. Null, or left out: ten times the worst, as nothing
   * is known about the model.
   */
  countMost?(ask: A, card: ModelCard): Amounts | null;
  /** True if the parts of a stream come minutes apart; left out: they follow closely. */
  readonly isSlow?: boolean;
  /** Returns the size of what was produced; left out: it isn't counted. */
  countBytes?(piece: WholePiece<R, P>): number;
  /** Returns the answers that a reply holds; left out: one. */
  countReply?(reply: R): number;
  /** True if answers may hold texts of megabytes. */
  readonly hasLongTexts?: boolean;
  /** True if answers may be other text than JSON: their codec reads the text. */
  readonly isText?: boolean;
  /** Left out: all of the request. Null: its answer can't be kept for those who ask the same. */
  identify?(ask: A): JsonObject | null;
  /** Returns the requests for at most so many answers that together make up this one; left out: it is never split. */
  split?(ask: A, answersPerCall: number): readonly A[];
  /** Returns the answers of several calls as one; their usage is added up beside it. */
  merge?(replies: readonly R[]): R;
  /** Returns the request as the log keeps it, its content apart. */
  toLog(ask: A): { readonly request: JsonObject; readonly messages: readonly unknown[] };
  /** Returns the reply as the log keeps it; left out: nothing of it is. */
  toLogged?(reply: R): JsonObject | null;
  /** Returns a reply that was kept as JSON, or null if it is none. */
  restore(kept: unknown): R | null;
}

/** Ten large pictures, or 2,048 long vectors as numbers. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
/** Nobody works that much: a report beyond it is cut. */
const TIMES_WORST = 10;

export function makeWholeOperation<A extends Ask, R extends WholeReply, P extends object = never>(
  parts: WholeParts<A, R, P>,
): Operation<FormOf<A, R, P>> {
  const charactersMax = ANSWER_BYTES_MAX;
  const countAnswers = (ask: A) => parts.countAnswers?.(ask) ?? 1;
  return {
    name: parts.name,
    answerBytesMax: ANSWER_BYTES_MAX,
    hasLongTexts: parts.hasLongTexts ?? false,
    keptBytesMax: KEPT_BYTES_MAX,
    findCodec: (codecs) => parts.findCodec(codecs),
    choosing: null,
    countAnswers,
    refuseUnable: (ask, card) => parts.refuseUnable?.(ask, card),
    findImageUrl: () => null,
    offer: (ask, card) => makeOffer(card, countAnswers(ask), parts.countWorst(ask, card)),
    bound: (ask) => ({ ask, dropped: [] }),
    split: (ask, answersPerCall) => parts.split?.(ask, answersPerCall) ?? [ask],
    identify: (ask) => (parts.identify ? parts.identify(ask) : Object.fromEntries(Object.entries(ask))),
    toLog: (ask) => parts.toLog(ask),
    nameConversation: () => ({ sought: [], kept: [], heldTokens: 0 }),
    estimatePrompt: (ask) => parts.countLikely(ask, 0).prompt,
    estimateLoad: (ask) => countTokens(parts.countLikely(ask, 0)),
    encode: (codec, ask, card, target) => codec.encode(ask, card, target),
    readWhole: (codec, delivered, { ask, card }) => {
      const body = parts.isText ? delivered.body : parseBody(delivered);
      return readReply(() => codec.reply(body, card, ask, delivered.headers));
    },
    bounds: { firstByte: false, idle: !parts.isSlow },
    reader: (codec, { ask, card, headers }) =>
      new PartReader({ decoder: codec.decoder(card, ask, headers), addUsages, charactersMax }),
    isAnswer: ({ kind }) => kind !== "usage",
    merge: (replies) => mergeReplies(parts, replies),
    fold: () => new ReplyFolding((replies) => mergeReplies(parts, replies)),
    unfold: (reply) => [
      { kind: "reply", reply },
      ...(reply.usage ? [{ kind: "usage", usage: reply.usage } as const] : []),
    ],
    restore: (kept) => parts.restore(kept),
    toLogged: (reply) => parts.toLogged?.(reply) ?? null,
    readUsage: ({ usage }) => usage,
    withUsage: (reply, usage) => ({ ...reply, usage }),
    usagePiece: (usage) => ({ kind: "usage", usage }),
    addUsages,
    meter: () =>
      new PartMeter(
        (piece) => parts.countBytes?.(piece) ?? 0,
        (reply) => parts.countReply?.(reply) ?? 1,
      ),
    cutUsage: (usage, { ask, card, calls }) => {
      const most = parts.countMost?.(ask, card);
      if (most) return cutUsage(usage, most, 1);
      return cutUsage(usage, parts.countWorst(ask, card), TIMES_WORST * calls);
    },
    countAmounts: ({ amounts }) => amounts,
    estimate: ({ ask }, bytes, reported) => reported ?? { amounts: parts.countLikely(ask, bytes) },
    withCost: (usage, cost) => ({ ...usage, ...cost }),
  };
}

/** A codec for such answers. */
export function makeWholeCodec<A extends Ask, R extends WholeReply, P extends object = never>(
  parts: Omit<Codec<FormOf<A, R, P>>, "decoder" | "answersPerCall"> & {
    /** Left out: its servers don't stream. */
    decoder?: Codec<FormOf<A, R, P>>["decoder"];
    /** Left out if one call returns them all. */
    answersPerCall?(card: ModelCard, ask: A): number;
  },
): Codec<FormOf<A, R, P>> {
  const all = Number.POSITIVE_INFINITY;
  return {
    ...parts,
    answersPerCall: (card, ask) => parts.answersPerCall?.(card, ask) ?? all,
    decoder: (card, ask, headers) => parts.decoder?.(card, ask, headers) ?? null,
  };
}

/** The hold covers all of the work: no limit of output lowers it. */
function makeOffer(card: ModelCard, choices: number, worst: Amounts): Offer {
  const limits = { isLimitRequired: false, outputTokensAsked: 0, outputTokensMax: 0, outputUsdPerMillion: 0 };
  const lines = card.price === null ? [] : listBillLines(findHighest(card.price, worst.prompt), worst);
  return { card: card.id, choices, ...limits, isPriced: card.price !== null, lines };
}

function countTokens({ prompt, completion }: Amounts): number {
  return prompt + completion;
}

/** Returns the price with the highest rates of the tiers that a prompt of so many tokens reaches. */
function findHighest({ tiers = [], ...price }: Price, promptTokens: number): Price {
  const reached: readonly Rates[] = tiers.filter(({ aboveTokens }) => promptTokens > aboveTokens);
  const input = Math.max(price.input, ...reached.map((rates) => rates.input));
  const output = Math.max(price.output, ...reached.map((rates) => rates.output));
  return { ...price, input, output };
}

/** Some servers send blank lines before the JSON while they work. */
function parseBody({ body }: Delivered): unknown {
  const parsed = body instanceof LongJson ? body.parse() : parseJson(body);
  if (parsed === undefined) throw garbled("not JSON");
  return parsed;
}

function readReply<Reply>(read: () => Reply): Reply {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : garbled(`unreadable: ${String(thrown)}`);
  }
}

function mergeReplies<A extends Ask, R extends WholeReply, P extends object>(
  { name, merge }: WholeParts<A, R, P>,
  replies: readonly R[],
): R {
  if (!merge) throw new Error(`A request for ${name} is never split.`);
  return { ...merge(replies), usage: addUsages(replies.map(({ usage }) => usage)) };
}

function addUsages(usages: readonly (WorkUsage | null)[]): WorkUsage | null {
  let sum: Amounts | null = null;
  for (const usage of usages) {
    if (!usage) return null;
    sum = sum ? addAmounts(sum, usage.amounts) : usage.amounts;
  }
  return sum && { amounts: sum };
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
