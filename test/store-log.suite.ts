// What every store has to do with the request log and its sums, whatever its engine.
import { expect, test } from "bun:test";
import type { RequestRecord } from "../src/core/record.ts";
import type { Store } from "../src/core/store.ts";
import { HOUR, ledgerOn, NOON, recordOf } from "./samples.ts";

function write(store: Store, ...records: readonly RequestRecord[]): Promise<unknown> {
  return Promise.all(records.map((record) => ledgerOn(store).record(record)));
}

export function log(store: () => Store): void {
  test("a row is kept with every field", async () => {
    const record = recordOf("full", {
      selector: "Router#fair",
      stream: true,
      faultCode: "upstream_error",
      status: 502,
    });
    await write(
      store(),
      record,
      recordOf("bare", { modelUsed: null, firstTokenMs: null, usageSource: "none" }),
    );
    expect(await store().request("full")).toEqual(record);
    expect(await store().request("bare")).toMatchObject({
      modelUsed: null,
      selector: null,
      firstTokenMs: null,
    });
    expect(await store().request("none")).toBeNull();
  });

  test("times that were measured finer are kept to the millisecond", async () => {
    await write(store(), recordOf("fine", { totalMs: 12.6, firstTokenMs: 1.2 }));
    expect(await store().request("fine")).toMatchObject({ totalMs: 13, firstTokenMs: 1 });
  });

  test("lists are narrowed by key, account, model and status, and paged", async () => {
    await write(
      store(),
      recordOf("1", { atMs: NOON + 1 }),
      recordOf("2", { atMs: NOON + 2, keyId: "key_b", status: 502 }),
      recordOf("3", { atMs: NOON + 3, keyId: "key_b", modelAsked: "Router#fair" }),
      recordOf("4", { atMs: NOON + 4, accountId: "acct", modelUsed: "Sim#other" }),
    );
    const idsOf = async (filter: Parameters<Store["requests"]>[0], limit = 9, after = null) =>
      (await store().requests(filter, { limit, after })).map((record) => record.id);
    expect(await idsOf({})).toEqual(["4", "3", "2", "1"]);
    expect(await idsOf({ keyId: "key_b" })).toEqual(["3", "2"]);
    expect(await idsOf({ keyId: "key_b", status: 502 })).toEqual(["2"]);
    expect(await idsOf({ accountId: "acct" })).toEqual(["4"]);
    expect(await idsOf({ model: "Router#fair" })).toEqual(["3"]);
    expect(await idsOf({ model: "Sim#echo" }, 2)).toEqual(["4", "3"]);
    const after = { atMs: NOON + 3, id: "3" };
    expect((await store().requests({}, { limit: 1, after })).map(({ id }) => id)).toEqual(["2"]);
  });
}

export function sums(store: () => Store): void {
  test("charges add up from the hour that a moment falls into", async () => {
    await write(
      store(),
      recordOf("1", { chargedNanoUsd: 1, atMs: NOON - HOUR - 1 }),
      recordOf("2", { chargedNanoUsd: 10, atMs: NOON - 1 }),
      recordOf("3", { chargedNanoUsd: 100, atMs: NOON }),
      recordOf("4", { chargedNanoUsd: 1000, atMs: NOON + 1, modelUsed: "Sim#other" }),
      recordOf("5", { chargedNanoUsd: 10_000, keyId: "key_b" }),
    );
    await write(store(), recordOf("6", { chargedNanoUsd: 100_000 }));
    expect(await store().chargedSince("key_a", NOON)).toBe(101_100);
    expect(await store().chargedSince("key_a", NOON - 1)).toBe(101_110);
    expect(await store().chargedSince("key_a", 0)).toBe(101_111);
    expect(await store().chargedSince("key_c", 0)).toBe(0);
  });

  test("old rows are forgotten a few at a time, sums stay", async () => {
    const old = [1, 2, 3].map((at) => recordOf(`old${at}`, { atMs: NOON - at * HOUR, chargedNanoUsd: 5 }));
    await write(store(), ...old, recordOf("new", { atMs: NOON, chargedNanoUsd: 5 }));
    const before = { requestsMs: NOON, metersMs: NOON };
    expect(await store().prune(before, 2)).toBe(2);
    expect(await store().prune(before, 2)).toBe(1);
    expect((await store().requests({}, { limit: 10, after: null })).map(({ id }) => id)).toEqual(["new"]);
    expect(await store().chargedSince(recordOf("new").keyId, 0)).toBe(20);
  });
}
