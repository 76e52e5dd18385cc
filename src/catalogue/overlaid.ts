// A price with some of its rates replaced, as at some hours or of another service.
import type { Price, Rates } from "../core/models/card.ts";
import { buildRates, RATES, type RateFields } from "./rates.ts";

const PRICE_DIGITS = 1e6;

/** Returns the price with these rates over it. Long prompts cost as many times their usual price as others do. */
export function overlayRates(usual: Price, fields: Partial<RateFields>): Price {
  const given = buildRates({ input: usual.input, output: usual.output, ...fields });
  const named = RATES.filter(([, field]) => fields[field] !== undefined).map(([name]) => [name, given[name]]);
  const ratio = usual.input > 0 ? given.input / usual.input : 1;
  return {
    ...usual,
    input: given.input,
    output: given.output,
    ...Object.fromEntries(named),
    tiers: usual.tiers?.map(({ aboveTokens, ...rates }) => ({ ...scaleRates(rates, ratio), aboveTokens })),
  };
}

function scaleRates(rates: Rates, ratio: number): Rates {
  const scale = (rate: number) => Math.round(rate * ratio * PRICE_DIGITS) / PRICE_DIGITS;
  const optional = RATES.flatMap(([name]) => {
    const rate = rates[name];
    return rate === undefined ? [] : [[name, scale(rate)] as const];
  });
  return { input: scale(rates.input), output: scale(rates.output), ...Object.fromEntries(optional) };
}
