// The test files that `npm test` leaves out, and those that run against the binary.

/**
 * Only run on request: benchmarks would fail on a busy machine, agents, Python and the clouds' libraries aren't installed with
 * the project, and the console's tests take minutes in Chromium, and run against the binary anyway.
 */
export const APART = [
  "test/bench/",
  "test/agents/",
  "test/python/",
  "test/console/",
  "test/transport/auth/vendors/",
];

/** Scenarios, SDKs and commands that start the binary if there is one. Otherwise their gateways run in the test's process. */
export const ON_BINARY = [
  "test/cli/backup",
  "test/cli/restore",
  "test/cli/samples",
  "test/cli/store-commands",
  "test/store/checkpoints",
  "test/store/slow-reads",
  "test/app/restart",
  "test/app/retired",
  "test/app/workers",
  "test/http/",
  "test/whole/",
  "test/mistakes/",
  "test/clients/",
  "test/console/",
  "test/python/",
];

/** Returns whether a path begins with one of the words. */
export function beginWith(words: readonly string[]) {
  return (path: string) => words.some((word) => path.startsWith(word));
}
