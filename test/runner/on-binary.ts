// The test files that run against the binary once it is built.

/** Scenarios, SDKs and commands that start the binary if there is one. Otherwise their gateways run in the test's process. */
export const ON_BINARY: readonly string[] = [
  "test/app/restart",
  "test/app/retired",
  "test/app/workers",
  "test/cli/backup",
  "test/cli/restore",
  "test/cli/samples",
  "test/cli/store-commands",
  "test/clients/",
  "test/console/",
  "test/http/",
  "test/mistakes/",
  "test/python/",
  "test/store/checkpoints",
  "test/store/slow-reads",
  "test/whole/",
];
