// Chat completions as an operation.

import { isObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { DeliveredBody } from "../../core/models/dialect.ts";
import { findCardLimits, findLimits } from "../../core/models/target-rows.ts";
import { toUnreadable } from "../../core/models/upstream.ts";
import type { AnswerCodec, Codec, Passing, UrlKind } from "../codec.ts";
import { type ChangedAsk, joinLists, NONE } from "../form.ts";
import { leaveOut } from "../leave-out.ts";
import { type Operation, type ReaderOptions, type SentAsk, shareAnswers } from "../operation.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { AnswerReader, parseAnswer } from "./answer/answer.ts";
import { Fold, unfold } from "./answer/fold.ts";
import { isAnswer, normaliseReply } from "./answer/normalise.ts";
import { unsealPiece, unsealReply } from "./answer/unseal.ts";
import { fitToHold } from "./bounded.ts";
import { nameConversation, nameOpening } from "./conversation.ts";
import type { ChatForm } from "./decoder.ts";
import { estimatePromptTokens } from "./estimate.ts";
import { forgetPrompt } from "./forget.ts";
import { type ChatReply, type ChatRequest, readOutputLimit, type Usage } from "./form.ts";
import { findSignOfGoingOn } from "./going-on.ts";
import { Grader } from "./grader.ts";
import { KEEPING } from "./keeping.ts";
import { ChatMeter } from "./meter.ts";
import { findNeeds, findUrl, refuseBulk, refuseUnable } from "./needs.ts";
import { makeOffer } from "./offer.ts";
import { findPlan, planShape } from "./plans.ts";
import { dropFromPiece, moveInPiece, moveInReply } from "./positions.ts";
import { digestPrompt } from "./prompt/digest-prompt.ts";
import { dropReplyThoughts, dropThoughts } from "./prompt/drop-thinking.ts";
import { dropForcedCall } from "./prompt/forced-call.ts";
import { leaveOutUntaken, listMedia, listUntaken } from "./prompt/media.ts";
import { addSaid } from "./prompt/said-again.ts";
import { leaveOutUnpricedSearch } from "./prompt/searches.ts";
import { foldToolChanges, hasToolChanges } from "./prompt/tool-changes.ts";
import { findSearch } from "./prompt/web-search.ts";
import { listEndedTexts, mapPieces, mapReply, mapTexts } from "./texts.ts";
import { addUsages, countAmounts, cutUsage } from "./usage.ts";

/** Answers are rarely longer, and expecting more would keep requests off credentials that have room. */
const LOAD_MAX = 4096;

export const CHAT: Operation<ChatForm> = {
  name: "chat",
  // Parsing and writing a longer one would delay all other requests.
  answerBytesMax: 16 * 1024 * 1024,
  // A stream's chunks are many times as long as the reply that they fold to.
  kept: { bytesMax: 1024 * 1024, collectedMax: 32 * 1024 * 1024 },
  findCodec: ({ chat }) => chat ?? null,
  choosing: {
    describe: (ask) => ({ request: ask, needs: findNeeds(ask) }),
    grade: (ask) => new Grader(ask),
  },

  countAnswers: ({ n }) => n ?? 1,
  refuseUnable(ask, card, isNamed = false) {
    refuseUnable(card, findNeeds(ask));
    // Only its provider knows for sure what a model takes, so one that the client named is asked all the same.
    if (!isNamed) refuseBulk(card, ask, findLimits(card));
    else if (card.refuses) refuseBulk(card, ask, findCardLimits(card));
  },
  findUrl,
  findSearch,
  offer: (ask, card, terms) => makeOffer(card, ask, terms),
  offerLeast: null,
  bound: fitToHold,
  split,
  identify({ stream: _stream, stream_options: _options, ...body }) {
    return body;
  },
  toLog({ messages, ...request }) {
    return { request, messages };
  },
  mapTexts,
  mapReply,
  mapPieces,
  streamed: { endedTexts: listEndedTexts, positions: { moveInReply, moveInPiece, dropFromPiece } },
  thoughts: { drop: dropThoughts, dropFromReply: dropReplyThoughts, unseal: unsealPiece, unsealReply },
  conversations: {
    name: nameConversation,
    nameOpening,
    isFirstTurn: ({ messages }) => !messages.some(({ role }) => role === "assistant"),
    findSignOfGoingOn,
    digest: digestPrompt,
  },
  forgetPrompt,
  estimatePrompt: estimatePromptTokens,
  estimateLoad: (ask) => ({
    prompt: estimatePromptTokens(ask),
    output: (ask.n ?? 1) * Math.min(readOutputLimit(ask) ?? LOAD_MAX, LOAD_MAX),
  }),

  fit,
  cuts: (codec, ask, card) =>
    listMedia(ask).length > 0 && listUntaken(ask, card, takesUrls(codec, ask, card)).length > 0,
  encode(codec, given, card, target) {
    const plan = findPlan(codec, given, card, target);
    const planned = plan?.write(given, target) ?? null;
    if (planned !== null) return planned;
    const { ask, dropped } = fit(codec, given, card, target);
    const outgoing = codec.encode(ask, card, target);
    plan?.learn(given, target, outgoing);
    return dropped.length === 0 ? outgoing : { ...outgoing, dropped: [...dropped, ...outgoing.dropped] };
  },
  readWhole,
  reader(codec, { ask, card, offset, dropped, isNative, said }) {
    const decoder = (said === undefined ? codec : addSaid(codec, said)).decoder(card, ask);
    const stops = listStops(ask, dropped);
    const passing = { splices: true, verbatim: isNative };
    return new AnswerReader({ decoder, request: ask, choiceOffset: offset, stops, ...passing });
  },
  bounds: { firstByte: true, idle: true },
  isAnswer,
  merge(replies) {
    const usage = addUsages(replies.map((reply) => reply.usage ?? null));
    const choices = replies.flatMap((reply) => reply.choices);
    // One call's report doesn't cover all calls.
    return { ...replies[0], choices, usage: usage ?? undefined };
  },
  fold: () => new Fold(),
  unfold,
  restore: (kept) => (isReply(kept) ? kept : null),
  keeping: KEEPING,
  toLogged: (reply) => (reply.choices.length > 0 ? reply : null),

  readUsage: ({ usage }) => usage ?? null,
  withUsage: (reply, usage) => ({ ...reply, usage }),
  usagePiece: (usage) => ({ choices: [], usage }),
  addUsages,
  meter: () => new ChatMeter(),
  cutUsage,
  countAmounts,
  estimate,
  withCost,
};

/** Most usage has no terms, and copying an object without one of its fields takes several times as long as a whole copy. */
function withCost(usage: Usage, cost: { readonly cost?: number; readonly charged?: number }): Usage {
  const priced: Usage = Object.assign({ ...usage }, cost);
  if ("terms" in priced) delete priced.terms;
  return priced;
}

function isReply(value: unknown): value is ChatReply {
  return isObject(value) && Array.isArray(value.choices);
}

function split(ask: ChatRequest, answersPerCall: number): readonly ChatRequest[] {
  const wanted = ask.n ?? 1;
  return wanted <= answersPerCall ? [ask] : share(ask, shareAnswers(wanted, answersPerCall));
}

function share(ask: ChatRequest, counts: readonly number[]): readonly ChatRequest[] {
  return counts.map((n) => ({ ...ask, n }));
}

/** The latest result for each request, which is needed for the hold, for the call and at the end. */
const latest = new WeakMap<ChatRequest, LastFit>();

interface LastFit {
  readonly codec: Codec<ChatForm>;
  readonly card: ModelCard;
  readonly extraFields: Passing["extraFields"];
  readonly result: ChangedAsk<ChatRequest>;
}

function fit(
  codec: Codec<ChatForm>,
  ask: ChatRequest,
  card: ModelCard,
  operator: Passing,
): ChangedAsk<ChatRequest> {
  const { extraFields } = operator;
  const known = latest.get(ask);
  const isKnown = known?.card === card && known.codec === codec && known.extraFields === extraFields;
  if (isKnown) return known.result;
  if (findPlan(codec, ask, card, operator) !== null) return { ask, dropped: NONE };
  const isPlaced =
    ask.tools === undefined || !hasToolChanges(ask) || codec.changesTools?.(card, ask) === true;
  const folded = isPlaced ? { ask, dropped: NONE } : foldToolChanges(ask);
  const cheap = dropUnpriced(folded.ask, operator);
  const { changes, dropped } = leaveOutUnpricedSearch(cheap.ask, card);
  const priced = dropped.length > 0 ? { ...cheap.ask, ...changes } : cheap.ask;
  const willing = codec.demandsCalls ? { ask: priced, dropped: NONE } : dropForcedCall(priced, card);
  const taken = leaveOutUntaken(willing.ask, card, takesUrls(codec, willing.ask, card));
  const own = codec.fit(taken.ask, card, operator);
  const left = joinLists(folded.dropped, cheap.dropped, dropped);
  const all = joinLists(left, willing.dropped, taken.dropped, own.dropped);
  const result = { ask: own.ask, dropped: all };
  planShape(codec, ask, card, operator, result);
  latest.set(ask, { codec, card, extraFields, result });
  return result;
}

function takesUrls(codec: Codec<ChatForm>, ask: ChatRequest, card: ModelCard): (kind: UrlKind) => boolean {
  return (kind) => codec.takesUrls?.(kind, card, ask) !== false;
}

/** The tiers at the card's price. */
const USUAL_TIERS: ReadonlySet<unknown> = new Set([undefined, "auto", "default"]);

/** Leaves out what the card has no price for, another tier and moderation, unless the operator names the field. */
function dropUnpriced(ask: ChatRequest, { extraFields = NONE }: Passing): ChangedAsk<ChatRequest> {
  const isUsual = USUAL_TIERS.has(ask.service_tier);
  if (isUsual && ask.moderation === undefined) return { ask, dropped: NONE };
  const unpriced = isUsual ? ["moderation"] : ["service_tier", "moderation"];
  const left = unpriced.filter((field) => !extraFields.includes(field));
  return leaveOut(
    ask,
    left.map((field) => [field, field]),
  );
}

/** Returns the stop sequences that the provider doesn't support, which the gateway applies itself. */
function listStops(ask: ChatRequest, dropped: readonly string[]): readonly string[] {
  return dropped.includes("stop") ? (ask.stop ?? NONE) : NONE;
}

function readWhole(
  codec: AnswerCodec<ChatForm>,
  { body: text, headers }: DeliveredBody,
  { ask, card, offset, dropped, isNative, said }: ReaderOptions<ChatRequest>,
): ChatReply {
  const body = parseAnswer(String(text), ask);
  const canonical = readReply(said === undefined ? codec : addSaid(codec, said), body, card, ask, headers);
  const reply = normaliseReply(canonical, ask, offset, listStops(ask, dropped));
  return isNative && isObject(body) ? { ...reply, verbatim: canonical.verbatim ?? body } : reply;
}

function readReply(
  codec: AnswerCodec<ChatForm>,
  body: unknown,
  card: ModelCard,
  ask: ChatRequest,
  headers: Headers,
): ChatReply {
  try {
    return codec.reply(body, card, ask, headers);
  } catch (thrown) {
    throw toUnreadable(thrown);
  }
}

function estimate(
  { ask, calls, unreadBytes }: Omit<SentAsk<ChatRequest>, "card" | "rounds">,
  bytes: number,
  reported: Usage | null,
): Usage {
  const promptTokens =
    reported?.prompt_tokens ?? (estimatePromptTokens(ask) + estimateTextTokens(unreadBytes)) * calls;
  const completionTokens = Math.max(estimateTextTokens(bytes), reported?.completion_tokens ?? 0);
  return {
    ...reported,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
