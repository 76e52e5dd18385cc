// Formats times for operators and key holders: ISO 8601 in UTC.

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function formatInstantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}
