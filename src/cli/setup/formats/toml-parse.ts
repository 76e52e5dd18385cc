// Parses TOML by Bun, within bounds, and says in which line a mistake stands.
import type { JsonObject } from "../../../core/json/json.ts";
import { explainAt } from "./text.ts";
import { readStatements, readToml } from "./toml-statements.ts";

export function parseToml(text: string): JsonObject {
  // Bounds the depth and the number of names, which Bun's parser doesn't.
  const ends = readStatements(text).flatMap(({ end, pairs }) => [end, ...pairs.map((pair) => pair.end)]);
  const value = readToml(text);
  if (value !== null) return value;
  throw explainAt(text, findMistake(text, ends), "this isn't valid TOML, or a name appears twice");
}

/** Returns the end of the first statement up to which the text isn't TOML. */
function findMistake(text: string, ends: readonly number[]): number {
  let good = 0;
  let bad = ends.length - 1;
  while (good < bad) {
    const middle = (good + bad) >> 1;
    if (readToml(text.slice(0, ends[middle])) === null) bad = middle;
    else good = middle + 1;
  }
  return ends[bad] ?? text.length;
}
