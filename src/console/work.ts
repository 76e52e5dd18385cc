// The work of an answer in words: its tokens, or the images, seconds and units that are counted in their place.
import { count } from "./format.ts";

export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cache_write: number;
  readonly reasoning: number;
  readonly searches: number;
}

/** The work that isn't counted in tokens. */
export interface Units {
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  readonly search_units: number;
  readonly pages: number;
}

const UNITS: readonly (readonly [keyof Units, string, string])[] = [
  ["images", "image", "images"],
  ["seconds", "second", "seconds"],
  ["characters", "character", "characters"],
  ["search_units", "search unit", "search units"],
  ["pages", "page", "pages"],
];

/** Returns "3 search units", or null for an answer that is counted in tokens alone. */
export function describeUnits(units: Units): string | null {
  const counted = UNITS.filter(([unit]) => units[unit] > 0);
  if (counted.length === 0) return null;
  return counted
    .map(([unit, one, many]) => `${count(units[unit])} ${units[unit] === 1 ? one : many}`)
    .join(", ");
}

/** Returns "1,200 → 300", with what was counted otherwise. */
export function describeWork(tokens: Pick<Tokens, "prompt" | "completion">, units: Units): string {
  const others = describeUnits(units);
  const text = `${count(tokens.prompt)} → ${count(tokens.completion)}`;
  if (others === null) return text;
  return tokens.prompt + tokens.completion === 0 ? others : `${text}, ${others}`;
}
