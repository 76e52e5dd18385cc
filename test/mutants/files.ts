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
  {
    name: "a batch whose results wait for room can't be cancelled",
    file: "src/jobs/job.ts",
    find: 'batch.status === "finalizing" && !waitsForRoom(batch);',
    replace: 'batch.status === "finalizing";',
    tests: STORES,
  },
  {
    name: "a batch that waits for room tells it again as its lines in flight end",
    file: "src/jobs/job.ts",
    find: 'batch.status !== "in_progress" || waitsForRoom(batch)) return batch;',
    replace: 'batch.status !== "in_progress") return batch;',
    tests: STORES,
  },
  {
    name: "lines start until the store knows that there is no room",
    file: "src/jobs/line-runner.ts",
    find: "job.room.take(answerLine(this.#ports, { ...line, batch: job.batch }, result));",
    replace: "answerLine(this.#ports, { ...line, batch: job.batch }, result);",
    tests: STORES,
  },
  {
    name: "an input whose lines have ended can't be deleted",
    file: "src/jobs/file-users.ts",
    find: 'status === "validating" || countLeft(detail.counts) > 0',
    replace: "status !== undefined || countLeft(detail.counts) > 0",
    tests: STORES,
  },
];
