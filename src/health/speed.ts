// The speed that a model is likely to have now, for choosing among models: by fresh figures, else by its last ones.

import type { Median } from "./decay.ts";
import type { Deployment } from "./deployment.ts";
import type { CardHealth } from "./health.ts";

export interface Pace {
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
}

const UNKNOWN: Pace = { firstTokenMs: null, tokensPerSecond: null };
/** So long after the last answer one request may find out whether a model is faster than it used to be. */
const LOOK_AFTER_MS = 60_000;

/**
 * null: not known, so what is told of the model holds. When the fresh figures have faded, a model that was slow last is
 * taken for as slow still, not for as fast as it is told to be: else everybody would go there again, time after time.
 * Only while nobody is being served by it, and a minute after the last who was, is it judged as new: that one request
 * looks.
 */
export function paceOf(card: CardHealth, nowMs: number): Pace {
  const medians = card.medians(nowMs);
  const first = fresh(medians.firstTokenMs, nowMs);
  const speed = fresh(medians.tokensPerSecond, nowMs);
  if (first !== null && speed !== null) return { firstTokenMs: first, tokensPerSecond: speed };
  const deployments = [...card.deployments.values()];
  if (first === null && speed === null && isDue(deployments, nowMs)) return UNKNOWN;
  return {
    firstTokenMs: first ?? last(deployments, "lastFirstMs", nowMs),
    tokensPerSecond: speed ?? last(deployments, "lastTokensPerSecond", nowMs),
  };
}

function fresh(median: Median | null, nowMs: number): number | null {
  return median !== null && nowMs < median.fadedAtMs ? median.value : null;
}

function isDue(deployments: readonly Deployment[], nowMs: number): boolean {
  return deployments.every(
    ({ inFlight, measuredAtMs }) =>
      inFlight === 0 && (measuredAtMs === null || nowMs - measuredAtMs >= LOOK_AFTER_MS),
  );
}

/** Over all credentials. */
function last(
  deployments: readonly Deployment[],
  field: "lastFirstMs" | "lastTokensPerSecond",
  nowMs: number,
): number | null {
  const known = deployments.flatMap((deployment) => deployment[field].at(nowMs) ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
