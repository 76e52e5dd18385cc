// The gateway's own fields of a usage report, the same on every surface.
import { type JsonObject, omitUndefined } from "../core/json.ts";
import type { WorkUsage } from "../operations/whole-form.ts";

/** The cost of the answer and the charge for it, in USD, as far as they are known. */
export function writeCost(usage: JsonObject | WorkUsage | null | undefined): JsonObject {
  return omitUndefined({ cost: usage?.cost, charged: usage?.charged });
}

/** The usage of an answer that holds no text. */
export function writePromptUsage(usage: WorkUsage | null): JsonObject {
  const prompt = usage?.amounts.prompt ?? 0;
  return { prompt_tokens: prompt, total_tokens: prompt, ...writeCost(usage) };
}
