// The rows that the SQLite store keeps in memory: bounded, and those in use outlive any number of others.
import { expect, test } from "bun:test";
import type { Decision, Reads } from "../src/core/demand.ts";
import { decide } from "../src/ledger/decide.ts";
import { GENERATION_ROWS, KnownRows } from "../src/store/sqlite/known-rows.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { expectGrant, ledgerOn, makeAsk, makeKey } from "./samples.ts";

/** Others, each of which is looked up once. */
function pass(rows: KnownRows<string>, from: number, count: number): void {
  for (let at = from; at < from + count; at++) {
    rows.age();
    rows.keep(`other ${at}`, "other");
  }
}

test("a row that is used lately stays however many others come, and one that isn't goes", () => {
  const rows = new KnownRows<string>();
  rows.keep("used", "a");
  rows.keep("unused", "b");
  rows.keep("none", null);
  for (let round = 0; round < 8; round++) {
    pass(rows, round * GENERATION_ROWS, GENERATION_ROWS / 2);
    expect([rows.get("used"), rows.get("none")]).toEqual(["a", null]);
  }
  expect(rows.get("unused")).toBeUndefined();
  expect(rows.get("other 0")).toBeUndefined();
});

test("of all rows at most two generations are kept", () => {
  const rows = new KnownRows<string>();
  pass(rows, 0, 5 * GENERATION_ROWS);
  const kept = Array.from({ length: 5 * GENERATION_ROWS }, (_, at) => rows.get(`other ${at}`));
  expect(kept.filter((row) => row !== undefined).length).toBeLessThanOrEqual(2 * GENERATION_ROWS);
  expect(kept.at(-1)).toBe("other");
});

test("what was changed since hides what is older, in whichever generation that is", () => {
  const rows = new KnownRows<string>();
  rows.keep("row", "before");
  pass(rows, 0, GENERATION_ROWS);
  rows.keep("row", "after");
  expect(rows.get("row")).toBe("after");
  pass(rows, GENERATION_ROWS, GENERATION_ROWS);
  expect(rows.get("row")).toBe("after");
  rows.clear();
  expect([rows.get("row"), rows.get("other 1")]).toEqual([undefined, undefined]);
});

test("no row of a turn is forgotten before its decision, even if it looks up more than a generation", async () => {
  const decided: number[] = [];
  let wanted: readonly string[] = [];
  const store = await openSqliteStore({
    path: ":memory:",
    decide: (rows, demands): Decision => {
      decided.push(wanted.filter((owner) => rows.slots.get(owner) === null).length);
      return decide(rows, demands);
    },
  });
  const key = makeKey("key_a");
  await store.addKey(key, "digest");
  const ledger = ledgerOn(store);
  wanted = Array.from({ length: 2 * GENERATION_ROWS + 1 }, (_, at) => `owner ${at}`);
  const ticket = ledger.ticket(makeAsk("1", key));
  const reads: Reads = { ...ticket.reads, owners: [...wanted, ...ticket.reads.owners] };
  await expectGrant(ledger, { ...ticket, reads });
  expect(decided).toEqual([wanted.length]);
  await store.close();
});
