// The SQLite store's engine says of every change of rows that it was made, whichever of its methods made it.
import { afterAll, expect, test } from "bun:test";
import { bind, type Engine } from "../src/store/engine.ts";
import { Connector } from "../src/store/sqlite/connector.ts";
import { makeEngine } from "../src/store/sqlite/engine.ts";
import { makeSqliteSchema } from "../src/store/sqlite/migrate.ts";

let changes = 0;
const connector = new Connector({
  ...{ path: ":memory:", schema: makeSqliteSchema(), lockWaitMs: 1000 },
  onConnect: () => {},
});
const engine = makeEngine(connector, { slowReads: null, onWrite: () => {}, onChange: () => changes++ });
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
