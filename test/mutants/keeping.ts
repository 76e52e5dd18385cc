// Mutants of keeping a gateway: backups, the master key, the log's output, and holds and settlements after a failover.
import type { Mutant } from "./mutant.ts";

export const KEEPING: readonly Mutant[] = [
  {
    name: "a replaced master key opens the store for ever",
    file: "src/keys/data-keys.ts",
    find: "wrapped: wrapped.slice(-1)",
    replace: "wrapped",
    tests: ["test/cli/master-key.test.ts"],
  },
  {
    name: "a backup is put in place without a look at its books",
    file: "src/cli/start/restore.ts",
    find: "verified.problems.length > 0",
    replace: "verified.problems.length < 0",
    tests: ["test/cli/restore.test.ts"],
  },
  {
    name: "log lines wait for their reader without end",
    file: "src/telemetry/log-output.ts",
    find: "if (behind + text.length > behindMax) return",
    replace: "if (behind + text.length > 1e12) return",
    tests: ["test/app/log-output.test.ts"],
  },
  {
    name: "each line that can't be written is told of",
    file: "src/telemetry/log-output.ts",
    find: "if (!isDropping) say(`poundkey: log lines",
    replace: "say(`poundkey: log lines",
    tests: ["test/app/log-output.test.ts"],
  },
  {
    name: "the hold of a request that runs is stranded",
    file: "src/store/sqlite/requests.ts",
    find: "AND at_ms < ?2 AND id NOT IN (SELECT value FROM json_each(?3)) LIMIT ?4",
    replace: "AND at_ms < ?2 AND ?3 IS NOT NULL LIMIT ?4",
    tests: ["test/store/sqlite.test.ts"],
  },
  {
    name: "an account whose part of the store is away delays others",
    file: "src/gateway/settle/settlements.ts",
    find: "const at = this.#failed.findIndex(({ ticket }) => !away.has(ticket.ask.key.accountId));",
    replace: "const at = this.#failed.findIndex(({ ticket }) => away.size === 0 && ticket !== undefined);",
    tests: ["test/gateway/gateway.test.ts"],
  },
];
