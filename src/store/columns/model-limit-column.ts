// A key's limits on some models as stored in a column: JSON.
import { asArray, asNumber, asObject, parseJson } from "../../core/json/json.ts";
import type { ModelLimit } from "../../core/limits/model-limit.ts";

type ModelLimits = readonly ModelLimit[] | "default";

/** By their text, as for budgets: decisions know a list again by its identity. */
const known = new Map<string, ModelLimits>();
const KNOWN_MAX = 1000;

/** "default" stands for the configured limits. */
export function parseModelLimits(json: string): ModelLimits {
  const before = known.get(json);
  if (before !== undefined) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const list = parseJson(json);
  const limits = list === "default" ? list : asArray(list).map(readModelLimit);
  known.set(json, limits);
  return limits;
}

function readModelLimit(stored: unknown): ModelLimit {
  const { models, requestsPerMinute, tokensPerMinute } = asObject(stored);
  return {
    models: asArray(models).filter((one) => typeof one === "string"),
    requestsPerMinute: asNumber(requestsPerMinute) ?? null,
    tokensPerMinute: asNumber(tokensPerMinute) ?? null,
  };
}
