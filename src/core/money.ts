// Money in whole nano-dollars, and the only place where tokens and prices become an amount.

/** Whole nano-dollars (1 USD = 1e9). Safe integers hold more than nine million dollars. */
export type NanoUsd = number;

export const NANO_PER_USD = 1_000_000_000;
const PICO_PER_USD_PER_MILLION = 1_000_000;
const PICO_PER_NANO = 1000n;
const MARKUP_PARTS = 1_000_000;
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

/** A line of a bill: so many tokens at so many USD per million, or so many pieces at so many USD each (`perUnit`). */
export interface BillLine {
  readonly what: string;
  readonly count: number;
  readonly usdPerMillion: number;
}

/** The sum of the lines times the markup, in whole nano-dollars, rounded up once. Prices are exact to 6 decimals. */
export function computeCost(lines: readonly BillLine[], markup: number): NanoUsd {
  return (markup === 1 ? smallCostOf(lines) : null) ?? computeAnyCost(lines, markup);
}

/** The same without a markup, as long as plain numbers count it exactly; else null. Takes a tenth of the time. */
function smallCostOf(lines: readonly BillLine[]): NanoUsd | null {
  let pico = 0;
  for (const { count, usdPerMillion } of lines) {
    pico += Math.round(count) * Math.round(usdPerMillion * PICO_PER_USD_PER_MILLION);
    // A sum of what is not negative passes this bound as soon as any part of it does.
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

/** An amount as the JSON number of USD that clients see. */
export function toUsd(amount: NanoUsd): number {
  return amount / NANO_PER_USD;
}

/** A USD amount as whole nano-dollars; null when it is not exact to nano-dollars or not a safe integer of them. */
export function toNanoUsd(usd: number): NanoUsd | null {
  const nano = Math.round(usd * NANO_PER_USD);
  // A decimal of nine places is the same double as its nano-dollars divided: both are rounded once.
  return Number.isSafeInteger(nano) && nano / NANO_PER_USD === usd ? nano : null;
}
