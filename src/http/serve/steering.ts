// The headers by which a request steers the choice of its model.

import { Fault } from "../../core/fault.ts";
import { MAX_COST_USD, MAX_MS, PATTERNS_MAX } from "../../core/models/alias.ts";
import { type Steering, UNSTEERED } from "../../core/models/steering.ts";
import { headerNumber } from "./headers.ts";

const STEERING_HEADERS = [
  "x-poundkey-quality",
  "x-poundkey-max-cost",
  "x-poundkey-max-ms",
  "x-poundkey-allow",
] as const;
const [QUALITY, COST, MS, ALLOW] = STEERING_HEADERS;
const PATTERN = /^[^\s,]{1,300}$/;

/** Throws the Fault `invalid_value` for a header that isn't valid. */
export function readSteering(headers: Headers): Steering {
  for (const name of STEERING_HEADERS) if (headers.has(name)) return readHeaders(headers);
  return UNSTEERED;
}

function readHeaders(headers: Headers): Steering {
  return {
    allow: readPatterns(headers.get(ALLOW)),
    deny: [],
    maxCostUsd: headerNumber(headers, COST, 0, MAX_COST_USD),
    maxMs: headerNumber(headers, MS, 1, MAX_MS),
    quality: headerNumber(headers, QUALITY, 0, 1),
  };
}

function readPatterns(given: string | null): Steering["allow"] {
  if (given === null) return [];
  const patterns = given.split(",").map((pattern) => pattern.trim());
  if (patterns.length <= PATTERNS_MAX && patterns.every((pattern) => PATTERN.test(pattern)))
    return [patterns];
  const message = `Invalid header '${ALLOW}': expected at most ${PATTERNS_MAX} model ids or patterns like OpenAI#*, separated by commas.`;
  throw new Fault("invalid_value", message, { param: ALLOW });
}
