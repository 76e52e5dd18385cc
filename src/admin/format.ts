// Moments as operators and key holders read them, ISO 8601 in UTC, and amounts of USD as exact text.

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function instantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

const NANO_DIGITS = 9;

/** Nano-dollars as USD with as many decimals as it takes, where JavaScript would write 1e-9: `12.5`, `-0.000000001`, `0`. */
export function usdText(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const digits = String(nano < 0n ? -nano : nano).padStart(NANO_DIGITS + 1, "0");
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  return sign + digits.slice(0, -NANO_DIGITS) + (decimals === "" ? "" : `.${decimals}`);
}
