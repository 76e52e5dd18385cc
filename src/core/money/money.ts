// Money in whole nano-dollars. The only code that turns tokens and prices into amounts.

/** Whole nano-dollars (1 USD = 1e9). Safe integers hold more than nine million dollars. */
export type NanoUsd = number;

export const NANO_PER_USD = 1_000_000_000;
const NANO_DIGITS = 9;
export const NANO_PER_CENT = NANO_PER_USD / 100;
const PICO_PER_USD_PER_MILLION = 1_000_000;
const PICO_PER_NANO = 1000n;
const MARKUP_PARTS = 1_000_000;
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

/** A line of a bill: tokens at USD per million, or pieces at a million times their USD each. */
export interface BillLine {
  readonly what: string;
  readonly count: number;
  readonly usdPerMillion: number;
}

/** Returns the sum of the lines times the markup in nano-dollars, rounded up once. Prices are exact to 6 decimals. */
export function computeCost(lines: readonly BillLine[], markup: number): NanoUsd {
  return (markup === 1 ? sumSmallCosts(lines) : null) ?? computeAnyCost(lines, markup);
}

/** The same without a markup, if plain numbers are exact enough, or else null. Ten times as fast. */
function sumSmallCosts(lines: readonly BillLine[]): NanoUsd | null {
  let pico = 0;
  for (const { count, usdPerMillion } of lines) {
    pico += Math.round(count) * Math.round(usdPerMillion * PICO_PER_USD_PER_MILLION);
    // Checking the sum is enough: no part is negative, so it exceeds the bound if any part does.
    if (!(count >= 0 && usdPerMillion >= 0 && pico <= EXACT_MAX)) return null;
  }
  const rest = pico % 1000;
  return (pico - rest) / 1000 + (rest > 0 ? 1 : 0);
}

export function computeAnyCost(lines: readonly BillLine[], markup: number): NanoUsd {
  let pico = 0n;
  for (const line of lines) {
    pico +=
      BigInt(Math.round(line.count)) * BigInt(Math.round(line.usdPerMillion * PICO_PER_USD_PER_MILLION));
  }
  const marked = pico * BigInt(Math.round(markup * MARKUP_PARTS));
  const unit = PICO_PER_NANO * BigInt(MARKUP_PARTS);
  return Number((marked + unit - 1n) / unit);
}

/** Converts an amount to the USD number shown to clients. */
export function toUsd(amount: NanoUsd): number {
  return amount / NANO_PER_USD;
}

/** Returns an amount as a message shows it: `$12.50`, `$0.0013`. */
export function formatUsd(amount: NanoUsd): string {
  const usd = toUsd(amount);
  if (usd >= 0.01 || usd === 0) return `$${usd.toFixed(2)}`;
  return `$${usd >= EXPONENT_BELOW_USD ? usd.toPrecision(2) : formatPlainUsd(amount)}`;
}

/** Below, JavaScript writes numbers with an exponent, which few read. */
const EXPONENT_BELOW_USD = 1e-6;

/** Returns an exact amount with only the decimals that it needs, never as 1e-9: `12.5`, `-0.000000001`, `0`. */
export function formatPlainUsd(amount: NanoUsd | bigint): string {
  if (amount === 0) return "0";
  const digits = String(amount < 0 ? -amount : amount).padStart(NANO_DIGITS + 1, "0");
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  const sign = amount < 0 ? "-" : "";
  return `${sign}${digits.slice(0, -NANO_DIGITS)}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Rounds USD that were computed or estimated to whole nano-dollars. */
export function toNearestNanoUsd(usd: number): NanoUsd {
  return Math.round(usd * NANO_PER_USD);
}

/** Converts USD to nano-dollars. Returns null if that is not exact or not a safe integer. */
export function toNanoUsd(usd: number): NanoUsd | null {
  const nano = toNearestNanoUsd(usd);
  // A decimal with nine places equals its nano-dollars divided by 1e9: each is rounded once.
  return Number.isSafeInteger(nano) && nano / NANO_PER_USD === usd ? nano : null;
}
