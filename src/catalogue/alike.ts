// Models that stand for one that no catalogue has any more: of its vendor and line, the newest first, or at the nearest price.
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
  "claude-sonnet-4": { vendor: "Anthropic", output: 15 },
  "claude-sonnet-4-0": { vendor: "Anthropic", output: 15 },
  "claude-opus-4": { vendor: "Anthropic", output: 75 },
  "claude-opus-4-0": { vendor: "Anthropic", output: 75 },
  "claude-opus-4-1": { vendor: "Anthropic", output: 75 },
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

/** A vendor's lines of models. The name of an old one stands for the newest of its line. */
const LINES = /(?:^|-)(sonnet|opus|haiku|nano|mini|flash-lite|flash|pro)(?:-|$)/;
const PREVIEW = /-preview\b/;
/** A name with its day stands for the same model as the one without. */
const DATED = /-\d{8}$|-\d{4}-\d{2}-\d{2}$/;

/**
 * Returns models for a name that has been retired: its vendor's of the same line, the newest first, then the others, the
 * nearest in price first; other vendors' if none of its own is served. Empty if none is near in price. Null for a name that isn't known as retired.
 */
export function listReplacements(name: string, cards: readonly ModelCard[]): readonly string[] | null {
  const spelling = listSpellings(name).find((one) => Object.hasOwn(RETIRED, one));
  const retired = spelling === undefined ? undefined : RETIRED[spelling];
  if (spelling === undefined || retired === undefined) return null;
  const line = LINES.exec(spelling)?.[1];
  const near = cards.flatMap(({ id, name: ownName, provider, price, created, operations = CHAT_ONLY }) => {
    const ratio = (price?.output ?? 0) / retired.output;
    const isNear = ratio <= NEAR_FACTOR && ratio >= 1 / NEAR_FACTOR && operations.has("chat");
    if (!isNear || DATED.test(ownName)) return [];
    const isOfLine = line !== undefined && LINES.exec(ownName)?.[1] === line;
    return [{ id, provider, created, isOfLine, distance: Math.abs(Math.log(ratio)) }];
  });
  const own = near.filter(({ provider }) => provider === retired.vendor);
  return (own.length > 0 ? own : near)
    .toSorted(
      (one, other) =>
        Number(other.isOfLine) - Number(one.isOfLine) ||
        Number(PREVIEW.test(one.id)) - Number(PREVIEW.test(other.id)) ||
        (one.isOfLine ? 0 : one.distance - other.distance) ||
        other.created - one.created,
    )
    .map(({ id }) => id);
}
