// Formats times for operators and key holders (ISO 8601 in UTC), and amounts of USD as exact text.

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function formatInstantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

const NANO_DIGITS = 9;

/** Formats nano-dollars as USD with only the decimals needed, never as 1e-9: `12.5`, `-0.000000001`, `0`. */
export function formatNanoUsd(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const digits = String(nano < 0n ? -nano : nano).padStart(NANO_DIGITS + 1, "0");
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  return sign + digits.slice(0, -NANO_DIGITS) + (decimals === "" ? "" : `.${decimals}`);
}
