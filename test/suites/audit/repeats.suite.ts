// Records of repeats, on every store: written with what is made, by one of those who come at once, and with nothing else.
import { expect, test } from "bun:test";
import {
  EarlierRequest,
  REPEAT_KEPT_MS,
  REPEAT_SECRET_MS,
  type RepeatClaim,
} from "../../../src/core/people/repeats.ts";
import type { Store } from "../../../src/core/store.ts";
import { makeAccount, makeKey, NOON } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const repeatsSuite = makeSuite({ "changes that are repeated": repeat, "records of repeats": keep });

type Opened = () => TwoStores;

let count = 0;
const claimAs = (id: string, more: Partial<RepeatClaim> = {}): RepeatClaim => ({
  id,
  actor: "person mem_a",
  atMs: NOON,
  bodyDigest: "body",
  token: `token ${count++}`,
  ...more,
});
const change = (store: Store, claim: RepeatClaim) => store.changes(() => [], { claim });

function repeat(opened: Opened): void {
  test("are written once of many at the same moment, on both nodes", async () => {
    const { store, other } = opened();
    const make = async (at: number) => {
      const changes = change(at % 2 === 0 ? store : other, claimAs("twin"));
      if (at % 3 === 0) return changes.addKey(makeKey(`key_${at}`), `digest ${at}`);
      return changes.addAccount(makeAccount(`acct_${at}`, { name: `Team ${at}` }));
    };
    const made = await Promise.allSettled(Array.from({ length: 24 }, (_, at) => make(at)));
    const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect([refused.length, refused.every((one) => one instanceof EarlierRequest)]).toEqual([23, true]);
    const keys = await store.keys({ limit: 50, after: null });
    const accounts = await other.accounts({ limit: 50, after: null });
    expect(keys.length + accounts.filter(({ id }) => id !== "default").length).toBe(1);
  });

  test("are free again if they were refused, or changed nothing", async () => {
    const { store, other } = opened();
    const refuse = () => {
      throw new Error("refused");
    };
    await change(store, claimAs("once")).addAccount(makeAccount("acct_a"));
    const check = (accountId: string) =>
      change(store, claimAs("later")).changeAccount(accountId, accountId === "acct_a" ? refuse : {});
    expect(await catchThrown(check("acct_a"))).toBeInstanceOf(Error);
    expect(await check("acct_none")).toBeNull();
    expect(await other.repeats.find("later", 0)).toBeNull();
    expect(await change(other, claimAs("later")).changeAccount("acct_a", { name: "Later" })).not.toBeNull();
    expect(await store.repeats.find("later", 0)).not.toBeNull();
  });

  test("may take several transactions, and are new after a day", async () => {
    const { store, other } = opened();
    const claim = claimAs("put");
    const put = (at: RepeatClaim) =>
      change(store, at).putAccount({
        fresh: makeAccount("acct_a", { name: "Team" }),
        choose: ([found = null]) => found,
        revise: () => ({ externalId: at.token }),
      });
    await put(claimAs("first"));
    expect((await put(claim)).externalId).toBe(claim.token);
    expect(await catchThrown(put(claimAs("put", { atMs: NOON + REPEAT_KEPT_MS - 1 })))).toBeInstanceOf(
      EarlierRequest,
    );
    const later = claimAs("put", { atMs: NOON + REPEAT_KEPT_MS });
    expect((await put(later)).externalId).toBe(later.token);
    expect((await other.repeats.find("put", 0))?.token).toBe(later.token);
  });
}

function keep(opened: Opened): void {
  test("hold the answer of the request that made them, and its secret for ten minutes", async () => {
    const { store, other } = opened();
    const claim = claimAs("kept");
    await store.repeats.claim(claim);
    expect(await catchThrown(other.repeats.claim(claimAs("kept")))).toBeInstanceOf(EarlierRequest);
    await store.repeats.keepAnswer(claimAs("kept"), { answer: "not theirs", secret: null });
    await store.repeats.keepAnswer(claim, { answer: "sealed", secret: "sealed secret" });
    expect(await other.repeats.find("kept", NOON - 1)).toEqual({
      ...claim,
      answer: "sealed",
      secret: "sealed secret",
    });
    expect(await other.repeats.find("kept", NOON)).toBeNull();
    await store.repeats.prune(NOON + REPEAT_SECRET_MS);
    expect(await other.repeats.find("kept", 0)).toMatchObject({ answer: "sealed", secret: null });
    await store.repeats.prune(NOON + REPEAT_KEPT_MS);
    expect(await other.repeats.find("kept", 0)).toBeNull();
  });
}
