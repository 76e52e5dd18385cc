// Tags on every store: which count of the day's first ones, and that no other sum counts a request twice.
import { expect, test } from "bun:test";
import { sumUsage } from "../../../src/admin/log/usage.ts";
import type { UsageDimension, UsageFilter } from "../../../src/core/log/log-query.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { Store } from "../../../src/core/store.ts";
import { lostRecord } from "../../../src/ledger/lost.ts";
import {
  addKey,
  expectGrant,
  FAILED,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const tagsSuite = makeSuite({
  "sums by tag": sums,
  "figures by tag": shown,
  "the tags of a day": bound,
  "the log": search,
});

const DAY_MS = 86_400_000;
const PAGE = { limit: 50, after: null };

async function settle(store: Store, id: string, fields: Partial<RequestRecord> = {}, account = "default") {
  const key = await addKey(store, fields.keyId ?? `key_${account}`, account);
  const ledger = ledgerOn(store, { quota: { requestsPerDay: null } });
  const ticket = ledger.ticket(makeAsk(id, key));
  await expectGrant(ledger, ticket);
  await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: 10, ...fields }));
}

/** Returns the requests and the cost of each group. */
async function list(store: Store, groupBy: readonly UsageDimension[], only: UsageFilter = {}, fromMs = NOON) {
  const rows = await store.usage({ fromMs, toMs: fromMs + DAY_MS / 2, groupBy, only });
  return rows
    .filter(({ requests }) => requests > 0)
    .map(({ tag, model, requests, costNanoUsd }) => `${tag} ${model} ${requests} ${costNanoUsd}`.trim())
    .sort();
}

function sums(opened: () => TwoStores): void {
  test("have a request under each of its tags, and elsewhere once", async () => {
    const { store } = opened();
    await settle(store, "both", { tags: "env=prod,team=a" });
    await settle(store, "one", { tags: "team=a", modelUsed: "Acme#other", costNanoUsd: 7 });
    await settle(store, "none", { costNanoUsd: 5 });
    expect(await list(store, ["tag"])).toEqual(["1 5", "env=prod  1 10", "team=a  2 17"]);
    expect(await list(store, ["tag", "model"])).toEqual([
      "Sim#echo 1 5",
      "env=prod Sim#echo 1 10",
      "team=a Acme#other 1 7",
      "team=a Sim#echo 1 10",
    ]);
    expect(await list(store, [])).toEqual(["3 22"]);
    expect(await list(store, ["model"])).toEqual(["Acme#other 1 7", "Sim#echo 2 15"]);
    expect(await list(store, ["model"], { tag: "team=a" })).toEqual(["Acme#other 1 7", "Sim#echo 1 10"]);
    expect(await list(store, [], { tag: "untagged" })).toEqual(["1 5"]);
    expect(await list(store, ["tag"], { tag: "untagged" })).toEqual(["1 5"]);
    expect(await list(store, ["tag"], { tag: "env=prod" })).toEqual(["env=prod  1 10"]);
    expect(await list(store, ["tag"], { tag: "team=A" })).toEqual([]);
  });

  test("take back a lost request that is settled late", async () => {
    const { store } = opened();
    const key = await addKey(store, "key_a");
    const ledger = ledgerOn(store, { quota: { requestsPerDay: null } });
    const ticket = ledger.ticket(makeAsk("late", key));
    const { place } = await expectGrant(ledger, ticket);
    const hold = (await store.read(ticket.reads)).holds.get("late")?.row;
    if (!hold) throw new Error("There is no hold.");
    await ledger.settle(ticket, { ...FAILED, record: lostRecord(hold), sealedReply: null });
    expect(await list(store, ["tag"])).toEqual(["1 0"]);
    await ledger.settle(ticket, { ...makeOutcome(ticket, { costNanoUsd: 10, tags: "team=a" }), place });
    expect(await list(store, ["tag"])).toEqual(["team=a  1 10"]);
    expect(await list(store, [])).toEqual(["1 10"]);
  });
}

function shown(opened: () => TwoStores): void {
  test("are shown with a row for requests without tags", async () => {
    const { store } = opened();
    await settle(store, "one", { tags: "team=a" });
    await settle(store, "none");
    const clock = { nowMs: () => NOON + DAY_MS };
    const parts = {
      store,
      clock,
      dayRules: () => ({ timeZone: "UTC", dayStartsMinutes: 0 }),
      keepMs: () => DAY_MS,
    };
    const list = async (group_by: string, more: object = {}) =>
      (await sumUsage(parts, { group_by, ...more })).data.map(({ tag, model, requests }) => [
        tag,
        model,
        requests,
      ]);
    expect(await list("tag")).toEqual([
      ["team=a", undefined, 1],
      ["untagged", undefined, 1],
    ]);
    expect(await list("model,tag")).toEqual([
      ["team=a", "Sim#echo", 1],
      ["untagged", "Sim#echo", 1],
    ]);
    expect(await list("model")).toEqual([[undefined, "Sim#echo", 2]]);
    expect(await list("model", { tag: "untagged" })).toEqual([[undefined, "Sim#echo", 1]]);
  });
}

function bound(opened: () => TwoStores): void {
  test("are 500 on any number of nodes, and the others are summed together", async () => {
    const { store, other } = opened();
    await addKey(store, "key_default");
    const settled = Array.from({ length: 66 }, (_, request) => {
      const tags = Array.from({ length: 8 }, (_, at) => `user=${request * 8 + at}`);
      return settle(request % 2 === 0 ? store : other, `r${request}`, {
        tags: tags.join(","),
        costNanoUsd: 1,
      });
    });
    await Promise.all(settled);
    const rows = await store.usage({ fromMs: NOON, toMs: NOON + DAY_MS / 2, groupBy: ["tag"] });
    expect(rows.length).toBe(501);
    const rest = rows.find(({ tag }) => tag === "other");
    // 28 of the 528 tags are beyond: those of three or four requests, each of which counts once.
    expect(rest?.requests).toBeGreaterThanOrEqual(4);
    expect(rest?.requests).toBeLessThanOrEqual(28);
    expect(rest?.costNanoUsd).toBe(rest?.requests);
    expect(rows.filter(({ tag }) => tag !== "other").every(({ requests }) => requests === 1)).toBe(true);
    expect(await list(store, [])).toEqual(["66 66"]);

    const known = rows.find(({ tag }) => tag.startsWith("user="))?.tag ?? "";
    await settle(other, "again", { tags: `${known},new=tag,newer=tag`, costNanoUsd: 1 });
    const count = async (tag: string) =>
      (await store.usage({ fromMs: NOON, toMs: NOON + DAY_MS / 2, groupBy: [], only: { tag } }))[0]?.requests;
    expect([await count(known), await count("new=tag"), await count("other")]).toEqual([
      2,
      0,
      (rest?.requests ?? 0) + 1,
    ]);

    await settle(store, "tomorrow", { tags: "new=tag", atMs: NOON + DAY_MS });
    expect(await list(store, ["tag"], {}, NOON + DAY_MS)).toEqual(["new=tag  1 10"]);
    await unrecorded(store).addAccount(makeAccount("apart"));
    await settle(store, "theirs", { tags: "new=tag" }, "apart");
    expect(await list(store, ["tag"], { accountId: "apart" })).toEqual(["new=tag  1 10"]);
  }, 300_000);

  test("of a key come before those of its account", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("team", { tags: { team: "search", cost: "42" } }));
    const key = await addKey(store, "key_team", "team");
    const ledger = ledgerOn(store);
    expect((await expectGrant(ledger, ledger.ticket(makeAsk("a", key)))).tags).toEqual({
      team: "search",
      cost: "42",
    });
    await unrecorded(other).changeKey(key.id, { tags: { team: "ads" } });
    expect((await expectGrant(ledger, ledger.ticket(makeAsk("b", key)))).tags).toEqual({
      team: "ads",
      cost: "42",
    });
    await unrecorded(other).changeAccount("team", { tags: null });
    await unrecorded(other).changeKey(key.id, { tags: null });
    expect((await expectGrant(ledger, ledger.ticket(makeAsk("c", key)))).tags).toBeUndefined();
  });
}

function search(opened: () => TwoStores): void {
  test("is narrowed to whole tags, whatever stands beside them", async () => {
    const { store } = opened();
    const tags = ["team=a", "env=prod,team=a", "team=ab", "team=A", "xteam=a", null, "team=%"];
    for (const [at, one] of tags.entries()) await settle(store, `r${at}`, { tags: one, atMs: NOON + at });
    const found = async (tag: string) => (await store.requests({ tag }, PAGE)).map(({ id }) => id).sort();
    expect(await found("team=a")).toEqual(["r0", "r1"]);
    expect(await found("env=prod")).toEqual(["r1"]);
    expect(await found("team=%")).toEqual(["r6"]);
    expect(await found("untagged")).toEqual(["r5"]);
    expect(await found("team=_")).toEqual([]);
    expect((await store.request("r1"))?.tags).toBe("env=prod,team=a");
    const within = await store.searchRequests({ tag: "team=a", keyId: "key_default" }, PAGE, 1000);
    expect(within.rows.map(({ id }) => id)).toEqual(["r1", "r0"]);
  });
}
