// A selector's choice: the models that can serve a request, ranked by one prediction, with the reasons.
import type { CachedPrefix } from "../core/attempt.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { TaskKind } from "../core/models/skill.ts";
import type { ChatRequest } from "../operations/chat/form.ts";
import { findNeeds } from "../operations/chat/needs.ts";
import { type ChooseInput, type PreparedAsk, prepareAsk } from "./ask.ts";
import { type Candidate, makeCandidate } from "./candidate.ts";
import { type Estimates, estimateAll } from "./estimates.ts";
import { SELECTOR_RULES } from "./index.ts";
import type { Leaning } from "./knowledge.ts";
import { compareByScore, compareIds, rankAll, type SelectorRule } from "./selector.ts";
import { findServed } from "./served.ts";
import { CONTEXT } from "./sieve.ts";
import { sift } from "./sift.ts";
import { findStaying, type Staying } from "./staying.ts";
import type { Parameters } from "./text/parameters.ts";
import type { Prediction } from "./text/predictor.ts";
import { readRequest } from "./text/reading.ts";
import type { SideCall } from "./text/side-calls.ts";
import { explainChoice } from "./why.ts";

/** `foremost` holds this many by score, the champion, the candidate of the highest quality, and those that others are compared with. */
export const FIRST_KEPT = 8;

export interface Choice {
  readonly selector: SelectorRule;
  readonly asked: PreparedAsk;
  /** The rule that chose: the selector's own, unless the request is a side call. */
  readonly rule: SelectorRule;
  readonly sideCall: SideCall | null;
  /** The first by score and those that scores depend on, best first. The log keeps these. */
  readonly foremost: readonly Candidate[];
  /** Null if none can serve the request. */
  readonly choice: ModelCard | null;
  /** The kind of task whose pin decided. Null if none did. */
  readonly pinned: TaskKind | null;
  /** Set if the conversation stays with its model, whatever the scores are. */
  readonly stays: Staying | null;
  /** The reason, a sentence of ASCII. Null without a choice. */
  readonly why: string | null;
  readonly leanedOn: readonly Leaning[];
  /** The number of models removed, by reason. */
  readonly removed: Readonly<Record<string, number>>;
  /** The model with most room for a prompt, of those removed for their context alone. Null if there are none. */
  readonly roomiest: Roomiest | null;
  /** All candidates, best first, removed ones last. Made on first use: sorting thousands takes longer than choosing. */
  readonly candidates: readonly Candidate[];
  /** Yields all that can serve, best first. Only the few plans that go beyond the first ones sort thousands. */
  inOrder(): Iterable<ModelCard>;
}

/** Deterministic: the same input gives the same choice. One pass over ten thousand cards takes about a millisecond. */
export function choose(selector: SelectorRule, input: ChooseInput, parameters?: Parameters): Choice {
  const { prediction, promptTokens, sideCall } = readRequest(input.request, parameters);
  return decide(selector, input, prediction, promptTokens, sideCall);
}

/** Chooses by an existing prediction, as when a decision is repeated. The light rule serves side calls of agents. */
export function decide(
  selector: SelectorRule,
  input: ChooseInput,
  prediction: Prediction,
  promptTokens: number,
  sideCall: SideCall | null = null,
): Choice {
  const rule = sideCall === null ? selector : SELECTOR_RULES.light;
  const served = findServed(input, selector, (request, before) =>
    chooseEarlier(selector, input, request, before),
  );
  const asked = prepareAsk(input, prediction, promptTokens, served);
  const { removed, reasons, ...sifted } = sift(asked);
  const able = estimateAll(asked, sifted.able);
  const ranked = rankAll(rule, able, asked.ask, FIRST_KEPT);
  const { front, pinned, stays } = findFront(able, ranked.first[0], rule);
  const compare = (a: number, b: number) =>
    Number(b === front) - Number(a === front) || compareByScore(able, a, b);
  const sortAll = () => [...able.rows.keys()].sort(compare);
  const toCandidate = (place: number) => makeCandidate(able, place, null);
  const foremost = pickForemost(able, front, ranked, compare).sort(compare).map(toCandidate);
  let candidates: readonly Candidate[] | undefined;
  return {
    selector,
    asked,
    rule,
    sideCall,
    foremost,
    choice: foremost[0]?.card ?? null,
    pinned,
    stays,
    why: explainChoice({ selector, candidates: foremost, stays, isTaught: asked.ask.isTaught, pinned }),
    leanedOn: asked.learned.leanedOn(asked.prediction),
    removed: countRemovals(reasons),
    get roomiest() {
      return findRoomiest(asked, removed, reasons);
    },
    get candidates() {
      candidates ??= [...sortAll().map(toCandidate), ...listRemoved(asked, removed, reasons)];
      return candidates;
    },
    inOrder: () => listInOrder(able, foremost, sortAll),
  };
}

/** The model that is chosen first, whatever the scores are. */
interface Front {
  /** Its place. −1 if there is none. */
  readonly front: number;
  readonly pinned: TaskKind | null;
  readonly stays: Staying | null;
}

/** A pin comes before the conversation's model, except while that one waits for the results of its calls. */
function findFront(able: Estimates, first: number | undefined, rule: SelectorRule): Front {
  const { pin } = able.asked.rules;
  const stays = findStaying(able, first, rule);
  const pinAt = pin === null || stays?.isCaller ? -1 : able.find(pin.id);
  if (pinAt >= 0) return { front: pinAt, pinned: pin?.kind ?? null, stays: null };
  return { front: stays?.place ?? -1, pinned: null, stays };
}

/**
 * Chooses for an earlier turn, whose model was the one in `before`. All processes that know the same of the models choose the
 * same, at whichever turn: what only the present one needs is left out.
 */
function chooseEarlier(
  selector: SelectorRule,
  { heldBy: _heldBy, reads: _reads, findRefusedUrl: _findRefusedUrl, ...input }: ChooseInput,
  request: ChatRequest,
  before: CachedPrefix | null,
): Choice {
  return choose(selector, { ...input, request, needs: findNeeds(request), cached: () => before });
}

function* listInOrder(
  able: Estimates,
  foremost: readonly Candidate[],
  sortAll: () => readonly number[],
): Iterable<ModelCard> {
  for (const { card } of foremost.slice(0, FIRST_KEPT)) yield card;
  if (able.rows.length <= FIRST_KEPT) return;
  for (const place of sortAll().slice(FIRST_KEPT)) yield able.cardAt(place);
}

/** A model's context, and how much of it the answer needs, in tokens. */
interface Roomiest {
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
}

function findRoomiest(
  { table, answerRoomAt }: PreparedAsk,
  rows: Int32Array,
  reasons: readonly string[],
): Roomiest | null {
  let found: Roomiest | null = null;
  for (const [at, reason] of reasons.entries()) {
    if (reason !== CONTEXT) continue;
    const row = rows[at] ?? -1;
    const one = { contextTokensMax: table.room[row] ?? 0, outputTokensMax: answerRoomAt(row) };
    if (found === null || findRoom(one) > findRoom(found)) found = one;
  }
  return found;
}

function findRoom({ contextTokensMax, outputTokensMax }: Roomiest): number {
  return contextTokensMax - outputTokensMax;
}

function listRemoved(asked: PreparedAsk, rows: Int32Array, reasons: readonly string[]): readonly Candidate[] {
  const estimates = estimateAll(asked, rows);
  const out = reasons.map((reason, place) => makeCandidate(estimates, place, reason));
  return out.sort((a, b) => compareIds(a.card, b.card));
}

/** Returns the places of those to keep: the first few, the champion, the one of the highest quality, and `marks`. */
function pickForemost(
  { champion, quality }: Estimates,
  front: number,
  { first: byScore, marks }: ReturnType<typeof rankAll>,
  compare: (a: number, b: number) => number,
): number[] {
  let highest = quality.length - 1;
  for (let place = quality.length - 2; place >= 0; place--) {
    const ahead = (quality[place] ?? 0) - (quality[highest] ?? 0);
    if (ahead > 0 || (ahead === 0 && compare(place, highest) < 0)) highest = place;
  }
  const first = [front, ...byScore.filter((place) => place !== front)].filter((place) => place >= 0);
  return [...new Set([...first.slice(0, FIRST_KEPT), champion, highest, ...marks])].filter(
    (place) => place >= 0,
  );
}

function countRemovals(reasons: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
