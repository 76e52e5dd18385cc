// The work of an answer in words: its tokens, or the images, seconds and units that are counted in their place.
import type { TokensView, UnitsView } from "../admin/tokens.ts";
import { count } from "./format.ts";

const UNITS: readonly (readonly [keyof UnitsView, string, string])[] = [
  ["images", "image", "images"],
  ["seconds", "second", "seconds"],
  ["characters", "character", "characters"],
  ["search_units", "search unit", "search units"],
  ["pages", "page", "pages"],
];

/** Returns "3 search units", or null for an answer that is counted in tokens alone. */
export function describeUnits(units: UnitsView): string | null {
  const counted = UNITS.filter(([unit]) => units[unit] > 0);
  if (counted.length === 0) return null;
  return counted
    .map(([unit, one, many]) => `${count(units[unit])} ${units[unit] === 1 ? one : many}`)
    .join(", ");
}

/** Returns "1,200 → 300", with what was counted otherwise. */
export function describeWork(tokens: Pick<TokensView, "prompt" | "completion">, units: UnitsView): string {
  const others = describeUnits(units);
  const text = `${count(tokens.prompt)} → ${count(tokens.completion)}`;
  if (others === null) return text;
  return tokens.prompt + tokens.completion === 0 ? others : `${text}, ${others}`;
}
