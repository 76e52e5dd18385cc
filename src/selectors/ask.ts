// A request as every model is compared with it: the part that is the same for all models, computed once.
import type { CachedPrefix } from "../core/attempt.ts";
import { NOBODY } from "../core/keys/payer.ts";
import type { ModelCard } from "../core/models/card.ts";
import { type Steering, UNSTEERED } from "../core/models/steering.ts";
import type { RouterRules } from "../core/settings.ts";
import { makeFindAnswerRoom } from "../operations/chat/bounded.ts";
import { type ChatRequest, readOutputLimit } from "../operations/chat/form.ts";
import { measureBulk, type Needs } from "../operations/chat/needs.ts";
import { listMedia } from "../operations/chat/prompt/media.ts";
import type { UrlKind } from "../operations/codec.ts";
import { type HealthView, makeThoughtEstimate } from "./expense.ts";
import { type Knowledge, NOTHING_KNOWN } from "./knowledge.ts";
import { findLightShare } from "./light.ts";
import { expectProfiles, prepareQuality } from "./quality.ts";
import { selectRules } from "./rules.ts";
import type { RankAsk } from "./selector.ts";
import { type CardTable, findTable } from "./table.ts";
import type { Prediction } from "./text/predictor.ts";
import type { ServingModel } from "./thought.ts";

const NO_HEALTH: HealthView = { over: () => () => null };
/** Below this likeness the request is stranger than nearly all labelled prompts, and their trade-offs are ignored. */
const ALIKE_MIN = 0.05;

/** The demands of a request on a call, beside the capabilities of a model. */
export interface Wishes {
  /** False if a call for the model wouldn't carry what is asked. Missing if every call would. */
  readonly reads?: ((card: ModelCard) => boolean) | undefined;
  /** Returns which of the request's URLs the provider can't fetch. Missing if nothing has to be fetched. */
  readonly findRefusedUrl?: ((card: ModelCard) => UrlKind | null) | undefined;
  /** False if a call for the model wouldn't carry the request's web search. Missing if it has none. */
  readonly searches?: ((card: ModelCard) => boolean) | undefined;
  /** True if models that can't search are no candidates. Otherwise those that can come first. */
  readonly mustSearch?: boolean;
  /** True if the client's API requires a limit on the answer, so that a large one says nothing. */
  readonly isLimitRequired?: boolean;
}

export interface ChooseInput extends Wishes {
  readonly request: ChatRequest;
  readonly needs: Needs;
  /** The catalogue's cards, one list for all requests. Those that can't serve stay in the answer, with the reason. */
  readonly cards: readonly ModelCard[];
  /** The places of the cards to choose from. If missing, all are considered. */
  readonly among?: Int32Array | undefined;
  readonly rules: RouterRules;
  /** Demands on the choice beyond the rules. Missing for none. */
  readonly steering?: Steering;
  /** The share of the best quality that `fair` keeps, 0…1. */
  readonly quality: number;
  /** By which costs are multiplied where a client sees or bounds them. Missing for 1. */
  readonly markup?: number;
  /** False if the client's key may not use it. */
  readonly allowed?: (id: string) => boolean;
  readonly health?: HealthView;
  /** If missing, nothing was learned. */
  readonly learned?: Knowledge;
  /** The model that this process saw serve the conversation's last turn. Null if it saw none. */
  readonly cached?: () => CachedPrefix | null;
  /** Returns how many of the tokens that a card has read in the turn before it has probably cached. Missing if unknown. */
  readonly heldBy?: (cardId: string, tokens: number) => number;
  /** The payer of the request, whose own answers count in full. Missing for nobody's. */
  readonly payer?: string;
}

export type PreparedAsk = Readonly<ReturnType<typeof prepareAsk>>;

function readAnswerRoom(request: ChatRequest, { outputMax }: CardTable, isLimitRequired = false) {
  const findRoom = makeFindAnswerRoom(readOutputLimit(request) ?? 0, isLimitRequired);
  return (place: number) => findRoom(outputMax[place] ?? Number.POSITIVE_INFINITY);
}

function makeRankAsk(share: number, prediction: Prediction, learned: Knowledge): RankAsk {
  const { difficulty } = prediction;
  const likeness = learned.likenessOf(prediction);
  const isAlike = likeness !== null && likeness >= ALIKE_MIN;
  return {
    share,
    difficulty,
    likeness: likeness ?? prediction.sure,
    isTaught: likeness !== null,
    margin: learned.margin,
    usualCostUsd: learned.usualCostUsd,
    costWeight: isAlike ? learned.weightFor("money", share) : null,
    timeWeight: isAlike ? learned.weightFor("time", findLightShare(difficulty)) : null,
  };
}

/** `promptTokens` is an estimate. */
export function prepareAsk(
  input: ChooseInput,
  prediction: Prediction,
  promptTokens: number,
  served: ServingModel | null,
) {
  const { request, needs, quality: share, health = NO_HEALTH, learned = NOTHING_KNOWN } = input;
  const { steering = UNSTEERED, payer = NOBODY } = input;
  const isStructured = request.response_format?.type === "json_schema";
  const table = findTable(input.cards);
  const ask = makeRankAsk(share, prediction, learned);
  const quality = prepareQuality(prediction);
  return {
    input,
    prediction,
    promptTokens,
    learned,
    payer,
    ask,
    table,
    steering,
    markup: input.markup ?? 1,
    /** By place: its health, what was learned about its quality, and the lengths of its answers. */
    seenAt: health.over(table),
    shifts: learned.shiftsBy(table.places, prediction),
    lengthAt: learned.lengthsBy(table.places, payer),
    /** The thinking expected of a profile's thinking tokens. */
    thoughtFor: makeThoughtEstimate(request.reasoning_effort, prediction.difficultyLogit),
    /** The client's own limit. */
    outputTokensMax: readOutputLimit(request),
    /** By place: the tokens that its context must leave for the answer. */
    answerRoomAt: readAnswerRoom(request, table, input.isLimitRequired),
    needed: [...needs.keys(), ...(isStructured ? (["structured"] as const) : [])],
    /** Tools and pictures, of which a model may refuse the number or the kind. */
    bulk: measureBulk(request),
    /** Capabilities for what stands earlier in the conversation: others are chosen only if no model has them. */
    wished: [...new Set(listMedia(request).map(({ need }) => need))],
    quality,
    ...expectProfiles(table, quality),
    rules: selectRules(input.rules, prediction, table, steering),
    served,
    /** Known from the process's memory alone: where another process served, costs are estimated without a cache. */
    cached: served?.by === "memory" ? served : null,
  };
}
