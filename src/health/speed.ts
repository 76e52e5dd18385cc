// A model's likely speed now, for choosing among models: from fresh figures, or else from its last ones.

import type { Median } from "./decay.ts";
import type { Deployment } from "./deployment.ts";
import type { CardHealth } from "./health.ts";

export interface SpeedEstimate {
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
}

const UNKNOWN: SpeedEstimate = { firstTokenMs: null, tokensPerSecond: null };
/** The time after the last answer at which one request may find out whether a model has become faster. */
const LOOK_AFTER_MS = 60_000;

/**
 * Null figures are unknown, so the profile's apply. When the fresh figures have faded, a model that was slow last still
 * counts as slow, not as fast as its profile: otherwise all requests would return to it at once, time after time. Only
 * when it has no request in flight, and its last answer is a minute old, does it count as unknown, so that one request
 * measures it.
 */
export function estimateSpeed(card: CardHealth, nowMs: number): SpeedEstimate {
  const medians = card.medians(nowMs);
  const first = readFresh(medians.firstTokenMs, nowMs);
  const speed = readFresh(medians.tokensPerSecond, nowMs);
  if (first !== null && speed !== null) return { firstTokenMs: first, tokensPerSecond: speed };
  const deployments = [...card.deployments.values()];
  if (first === null && speed === null && isDue(deployments, nowMs)) return UNKNOWN;
  return {
    firstTokenMs: first ?? averageLast(deployments, "lastFirstMs", nowMs),
    tokensPerSecond: speed ?? averageLast(deployments, "lastTokensPerSecond", nowMs),
  };
}

function readFresh(median: Median | null, nowMs: number): number | null {
  return median !== null && nowMs < median.fadedAtMs ? median.value : null;
}

function isDue(deployments: readonly Deployment[], nowMs: number): boolean {
  return deployments.every(
    ({ inFlight, measuredAtMs }) =>
      inFlight === 0 && (measuredAtMs === null || nowMs - measuredAtMs >= LOOK_AFTER_MS),
  );
}

/** Averages over all credentials. */
function averageLast(
  deployments: readonly Deployment[],
  field: "lastFirstMs" | "lastTokensPerSecond",
  nowMs: number,
): number | null {
  const known = deployments.flatMap((deployment) => deployment[field].at(nowMs) ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
