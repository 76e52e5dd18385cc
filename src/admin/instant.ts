// Moments as the operator and key holders read them: ISO 8601 in UTC.

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function instantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}
