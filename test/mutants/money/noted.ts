// Mutants of the requests that are noted in their day's meter.
import type { Mutant } from "../mutant.ts";

const TESTS = ["store/sqlite.test.ts"];

export const NOTED_MUTANTS: readonly Mutant[] = [
  {
    name: "a noted request that has ended is given back too",
    file: "src/ledger/noted.ts",
    find: "request === null || books.findRequest(id) !== null) return null;",
    replace: "request === null) return null;",
    tests: TESTS,
  },
  {
    name: "the notes of requests that have ended stay",
    file: "src/ledger/noted.ts",
    find: "isTheirs ? noting.ended : NO_IDS",
    replace: "NO_IDS",
    tests: TESTS,
  },
  {
    name: "a lost request stays noted",
    file: "src/ledger/settle.ts",
    find: '  if (reads.isNew !== "noted") removeNote(books, reads, id);',
    replace: "",
    tests: TESTS,
  },
  {
    name: "a node that was struck off notes on",
    file: "src/ledger/noting-nodes.ts",
    find: "if (Math.abs(nowMs - this.#registeredAtMs) < REGISTERED_MS) return true;",
    replace: "if (Number.isFinite(this.#registeredAtMs)) return true;",
    tests: ["ledger/noting-nodes.test.ts"],
  },
];
