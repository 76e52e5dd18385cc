// People in doubt, on every store: who falls into it together, what each connection sees, and what an older node leaves.
import { expect, test } from "bun:test";
import type { Doubt, Member } from "../../../src/core/people/people.ts";
import { mayUseKeys, memberAccess } from "../../../src/people/member.ts";
import { NOON } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import type { TwoStores } from "../two-stores.ts";

const ISSUER = "https://issuer.example";
const DOUBT: Doubt = { sinceMs: NOON, actsUntilMs: NOON + 10, keysUntilMs: NOON + 20 };
const DUE = NOON - 100;

export function doubts(opened: () => TwoStores): void {
  const put = (id: string, fields: Partial<Member> = {}) =>
    unrecorded(opened().store).changeMember(id, () =>
      makeMember(id, {
        ruleGrants: [{ role: "admin", accountId: null }],
        refreshSealed: "sealed",
        seenAtMs: NOON - 1000,
        checkedAtMs: DUE,
        ...fields,
      }),
    );
  const doubtOf = async (id: string) => (await opened().other.people.member(id))?.doubt;

  test("those who are due fall into it together, nobody else does, and who is in it stays since then", async () => {
    const { store } = opened();
    const before = { ...DOUBT, sinceMs: NOON - 5, actsUntilMs: NOON + 5, keysUntilMs: NOON + 15 };
    await put("due");
    await put("before", { doubt: before });
    await put("longer", { doubt: { ...before, keysUntilMs: NOON + 500 } });
    await put("seen since", { doubt: { ...before, sinceMs: NOON - 2000 } });
    await put("checked", { checkedAtMs: DUE + 1 });
    await put("without a token", { refreshSealed: null });
    await put("elsewhere", { issuer: "https://other.example" });
    await put("disabled", { isDisabled: true });
    await put("anonymous", { anonymisedAtMs: 1 });
    await store.people.doubtDueMembers(ISSUER, DUE, DOUBT);
    expect(await doubtOf("due")).toEqual(DOUBT);
    expect(await doubtOf("seen since")).toEqual(DOUBT);
    expect([await doubtOf("before"), await doubtOf("longer")]).toEqual([before, before]);
    for (const id of ["checked", "without a token", "elsewhere", "disabled", "anonymous"])
      expect([id, await doubtOf(id)]).toEqual([id, undefined]);
  });

  test("its ends count on every connection, and a change by a node that doesn't know it ends it by a later look", async () => {
    const { store, other, bench } = opened();
    await put("ann");
    await store.people.doubtDueMembers(ISSUER, DUE, DOUBT);
    const may = async (nowMs: number) => {
      const terms = await other.people.memberTerms("ann");
      const member = await other.people.member("ann");
      if (terms === null || member === null) throw new Error("nobody is there");
      return [mayUseKeys(terms, "default", nowMs), memberAccess(member, nowMs).role];
    };
    expect(await may(NOON + 9)).toEqual([true, "admin"]);
    expect(await may(NOON + 10)).toEqual([true, null]);
    expect(await may(NOON + 20)).toEqual([false, null]);
    await bench.raw(`UPDATE member SET seen_at_ms = ${NOON + 1} WHERE id = 'ann'`);
    expect(await may(NOON + 20)).toEqual([true, "admin"]);
  });
}
