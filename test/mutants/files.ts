// Mutants of files: whose they are, where their pieces open, the room that they have, and what is left of them.
import type { Mutant } from "./mutant.ts";

const STORES = ["test/store/files.test.ts"];
const ROUTES = ["test/http/files/files.test.ts"];
const BY_ID = ["test/http/files/by-id.test.ts"];

export const FILE_MUTANTS: readonly Mutant[] = [
  {
    name: "a file's piece opens in the place of another",
    file: "src/files/sealed-pieces.ts",
    find: "JSON.stringify([accountId, object, number])",
    replace: "JSON.stringify([accountId, object])",
    tests: STORES,
  },
  {
    name: "a file's piece opens in another account",
    file: "src/files/sealed-pieces.ts",
    find: "JSON.stringify([accountId, object, number])",
    replace: "JSON.stringify([object, number])",
    tests: STORES,
  },
  {
    name: "a file of one member is everybody's in the account",
    file: "src/store/models/files.ts",
    find: "if (owner) by.add(",
    replace: "if (owner && owner.memberId === null) by.add(",
    tests: STORES,
  },
  {
    name: "a file's own bytes don't count when it ends",
    file: "src/store/models/files.ts",
    find: "has.bytes + file.bytes <=",
    replace: "has.bytes <=",
    tests: STORES,
  },
  {
    name: "a file that ended is still seen",
    file: "src/store/models/files.ts",
    find: "by.by(aliveMs,",
    replace: "by.by(aliveMs && 0,",
    tests: STORES,
  },
  {
    name: "a file whose upload breaks leaves its pieces",
    file: "src/files/kept-files.ts",
    find: "await this.pieces.remove(accountId, file.id).catch(() => {});",
    replace: "",
    tests: STORES,
  },
  {
    name: "a file's pieces are swept although a batch names them",
    file: "src/files/sweep.ts",
    find: "for (const { accountId, object } of await users.listLiveObjects()) named.add(name(accountId, object));",
    replace: "",
    tests: STORES,
  },
  {
    name: "a file is seen in the other API's form",
    file: "src/http/files/files.ts",
    find: "file === null || file.form !== sent.form",
    replace: "file === null",
    tests: ROUTES,
  },
  {
    name: "a file larger than allowed is taken",
    file: "src/http/files/uploads.ts",
    find: "if (read > this.#bytesMax) throw tooLarge(this.#bytesMax);",
    replace: "",
    tests: ROUTES,
  },
  {
    name: "a file named in a request may be larger than a body",
    file: "src/http/files/placed.ts",
    find: "if (bytes > ports.server.bodyBytesMax) throw tooLarge(ports.server.bodyBytesMax);",
    replace: "",
    tests: BY_ID,
  },
];
