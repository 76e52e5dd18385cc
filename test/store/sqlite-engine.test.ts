// The SQLite store's engine says of every change of rows that it was made, whichever of its methods made it.
import { afterAll, expect, test } from "bun:test";
import { bind, type Engine } from "../../src/store/engine/engine.ts";
import { makePacing, nextTurn } from "../../src/store/engine/turns.ts";
import { Connector } from "../../src/store/sqlite/connector.ts";
import { makeEngine } from "../../src/store/sqlite/engine.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { sqlitePrograms } from "../../src/store/sqlite/programs.ts";

let changes = 0;
const connector = new Connector({
  path: ":memory:",
  schema: makeSqliteSchema(),
  lockWaitMs: 1000,
  onConnect: () => {},
});
const engine = makeEngine(connector, {
  programs: sqlitePrograms(null),
  slowReads: null,
  onWrite: () => {},
  truncateLog: async () => true,
  onChange: () => changes++,
});
afterAll(() => connector.close());

const READ = bind("SELECT id FROM account");
const WRITE = bind("UPDATE account SET name = ?1 WHERE id = 'default'", "other");
const RETURNING = bind("UPDATE account SET name = ?1 WHERE id = 'default' RETURNING id", "other");

test.each<[string, (on: Engine) => Promise<unknown>, number]>([
  ["a statement that reads", (on) => on.run(READ), 0],
  ["a statement that writes", (on) => on.run(WRITE), 1],
  ["a statement that writes and returns", (on) => on.run(RETURNING), 1],
  ["a statement that finds nothing to write", (on) => on.run(bind("DELETE FROM token")), 0],
  ["several statements", (on) => on.runAll([READ, WRITE, WRITE]), 1],
  ["a statement that is written once", (on) => on.runOnce(WRITE), 1],
  ["a transaction", (on) => on.change([READ], () => ({ writes: [WRITE], toResult: () => null })), 1],
  [
    "a transaction that only reads",
    (on) => on.change([READ], () => ({ writes: [], toResult: () => null })),
    0,
  ],
])("%s", async (_, work, expected) => {
  await connector.run(() => undefined);
  changes = 0;
  await work(engine);
  expect(changes).toBe(expected);
});

test("reads that wait for a turn have it in their order, and no turn has more than fill it", async () => {
  const pace = makePacing();
  const ran: string[] = [];
  let turn = 0;
  let isOver = false;
  const turning = (async () => {
    for (; !isOver; turn++) await nextTurn();
  })();
  const readPages = async (reader: string) => {
    for (let page = 1; page <= 3; page++)
      await pace(() => fillTurn(() => ran.push(`${turn} ${reader}${page}`)));
  };
  await Promise.all(["a", "b", "c"].map(readPages));
  isOver = true;
  await turning;
  expect(ran.map((one) => one.split(" ")[1])).toEqual(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  expect(new Set(ran.map((one) => one.split(" ")[0])).size).toBe(9);
});

/** Blocks the event loop for longer than a turn's share. */
async function fillTurn(act: () => void): Promise<void> {
  const beganMs = performance.now();
  while (performance.now() - beganMs < 6);
  act();
}
