// Router#best, #fair and #light: capable of the request first, then quality, cost or speed by the catalogue's facts.
import { can, type ModelCard } from "../core/card.ts";
import { type ChatRequest, outputLimitOf, textOf } from "../core/chat.ts";
import { Fault } from "../core/fault.ts";
import type { Selector } from "../core/selector.ts";
import { canAll, type Needs } from "./needs.ts";

const BYTES_PER_TOKEN = 4;
const OUTPUT_TOKENS_EXPECTED = 800;
const SECONDS_PER_YEAR = 365 * 86_400;
/** USD per million output tokens at which most of the gain of a dearer model is had. */
const WORTH_USD = 4;
/** `light` doesn't go below this level where there is a choice. */
const LIGHT_LEVEL_MIN = 0.55;

/** The candidates that can serve the request, best first by the selector's rule. `quality` is the share that `fair` keeps. */
export function ranked(
  selector: Selector,
  candidates: readonly ModelCard[],
  request: ChatRequest,
  needs: Needs,
  quality: number,
): readonly ModelCard[] {
  if (candidates.length === 0) {
    throw new Fault("no_provider_available", `No model is on that Router#${selector} could choose.`);
  }
  const promptTokens = promptTokensOf(request);
  const able = candidates.filter((card) => isAble(card, request, needs, promptTokens));
  if (able.length === 0) {
    throw new Fault("unsupported_capability", `No model behind Router#${selector} can serve this request.`, {
      param: "model",
    });
  }
  const newest = Math.max(...able.map((card) => card.created));
  const choices = able.map((card) => ({
    card,
    level: levelOf(card, newest),
    cost: costOf(card, promptTokens),
    weight: weightOf(card),
  }));
  const best = Math.max(...choices.map(({ level }) => level));
  const floor = { best: 0, fair: quality * best, light: Math.min(LIGHT_LEVEL_MIN, best) }[selector];
  const first = ORDER[selector];
  const sorted = choices.toSorted(
    (a, b) =>
      Number(b.level >= floor) - Number(a.level >= floor) ||
      first(a, b) ||
      a.cost - b.cost ||
      b.card.created - a.card.created ||
      (a.card.id < b.card.id ? -1 : 1),
  );
  return sorted.map(({ card }) => card);
}

interface Choice {
  readonly card: ModelCard;
  readonly level: number;
  readonly cost: number;
  readonly weight: number;
}

/** What comes first among those above the floor; where that is equal, cost decides. */
const ORDER: Readonly<Record<Selector, (a: Choice, b: Choice) => number>> = {
  best: (a, b) => b.level - a.level,
  fair: (a, b) => a.cost - b.cost,
  light: (a, b) => a.weight - b.weight,
};

function isAble(card: ModelCard, request: ChatRequest, needs: Needs, promptTokens: number): boolean {
  if (card.price === null || !canAll(card, needs)) return false;
  if (request.response_format?.type === "json_schema" && !can(card, "structured")) return false;
  return (
    card.contextTokensMax === null || promptTokens + (outputLimitOf(request) ?? 0) <= card.contextTokensMax
  );
}

function promptTokensOf(request: ChatRequest): number {
  let bytes = 0;
  for (const message of request.messages) bytes += textOf(message.content).length;
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * A level between 0.5 and 1, in hundredths, from what a maker asks for a model and when it came out: within a generation
 * the dearer model is the better one, ever less so, and a year makes up for a factor of four in price.
 */
function levelOf(card: ModelCard, newest: number): number {
  const years = (newest - card.created) / SECONDS_PER_YEAR;
  const worth = (card.price?.output ?? 0) * 4 ** -years;
  return Math.round(100 - 50 * Math.exp(-worth / WORTH_USD)) / 100;
}

/** Time to an answer has no fact in the catalogue: a smaller model is cheaper and faster, and thinking takes time. */
function weightOf(card: ModelCard): number {
  return (card.price?.output ?? 0) * (card.capabilities.has("reasoning") ? 1.5 : 1);
}

function costOf(card: ModelCard, promptTokens: number): number {
  const { input = 0, output = 0 } = card.price ?? {};
  return (promptTokens * input + OUTPUT_TOKENS_EXPECTED * output) / 1000;
}
