// Mutants of the pages that decisions change in place: changes that stay or come again.
import type { Mutant } from "./mutant.ts";

export const PAGES: readonly Mutant[] = [
  {
    name: "a batch that failed leaves its changes in the pages",
    file: "src/store/sqlite/batches.ts",
    find: "      this.#open?.takeBack();\n",
    replace: "",
    tests: ["test/store/faults.test.ts"],
  },
  {
    name: "a change taken back stays in the page",
    file: "src/ledger/batch.ts",
    find: "      cell.row = before;\n",
    replace: "",
    tests: ["test/ledger/oracle.test.ts"],
  },
  {
    name: "sums of one batch are written again with the next",
    file: "src/ledger/batch.ts",
    find: "    this.calls.sums.length = 0;\n",
    replace: "",
    tests: ["test/ledger/oracle.test.ts"],
  },
];
