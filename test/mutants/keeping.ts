// Mutants of keeping a gateway: backups, the master key, and the log's output.
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
];
