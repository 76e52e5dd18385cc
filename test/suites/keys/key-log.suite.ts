// One key's requests in the log and its sums, on every store.
import { expect, test } from "bun:test";
import type { RequestFilter } from "../../../src/core/log/log-query.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Store } from "../../../src/core/store.ts";
import type { Position } from "../../../src/core/world/page.ts";
import { addKey, give, HOUR, makeKey, makeRecord, NOON } from "../../harness/samples.ts";
import { openPayments } from "../../ledger/payments.ts";
import { write } from "../log/log.suite.ts";

export function requestsOfKey(store: () => Store): void {
  test("a key's rows are found and paged across all hours of its requests", async () => {
    const at = [0, 1, HOUR - 1, HOUR, 2 * HOUR, 30 * HOUR, 30 * HOUR + 1];
    const others = at.map((sinceMs) =>
      makeRecord(`other ${sinceMs}`, { atMs: NOON + sinceMs, keyId: "key_b" }),
    );
    const own = at.map((sinceMs, index) =>
      makeRecord(`${index}`, { atMs: NOON + sinceMs, status: 200 + index }),
    );
    await write(store(), ...others, ...own);
    const idsOf = async (filter: RequestFilter, limit = 9, after: Position | null = null) =>
      (await store().requests({ keyId: "key_a", ...filter }, { limit, after })).map(({ id }) => id).join("");
    expect(await idsOf({})).toBe("6543210");
    expect(await idsOf({}, 4)).toBe("6543");
    expect(await idsOf({}, 4, { atMs: NOON + HOUR, id: "3" })).toBe("210");
    expect(await idsOf({}, 2, { atMs: NOON + 30 * HOUR + 1, id: "6" })).toBe("54");
    expect(await idsOf({ fromMs: NOON + 1, toMs: NOON + 30 * HOUR })).toBe("4321");
    expect(await idsOf({ fromMs: NOON + HOUR })).toBe("6543");
    expect(await idsOf({ toMs: NOON + HOUR })).toBe("210");
    expect(await idsOf({ status: 201 })).toBe("1");
    expect(await idsOf({ fromMs: NOON + 3 * HOUR, toMs: NOON + 29 * HOUR })).toBe("");
  });
}

const CHAT = { operation: "chat", amounts: { ...NO_AMOUNTS, prompt: 3 } };
const PICTURES = { operation: "images", amounts: { ...NO_AMOUNTS, prompt: 5, images: 2 } };

export function mixedRows(store: () => Store): void {
  test("requests of one transaction keep their own amounts, whatever their operations count", async () => {
    const key = await addKey(store(), "key_a");
    await give(store(), key.accountId, 1000);
    const payments = openPayments(store());
    const held = await Promise.all(["1", "2", "3", "4"].map((id) => payments.hold(id, key, 10)));
    // Settled in one turn of the event loop, these are one transaction.
    await Promise.all(held.map((one, at) => payments.post(one, 1, at % 2 === 0 ? CHAT : PICTURES)));
    const rows = await store().requests({}, { limit: 9, after: null });
    const written = rows.map(({ operation, amounts }) => `${operation} ${amounts.prompt} ${amounts.images}`);
    expect(written.toSorted()).toEqual(["chat 3 0", "chat 3 0", "images 5 2", "images 5 2"]);
    const sums = await store().usage({ fromMs: 0, toMs: NOON + HOUR, groupBy: ["operation"] });
    const counted = sums.map(({ operation, amounts }) => `${operation} ${amounts.prompt} ${amounts.images}`);
    expect(counted.toSorted()).toEqual(["chat 6 0", "images 10 4"]);
  });
}

export function keyUses(store: () => Store): void {
  test("a key's use shows its charges and its last request", async () => {
    const charged = (id: string, atMs: number, chargedNanoUsd: number) =>
      makeRecord(id, { atMs, chargedNanoUsd });
    await write(
      store(),
      charged("1", NOON - 3 * HOUR, 1),
      charged("2", NOON - HOUR, 10),
      charged("3", NOON, 100),
    );
    await addKey(store(), "key_b");
    const uses = await store().keyUses(
      ["key_a", "key_b", "key_none"].map((id) => makeKey(id)),
      NOON,
      NOON - HOUR,
    );
    expect(uses.toSorted((a, b) => a.keyId.localeCompare(b.keyId))).toEqual([
      { keyId: "key_a", sinceDayNanoUsd: 100, sinceMonthNanoUsd: 110, everNanoUsd: 111, lastAtMs: NOON },
      { keyId: "key_b", sinceDayNanoUsd: 0, sinceMonthNanoUsd: 0, everNanoUsd: 0, lastAtMs: null },
    ]);
    await store().prune({ requestsMs: NOON + 1, metersMs: 0, repliesMs: 0 }, 100);
    expect((await store().keyUses([makeKey("key_a")], NOON, NOON))[0]?.lastAtMs).toBe(NOON);
  });
}
