// Tests of what a viewer's scope lets through, the same for every engine and every look-up.
import { expect, test } from "bun:test";
import type { Scope } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import { DAY, HOUR, makeAccount, makeKey, makeRecord, NOON } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeRefusal } from "../../http/refusal-samples.ts";
import { write } from "./log.suite.ts";

const NOTHING: Scope = { accountIds: [], personal: null };
const EVERYTHING: Scope = { accountIds: null, personal: null };
const IN_A: Scope = { accountIds: ["a"], personal: null };
const OWN: Scope = { accountIds: [], personal: { memberId: "mem", accountIds: ["a"] } };
const OWN_ANYWHERE: Scope = { accountIds: [], personal: { memberId: "mem", accountIds: null } };
const BOTH: Scope = { accountIds: ["b"], personal: { memberId: "mem", accountIds: ["a"] } };

/** The keys and requests that each scope lets through: the owner's in `a` and `b`, and a service key's in each. */
const CASES: readonly (readonly [name: string, scope: Scope | undefined, seen: string, accounts: string])[] =
  [
    ["none", undefined, "own a, own b, service a, service b", "a b"],
    ["everything", EVERYTHING, "own a, own b, service a, service b", "a b"],
    ["nothing", NOTHING, "", ""],
    ["an account", IN_A, "own a, service a", "a"],
    ["one's own in an account", OWN, "own a", ""],
    ["one's own anywhere", OWN_ANYWHERE, "own a, own b", ""],
    ["an account, and one's own in another", BOTH, "own a, own b, service b", "b"],
  ];

async function fill(store: Store): Promise<void> {
  await store.refusals.add({ counts: [makeRefusal("unknown", { accountId: "", keyId: null })], sums: [] });
  for (const accountId of ["a", "b"]) {
    await unrecorded(store).addAccount(makeAccount(accountId));
    for (const kind of ["own", "service"]) {
      const id = `${kind} ${accountId}`;
      await unrecorded(store).addKey(makeKey(id, { accountId, memberId: kind === "own" ? "mem" : null }), id);
      const counts = [makeRefusal(`refused ${id}`, { accountId, keyId: id })];
      await store.refusals.add({ counts, sums: [] });
      await write(store, makeRecord(`req of ${id}`, { accountId, keyId: id, atMs: NOON, totalMs: 0 }));
    }
  }
}

const join = (ids: readonly string[]) => ids.toSorted().join(", ");
const PAGE = { limit: 50, after: null };
const SPAN = { fromMs: NOON - DAY, toMs: NOON + DAY };

export function scopes(store: () => Store): void {
  test("a scope narrows every list, look-up and sum alike", async () => {
    const to = store();
    await fill(to);
    for (const [name, scope, seen, accounts] of CASES) {
      const at = (found: unknown) => [name, found];
      const ids = ["own a", "own b", "service a", "service b"];
      const keys = await to.keys(PAGE, { nowMs: NOON, scope });
      expect(at(join(keys.map(({ id }) => id)))).toEqual(at(seen));
      const found = await Promise.all(ids.map((id) => to.key(id, scope)));
      expect(at(join(found.flatMap((key) => key?.id ?? [])))).toEqual(at(seen));
      const records = await to.requests({ scope }, PAGE);
      expect(at(join(records.map(({ keyId }) => keyId)))).toEqual(at(seen));
      const read = await Promise.all(ids.map((id) => to.request(`req of ${id}`, scope)));
      expect(at(join(read.flatMap((record) => record?.keyId ?? [])))).toEqual(at(seen));
      const searched = await to.searchRequests({ scope }, PAGE, Number.POSITIVE_INFINITY);
      expect(at(join(searched.rows.map(({ keyId }) => keyId)))).toEqual(at(seen));
      const refused = await to.refusals.list({ scope }, PAGE, Number.POSITIVE_INFINITY);
      expect(at(join(refused.rows.map(({ keyId }) => keyId ?? "unknown")))).toEqual(
        at(scope?.accountIds === null || scope === undefined ? `${seen}, unknown` : seen),
      );
      const named = await Promise.all(["a", "b"].map((one) => to.accountsNamed(one, scope)));
      expect(at(named.flatMap((found) => found.map(({ id }) => id)).join(" "))).toEqual(at(accounts));
      const ended = await to.endedSince(NOON - HOUR, 50, scope);
      expect(at(join(ended.map(({ keyId }) => keyId)))).toEqual(at(seen));
      const usage = await to.usage({ ...SPAN, groupBy: ["keyId"], only: { scope } });
      expect(at(join(usage.map(({ keyId }) => keyId)))).toEqual(at(seen));
      const listed = (await to.accounts(PAGE, { scope }))
        .map(({ id }) => id)
        .filter((id) => id !== "default");
      expect(at(listed.toSorted().join(" "))).toEqual(at(accounts));
      const one = await Promise.all(["a", "b"].map((id) => to.account(id, scope)));
      expect(at(one.flatMap((account) => account?.id ?? []).join(" "))).toEqual(at(accounts));
    }
  });

  test("a change of a key or an account is made of the row as it is, or not at all", async () => {
    const to = store();
    await fill(to);
    const changes = unrecorded(to);
    const refuse = changes.changeKey("own a", () => {
      throw new Error("refused");
    });
    expect(refuse).rejects.toThrow("refused");
    await refuse.catch(() => {});
    const change = await changes.changeKey("own a", (before) => ({
      name: `${before.id} of ${before.accountId}`,
    }));
    expect(change?.name).toBe("own a of a");
    expect(await changes.changeKey("none", () => ({ name: "x" }))).toBeNull();
    const pause = { isPaused: true, pausedBy: ["operator", "admin"] } as const;
    const paused = await changes.changeAccount("a", () => pause);
    expect(paused).toMatchObject(pause);
    expect(await to.account("a")).toEqual(paused);
  });
}
