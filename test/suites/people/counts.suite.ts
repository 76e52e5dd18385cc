// Counts by account and by key equal those of a reading of each row.
import { expect, test } from "bun:test";
import type { Grant, Member } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import { listGrants } from "../../../src/people/member.ts";
import { addKey, HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { Dice } from "../../sim/dice.ts";

const ACCOUNTS = ["acct_a", "acct_b", "acct_c"];
const SHOWN = ["acct_a", "acct_b", "acct_none"];
const SPAN = { fromMs: NOON - HOUR, toMs: NOON + HOUR };

function makeGrants(dice: Dice): readonly Grant[] {
  return [...ACCOUNTS, null].flatMap((accountId) =>
    dice.chance(0.4) ? [{ role: dice.pick(["viewer", "manager"] as const), accountId }] : [],
  );
}

function makePerson(dice: Dice, id: string): Member {
  return makeMember(id, {
    ruleGrants: makeGrants(dice),
    ownGrants: makeGrants(dice),
    ownUntilMs: dice.pick([null, NOON, NOON + 1]),
  });
}

/** Returns the number of things that name each of the shown accounts. */
function countEach(named: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const all = named.flatMap((ids) => [...new Set(ids)].filter((id) => SHOWN.includes(id)));
  return new Map([...Map.groupBy(all, (id) => id)].map(([id, found]) => [id, found.length]));
}

export function countsByAccount(store: () => Store): void {
  test.each([1, 2, 3])(
    "people with grants are counted once in each account that these name (seed %i)",
    async (seed) => {
      const dice = new Dice(seed);
      const people = Array.from({ length: 40 }, (_, at) => makePerson(dice, `mem_${at}`));
      for (const person of people) await unrecorded(store()).changeMember(person.id, () => person);
      const grants = people.map((person) =>
        listGrants(person, NOON).flatMap(({ accountId }) => accountId ?? []),
      );
      const { people: counted } = await store().people.countByAccount(SHOWN, NOON);
      expect(new Map([...counted].toSorted())).toEqual(new Map([...countEach(grants)].toSorted()));
      expect(await store().people.countByAccount([], NOON)).toEqual({ keys: new Map(), people: new Map() });
    },
  );

  test("keys are counted in their accounts unless they are revoked", async () => {
    for (const [at, account] of [...ACCOUNTS, ...ACCOUNTS, "acct_a"].entries()) {
      await addKey(store(), `key_${at}`, account);
    }
    await unrecorded(store()).revokeKey("key_1", NOON);
    const { keys: counted } = await store().people.countByAccount(SHOWN, NOON);
    expect(new Map([...counted].toSorted())).toEqual(
      new Map([
        ["acct_a", 3],
        ["acct_b", 1],
      ]),
    );
  });

  test("the busiest keys of a model come first, as in its sums, with the number of all", async () => {
    const dice = new Dice(7);
    for (let at = 0; at < 60; at++) {
      const account = dice.pick(ACCOUNTS);
      const keyId = `${account} ${dice.int(0, 3)}`;
      const modelUsed = dice.pick(["Sim#echo", "Sim#echo", "Sim#other"]);
      await writeRecord(store(), makeRecord(`r${at}`, { keyId, accountId: account, modelUsed, atMs: NOON }));
    }
    for (const scope of [undefined, { accountIds: ["acct_a"], personal: null }]) {
      const only = { model: "Sim#echo", scope };
      const sums = await store().usage({ ...SPAN, groupBy: ["keyId", "accountId"], only });
      const most = sums
        .toSorted((one, other) => other.requests - one.requests)
        .map(({ keyId, accountId, requests }) => ({ keyId, accountId, requests }));
      expect(most.length).toBeGreaterThan(2);
      expect(await store().busiestKeys({ ...SPAN, only }, 100)).toEqual({ total: most.length, keys: most });
      const few = await store().busiestKeys({ ...SPAN, only }, 2);
      expect(few).toEqual({ total: most.length, keys: most.slice(0, 2) });
      const [first] = most;
      const keyIds = [first?.keyId ?? "", "no such key"];
      const named = await store().usage({ ...SPAN, groupBy: ["keyId"], only: { ...only, keyIds } });
      expect(named.map(({ keyId, requests }) => [keyId, requests])).toEqual([
        [first?.keyId ?? "", first?.requests ?? 0],
      ]);
      expect(await store().usage({ ...SPAN, groupBy: ["keyId"], only: { ...only, keyIds: [] } })).toEqual([]);
    }
    const none = await store().busiestKeys({ ...SPAN, only: { model: "no such model" } }, 2);
    expect(none).toEqual({ total: 0, keys: [] });
  });
}
