// Rates as the catalogue file, the configuration and the model list write them.
import type { Rates } from "../core/models/card.ts";

/** The optional rates, each with its name in the catalogue and in the API. */
export const RATES = [
  ["cachedInput", "cached_input"],
  ["cacheWrite", "cache_write"],
  ["cacheWrite1h", "cache_write_1h"],
  ["cacheWrite12h", "cache_write_12h"],
  ["reasoning", "reasoning"],
  ["inputAudio", "input_audio"],
  ["outputAudio", "output_audio"],
  ["inputImage", "input_image"],
  ["outputImage", "output_image"],
] as const satisfies readonly (readonly [keyof Rates, string])[];

/** USD per million tokens, by the names that operators and clients see. */
export interface RateFields extends OptionalFields<typeof RATES> {
  readonly input: number;
  readonly output: number;
}
export type OptionalFields<Names extends readonly (readonly [string, string])[]> = Readonly<
  Partial<Record<Names[number][1], number>>
>;

/** The names of all rates. */
export const RATE_FIELDS = ["input", "output", ...RATES.map(([, field]) => field)] as const;

export function buildRates(fields: Partial<RateFields>): Rates {
  const { input = 0, output = 0 } = fields;
  return { input, output, ...Object.fromEntries(RATES.map(([name, field]) => [name, fields[field]])) };
}

export function viewRates(rates: Rates): RateFields {
  const { input, output } = rates;
  return { input, output, ...Object.fromEntries(RATES.map(([name, field]) => [field, rates[name]])) };
}
