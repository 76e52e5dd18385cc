// The two tiers of the tests: `npm test` runs what must be there and then the cheapest files, `npm run test:all` all of them.

import { APART, beginWith } from "./apart.ts";
import { makeCosts, readCheck } from "./timings.ts";

/** The units that `npm test` may take, with types, format and build. */
export const FIRST_TIER_UNITS = 110;

/** A vendor's SDK speaks each surface in a file of the first tier, by the surface's name. */
export const SDK_TESTS: Readonly<Record<string, string>> = {
  "anthropic-messages": "test/clients/anthropic.test.ts",
  gemini: "test/clients/google.test.ts",
  "gemini-embeddings": "test/clients/vendors-vectors.test.ts",
  interactions: "test/clients/interactions/interactions.test.ts",
  moderations: "test/clients/openai-vectors.test.ts",
  "openai-chat": "test/clients/openai.test.ts",
  "openai-completions": "test/whole/answers/completions.test.ts",
  "openai-embeddings": "test/clients/openai-vectors.test.ts",
  "openai-images": "test/clients/openai-media.test.ts",
  "openai-responses": "test/clients/responses.test.ts",
  "openai-speech": "test/clients/openai-media.test.ts",
  "openai-transcriptions": "test/clients/openai-media.test.ts",
  rerank: "test/clients/vendors-vectors.test.ts",
};

/** They stand in the first tier whatever they cost. */
export const ESSENTIAL: ReadonlySet<string> = new Set([
  ...Object.values(SDK_TESTS),
  // Books under kills, in the small.
  "test/kill/kill.test.ts",
  // One journey in the browser, where there is one.
  "test/console/journey.test.ts",
]);

interface Choice {
  /** Those to choose from. */
  readonly files: readonly string[];
  /** The kept units of a file. */
  readonly costOf: (file: string) => number;
  /** The kept units of what runs beside the files. */
  readonly checks: number;
}

/** Returns the files of the first tier: the essential ones, the cheapest of each folder of `test/`, then the cheapest of all. */
export function chooseFirstTier({ files, costOf, checks }: Choice): readonly string[] {
  const cheapestFirst = files.toSorted((one, other) => costOf(one) - costOf(other) || (one < other ? -1 : 1));
  const rooms = new Set<string>();
  const isNeeded = (file: string) => {
    const room = file.split("/")[1] ?? "";
    const isFirst = !rooms.has(room);
    rooms.add(room);
    return isFirst || ESSENTIAL.has(file);
  };
  const needed = cheapestFirst.filter(isNeeded);
  const chosen = new Set(needed);
  let units = needed.reduce((sum, file) => sum + costOf(file), checks);
  for (const file of cheapestFirst) {
    if (chosen.has(file)) continue;
    units += costOf(file);
    if (units > FIRST_TIER_UNITS) break;
    chosen.add(file);
  }
  return files.filter((file) => chosen.has(file));
}

/** Returns what `npm run test:all` runs, of all test files. */
export function listBothTiers(tests: readonly string[]): readonly string[] {
  const isApart = beginWith(APART);
  return tests.filter((file) => !isApart(file) || ESSENTIAL.has(file));
}

/** The units of what runs beside the files. */
function sumChecks(): number {
  return ["types", "format", "build"].reduce((sum, name) => sum + readCheck(name), 0);
}

/** Returns what `npm test` runs, of all test files, by their kept costs. */
export function listFirstTier(tests: readonly string[]): readonly string[] {
  return chooseFirstTier({ files: listBothTiers(tests), costOf: makeCosts(), checks: sumChecks() });
}

/** Returns the units of `npm test`. */
export function sumFirstTier(tests: readonly string[]): number {
  const costOf = makeCosts();
  return listFirstTier(tests).reduce((sum, file) => sum + costOf(file), sumChecks());
}
