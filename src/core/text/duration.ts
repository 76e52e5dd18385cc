// The notation of durations in the configuration and in requests of operators.

export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
/** From the largest to the smallest. */
const MILLISECONDS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

/** Parses `500ms`, `5s`, `10m`, `24h`, `30d` into whole milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  return Math.round(Number(count) * (MILLISECONDS[unit] ?? 0));
}

/** Writes whole milliseconds in the largest unit of which they are a whole number, as `parseDuration` reads them: `90m`. */
export function writeDuration(ms: number): string {
  const [unit, unitMs] = Object.entries(MILLISECONDS).find(([, size]) => ms % size === 0) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
