// Mutants of keeping a store: backups and the master key.
import type { Mutant } from "./mutant.ts";

export const KEEPING: readonly Mutant[] = [
  {
    name: "a replaced master key opens the store for ever",
    file: "src/keys/data-keys.ts",
    find: "wrapped: wrapped.slice(-1)",
    replace: "wrapped",
    tests: ["test/master-key.test.ts"],
  },
  {
    name: "a backup is put in place without a look at its books",
    file: "src/cli/restore.ts",
    find: "verified.problems.length > 0",
    replace: "verified.problems.length < 0",
    tests: ["test/restore.test.ts"],
  },
];
