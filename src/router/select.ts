// Router#best, #fair and #light: capable of the request first, then quality, cost or speed by the catalogue's facts.
import { can, type ModelCard } from "../core/card.ts";
import { type ChatRequest, outputLimitOf, textOf } from "../core/chat.ts";
import { Fault } from "../core/fault.ts";
import type { Selector } from "../core/selector.ts";
import { canAll, type Needs } from "./needs.ts";

const BYTES_PER_TOKEN = 4;
const OUTPUT_TOKENS_EXPECTED = 800;
const SECONDS_PER_YEAR = 365 * 86_400;

/** The candidates that can serve the request, best first by the selector's rule. `quality` is the share that `fair` keeps. */
export function ranked(
  selector: Selector,
  candidates: readonly ModelCard[],
  request: ChatRequest,
  needs: Needs,
  quality: number,
): readonly ModelCard[] {
  const promptTokens = promptTokensOf(request);
  const able = candidates.filter((card) => isAble(card, request, needs, promptTokens));
  if (able.length === 0) {
    throw new Fault("unsupported_capability", `No model behind Router#${selector} can serve this request.`, {
      param: "model",
    });
  }
  const newest = Math.max(...able.map((card) => card.created));
  const level = new Map(able.map((card) => [card, qualityOf(card, newest)]));
  const by = (score: (card: ModelCard) => number) =>
    [...able].sort((a, b) => score(b) - score(a) || (a.id < b.id ? -1 : 1));
  const levelOf = (card: ModelCard) => level.get(card) ?? 0;
  if (selector === "best") return by(levelOf);
  if (selector === "light") return by((card) => -weightOf(card));
  const floor = quality * Math.max(...level.values());
  const cost = (card: ModelCard) => costOf(card, promptTokens);
  return by((card) => (levelOf(card) >= floor ? 1 : 0) + 1 / (1 + cost(card)));
}

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
 * A level between 0.5 and 1 from what a maker asks for it and when it came out: within a generation the dearer model
 * is the better one, and a year makes up for about a factor of four in price.
 */
function qualityOf(card: ModelCard, newest: number): number {
  const price = Math.log2(1 + (card.price?.output ?? 0));
  const age = (newest - card.created) / SECONDS_PER_YEAR;
  return 0.5 + 0.5 / (1 + Math.exp(-(price - 2 * age - 2) / 2));
}

/** Time to an answer has no fact in the catalogue: a smaller model is cheaper and faster, and thinking takes time. */
function weightOf(card: ModelCard): number {
  return (card.price?.output ?? 0) * (card.capabilities.has("reasoning") ? 1.5 : 1);
}

function costOf(card: ModelCard, promptTokens: number): number {
  const { input = 0, output = 0 } = card.price ?? {};
  return (promptTokens * input + OUTPUT_TOKENS_EXPECTED * output) / 1000;
}
