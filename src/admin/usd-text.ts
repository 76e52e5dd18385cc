// Amounts in USD as exact text, for people: JavaScript would write a nano-dollar as 1e-9.

const NANO_DIGITS = 9;

/** Nano-dollars as USD with as many decimals as it takes: `12.5`, `-0.000000001`, `0`. */
export function usdText(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const digits = String(nano < 0n ? -nano : nano).padStart(NANO_DIGITS + 1, "0");
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  return sign + digits.slice(0, -NANO_DIGITS) + (decimals === "" ? "" : `.${decimals}`);
}
