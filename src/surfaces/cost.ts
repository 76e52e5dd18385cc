// The gateway's own usage fields, the same on every surface.
import { type JsonObject, omitUndefined } from "../core/json/json.ts";
import type { WorkUsage } from "../operations/whole-form.ts";

/** Returns the answer's cost and the charge for it, in USD, if known. */
export function writeCost(usage: JsonObject | WorkUsage | null | undefined): JsonObject {
  return omitUndefined({ cost: usage?.cost, charged: usage?.charged });
}

/** Returns the usage of an answer without text. */
export function writePromptUsage(usage: WorkUsage | null): JsonObject {
  const prompt = usage?.amounts.prompt ?? 0;
  return { prompt_tokens: prompt, total_tokens: prompt, ...writeCost(usage) };
}
