// Long work on a store lets others go on, on every engine.
import { expect, test } from "bun:test";
import type { Store } from "../../../src/core/store.ts";
import { readPages } from "../../../src/core/world/read-pages.ts";
import { nextTurn } from "../../../src/store/engine/turns.ts";
import { HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";

/** Enough for several parts, on the engine whose statements block the event loop. */
const MANY = 200;
/** Of all rows. Together they take many times as long as one turn may. */
const READINGS = 10;

export function pauses(store: () => Store): void {
  test("others go on while old rows are deleted", async () => {
    for (let at = 0; at < MANY; at++)
      await writeRecord(store(), makeRecord(`old${at}`, { atMs: NOON - HOUR }));
    const refusal = { accountId: "acct", keyId: null, last4: null, shape: null, address: null, limit: null };
    const counts = Array.from({ length: MANY }, (_, at) => ({
      ...refusal,
      id: `r${at}`,
      atMs: NOON - HOUR,
      modelAsked: null,
      resetAtMs: null,
      status: 429,
      route: "/v1/chat/completions",
      code: "rate_limit_exceeded",
      count: 1,
    }));
    await store().refusals.add({ counts, sums: [] });
    expect(await countTurns(() => store().refusals.prune(NOON, 1000, 1000))).toBeGreaterThan(2);
    const before = { requestsMs: NOON, metersMs: NOON, repliesMs: NOON };
    expect(await countTurns(() => store().prune(before, 1000))).toBeGreaterThan(2);
    expect(await store().requests({}, { limit: 1, after: null })).toEqual([]);
  });

  test("others go on while a list is read to its end, page by page", async () => {
    for (let at = 0; at < MANY; at++)
      await writeRecord(store(), makeRecord(`old${at}`, { atMs: NOON - HOUR }));
    const read = async () => {
      let found = 0;
      for (let time = 0; time < READINGS; time++)
        for await (const rows of readPages((page) => store().requests({}, page), 1)) found += rows.length;
      return found / READINGS;
    };
    expect(await countTurns(read)).toBeGreaterThan(2);
  });
}

/** Returns how often the event loop turned before all rows were handled. */
async function countTurns(handle: () => Promise<number>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const handling = handle().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    turns++;
  }
  expect(await handling).toBe(MANY);
  return turns;
}
