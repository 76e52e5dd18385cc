// The notation of durations in the configuration and in requests of operators.

export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses `500ms`, `5s`, `10m`, `24h`, `30d` into whole milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  return Math.round(Number(count) * (MILLISECONDS[unit] ?? 0));
}
