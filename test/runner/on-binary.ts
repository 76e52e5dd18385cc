// The test files whose gateways are the binary once it is built. A process that a test starts is the binary in any case.

/**
 * The files in which a binary may differ from the sources: each route once, each SDK, and whatever is embedded in it. Where
 * there is none, their gateways run in the test's process.
 */
export const ON_BINARY: readonly string[] = [
  "test/clients/ai-sdk.test",
  "test/clients/anthropic",
  "test/clients/google",
  "test/clients/interactions/interactions.test",
  "test/clients/langchain",
  "test/clients/openai-agents",
  "test/clients/openai-media",
  "test/clients/openai-vectors",
  "test/clients/openai.test",
  "test/clients/openrouter",
  "test/clients/responses.test",
  "test/clients/sockets",
  "test/clients/tools/",
  "test/clients/vendors-vectors",
  "test/console/",
  "test/http/admin",
  "test/http/batches/",
  "test/http/docs",
  "test/http/files/files",
  "test/http/openapi",
  "test/http/route-schemas",
  "test/http/sockets/sockets",
  "test/http/tools/calls",
  "test/http/tools/streams",
  "test/python/",
  "test/whole/answers/surfaces",
  "test/whole/http.test",
  "test/whole/network/network",
];

/**
 * Scenarios of the same code, which need the binary in the long form only, and commands, workers and signals, whose tests start
 * it in any case. Rows about logs run in the test's process alone.
 */
export const ALSO_ON_BINARY: readonly string[] = [
  "test/app/restart",
  "test/app/retired",
  "test/app/workers",
  "test/cli/backup",
  "test/cli/restore",
  "test/cli/samples",
  "test/cli/store-commands",
  "test/clients/",
  "test/http/",
  "test/mistakes/",
  "test/store/checkpoints",
  "test/store/slow-reads",
  "test/whole/",
];
