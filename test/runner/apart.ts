// The test files that `npm test` leaves out.

/**
 * Only run on request: benchmarks would fail on a busy machine, agents, Python and the clouds' libraries aren't installed with
 * the project, the console's tests take minutes in Chromium, and run against the binary anyway, and the last release's program
 * takes half a minute beside today's.
 */
export const APART = [
  "test/bench/",
  "test/agents/",
  "test/python/",
  "test/console/",
  "test/store/released",
  "test/transport/auth/vendors/",
];

/** They count what a busy machine changes, so they run after all others, one by one. */
export const RULERS = [
  "test/drills/costs.test.ts",
  "test/drills/line-costs.test.ts",
  "test/drills/postgres-costs.test.ts",
  "test/drills/stream-costs.test.ts",
  "test/drills/tool-costs.test.ts",
];

/** Returns whether a path begins with one of the words. */
export function beginWith(words: readonly string[]) {
  return (path: string) => words.some((word) => path.startsWith(word));
}
