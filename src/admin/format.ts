// Formats times for operators and key holders: ISO 8601 in UTC, and times of day.

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function formatInstantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

/** Formats minutes after midnight as the configuration has them: `04:30`. */
export function formatTimeOfDay(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
