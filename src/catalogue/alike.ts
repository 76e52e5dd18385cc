// Models that stand for one that no catalogue has any more: of its vendor, at the nearest price.
import { CHAT_ONLY, type ModelCard } from "../core/models/card.ts";
import { listSpellings } from "./spellings.ts";

interface RetiredModel {
  readonly vendor: string;
  /** About the vendor's last list price of a million tokens of output, in USD. */
  readonly output: number;
}

/** By name. The prices only order suggestions: nothing is charged by them. */
const RETIRED: Readonly<Record<string, RetiredModel>> = {
  "gpt-3-5-turbo": { vendor: "OpenAI", output: 1.5 },
  "gpt-3-5-turbo-16k": { vendor: "OpenAI", output: 4 },
  "gpt-4": { vendor: "OpenAI", output: 60 },
  "gpt-4-32k": { vendor: "OpenAI", output: 120 },
  "gpt-4-turbo": { vendor: "OpenAI", output: 30 },
  "gpt-4-turbo-preview": { vendor: "OpenAI", output: 30 },
  "gpt-4-1-nano": { vendor: "OpenAI", output: 0.4 },
  "o1-mini": { vendor: "OpenAI", output: 4.4 },
  "o3-mini": { vendor: "OpenAI", output: 4.4 },
  "o4-mini": { vendor: "OpenAI", output: 4.4 },
  o1: { vendor: "OpenAI", output: 60 },
  "claude-2-1": { vendor: "Anthropic", output: 24 },
  "claude-3-haiku": { vendor: "Anthropic", output: 1.25 },
  "claude-3-sonnet": { vendor: "Anthropic", output: 15 },
  "claude-3-opus": { vendor: "Anthropic", output: 75 },
  "claude-3-5-haiku": { vendor: "Anthropic", output: 4 },
  "claude-3-5-sonnet": { vendor: "Anthropic", output: 15 },
  "claude-3-7-sonnet": { vendor: "Anthropic", output: 15 },
  "gemini-1-5-flash": { vendor: "Google", output: 0.3 },
  "gemini-1-5-pro": { vendor: "Google", output: 5 },
  "gemini-2-0-flash": { vendor: "Google", output: 0.4 },
  "gemini-2-0-flash-lite": { vendor: "Google", output: 0.3 },
  "grok-2": { vendor: "xAI", output: 10 },
  "grok-3": { vendor: "xAI", output: 15 },
  "grok-3-mini": { vendor: "xAI", output: 0.5 },
  "grok-4": { vendor: "xAI", output: 15 },
  "mistral-tiny": { vendor: "Mistral", output: 0.25 },
  "open-mistral-7b": { vendor: "Mistral", output: 0.25 },
  "open-mixtral-8x7b": { vendor: "Mistral", output: 0.7 },
  "open-mixtral-8x22b": { vendor: "Mistral", output: 6 },
};

/** Beyond this factor of the price, a model is for other tasks. */
const NEAR_FACTOR = 4;

/**
 * Returns models for a name that has been retired: its vendor's, the nearest in price first, or others'
 * if none of the vendor's is served. Empty if none is near in price. Null for a name that isn't known as retired.
 */
export function listReplacements(name: string, cards: readonly ModelCard[]): readonly string[] | null {
  const spelling = listSpellings(name).find((one) => Object.hasOwn(RETIRED, one));
  const retired = spelling === undefined ? undefined : RETIRED[spelling];
  if (retired === undefined) return null;
  const near = cards.flatMap(({ id, provider, price, operations = CHAT_ONLY }) => {
    const ratio = (price?.output ?? 0) / retired.output;
    const isNear = ratio <= NEAR_FACTOR && ratio >= 1 / NEAR_FACTOR && operations.has("chat");
    return isNear ? [{ id, provider, distance: Math.abs(Math.log(ratio)) }] : [];
  });
  const own = near.filter(({ provider }) => provider === retired.vendor);
  return (own.length > 0 ? own : near)
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ id }) => id);
}
