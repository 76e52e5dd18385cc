// Mutants of state files: what they lift, make again or remove.
import type { Mutant } from "./mutant.ts";

const APPLY = ["test/moving/state/apply.test.ts"];
const PRUNE = ["test/moving/state/prune.test.ts"];

export const STATE_MUTANTS: readonly Mutant[] = [
  {
    name: "state: a file lifts a pause",
    file: "src/admin/keys/bring.ts",
    find: "return { isPaused: before.isPaused, pausedBy: before.pausedBy };",
    replace: "return { isPaused, pausedBy: [] as const };",
    tests: APPLY,
  },
  {
    name: "state: a revoked key is made again",
    file: "src/moving/state/match.ts",
    find: 'return ended === undefined ? { kind: "new" } : { kind: "stays", row: ended };',
    replace: 'return { kind: "new" };',
    tests: APPLY,
  },
  {
    name: "state: a key is made before its secret is kept",
    file: "src/moving/state/owners.ts",
    find: 'keep({ kind: "key", id, name, accountId: planned.accountId, secret });\n    await addKey(at, { fresh: make(last4), digest }, { isKnown });',
    replace:
      'await addKey(at, { fresh: make(last4), digest }, { isKnown });\n    keep({ kind: "key", id, name, accountId: planned.accountId, secret });',
    tests: APPLY,
  },
  {
    name: "state: pruning removes what the file only changed",
    file: "src/moving/state/prune.ts",
    find: "filter(({ kind, id, isMade }) => isMade && ",
    replace: "filter(({ kind, id }) => ",
    tests: PRUNE,
  },
];
