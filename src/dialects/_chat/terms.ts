// Reads what an answer says about its own price: the service and the region that it came from.
import type { JsonObject } from "../../core/json/json.ts";
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

/** Undefined if the answer is of the usual service. */
export function readTerms(tier: unknown, given: JsonObject): AnswerTerms | undefined {
  const { service_tier = tier, speed, inference_geo, trafficType } = given;
  const served = readServed({ service_tier, speed, inference_geo, trafficType });
  return served && { served };
}
