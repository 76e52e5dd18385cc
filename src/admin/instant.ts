// Moments as the operator and key holders read them: ISO 8601 in UTC.

export function instantOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function instantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : instantOf(atMs);
}
