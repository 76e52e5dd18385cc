// Mutants of holds for which nothing runs any more, and of settlements that wait for a part of the store.
import type { Mutant } from "./mutant.ts";

export const STRANDED: readonly Mutant[] = [
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
