// Reads what an answer says about its own price: the service tier, and the cost.
import { asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import { type AnswerTerms, readServed } from "../../core/money/terms.ts";

/** Adds the terms to a usage, if the answer says anything unusual. `tier` stands beside the usage, or in it. */
export function addTerms<Usage extends object>(
  usage: Usage | undefined,
  tier: unknown,
  given: JsonObject,
): (Usage & { terms?: AnswerTerms }) | undefined {
  const terms = usage && readTerms(tier, given);
  return usage && terms ? { ...usage, terms } : usage;
}

/** Undefined if the answer is of the usual service and doesn't say what it cost. */
export function readTerms(tier: unknown, given: JsonObject): AnswerTerms | undefined {
  const { service_tier = tier, speed, inference_geo, trafficType } = given;
  const served = readServed({ service_tier, speed, inference_geo, trafficType });
  const cost = asNumber(given.cost) ?? -1;
  const costUsd = cost >= 0 ? readCost(cost, given) : undefined;
  if (served === undefined && costUsd === undefined) return undefined;
  return { ...(served ? { served } : {}), ...(costUsd === undefined ? {} : { costUsd }) };
}

/**
 * openrouter.ai/docs, "Usage Accounting": with a key of one's own at the provider (`is_byok`), `cost` is only the fee, and
 * what the provider bills stands beside it.
 */
function readCost(cost: number, given: JsonObject): number {
  const upstream = asNumber(asObject(given.cost_details).upstream_inference_cost) ?? 0;
  return given.is_byok === true ? cost + Math.max(0, upstream) : cost;
}
