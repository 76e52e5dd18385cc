// The test files that run against the binary once it is built.

/**
 * Scenarios, SDKs and commands in which a binary may differ from the sources: by the files embedded in it, its workers, its
 * signals, and by each route once. Where there is none, their gateways run in the test's process.
 */
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
  "test/http/admin",
  "test/http/batches/",
  "test/http/connections",
  "test/http/docs",
  "test/http/files/admin-files",
  "test/http/files/by-id",
  "test/http/files/files",
  "test/http/openapi",
  "test/http/slow-readers",
  "test/http/sockets/sockets",
  "test/http/tools/calls",
  "test/http/tools/reload",
  "test/http/tools/streams",
  "test/http/tools/workers",
  "test/python/",
  "test/store/checkpoints",
  "test/store/slow-reads",
  "test/whole/answers/surfaces",
  "test/whole/batches/",
  "test/whole/http",
  "test/whole/network/",
  "test/whole/people/",
];

/** Scenarios of the same code, which need the binary in the long form only. Their rows about logs run in the test's process alone. */
export const ALSO_ON_BINARY: readonly string[] = ["test/http/", "test/mistakes/", "test/whole/"];
