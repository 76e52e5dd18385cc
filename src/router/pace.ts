// How fast a model is likely to be now, for whoever chooses among models: by fresh figures, else by those that it had last.

import type { Median } from "./decay.ts";
import type { CardHealth } from "./health.ts";
import type { Lane } from "./lane.ts";

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
  const lanes = [...card.lanes.values()];
  if (first === null && speed === null && isDue(lanes, nowMs)) return UNKNOWN;
  return {
    firstTokenMs: first ?? last(lanes, "lastFirstMs", nowMs),
    tokensPerSecond: speed ?? last(lanes, "lastTokensPerSecond", nowMs),
  };
}

function fresh(median: Median | null, nowMs: number): number | null {
  return median !== null && nowMs < median.fadedAtMs ? median.value : null;
}

function isDue(lanes: readonly Lane[], nowMs: number): boolean {
  return lanes.every(
    ({ inFlight, measuredAtMs }) =>
      inFlight === 0 && (measuredAtMs === null || nowMs - measuredAtMs >= LOOK_AFTER_MS),
  );
}

/** Over all credentials. */
function last(
  lanes: readonly Lane[],
  field: "lastFirstMs" | "lastTokensPerSecond",
  nowMs: number,
): number | null {
  const known = lanes.flatMap((lane) => lane[field].at(nowMs) ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
