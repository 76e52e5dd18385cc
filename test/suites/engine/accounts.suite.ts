// Demands of several accounts that are decided in one turn, on every store: each meets the rows of its own account.
import { expect, test } from "bun:test";
import type { Decide } from "../../../src/core/decision.ts";
import type { Demand } from "../../../src/core/demand.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { makeOpeningId, type Opening } from "../../../src/core/limits/opening.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import {
  costing,
  give,
  HOUR,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
  writeRecord,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const accountsSuite = makeSuite({ "several accounts in one turn": several });

async function addKeyOf(store: Store, accountId: string): Promise<GatewayKey> {
  await unrecorded(store).addAccount(makeAccount(accountId));
  const key = makeKey(`key of ${accountId}`, { accountId });
  await unrecorded(store).addKey(key, `digest of ${accountId}`);
  await give(store, accountId, 1_000_000);
  return key;
}

function makeTopUp(accountId: string, opening: Opening): Demand {
  const reads = { accountId, keyId: null, owners: [], days: [], requestId: null, replyId: null };
  return {
    kind: "fund",
    movement: "topup",
    accountId,
    id: `${accountId} top-up`,
    nanoUsd: 1,
    by: null,
    note: null,
    nowMs: NOON,
    timeZone: "UTC",
    entry: null,
    reads: { ...reads, movementId: null, openings: [opening] },
  };
}

function several(opened: () => TwoStores): void {
  test("an Idempotency-Key is its account's own", async () => {
    const { store } = opened();
    const [first, second] = [await addKeyOf(store, "acct_a"), await addKeyOf(store, "acct_b")];
    const ledger = ledgerOn(store, { billing: { charge: "always" } });
    const ask = (id: string, key: GatewayKey) =>
      ledger.ticket(
        makeAsk(id, key, {
          idempotency: { replyId: "reply", bodyDigest: "body" },
          offers: () => [costing(1000)],
        }),
      );
    const ticket = ask("chatcmpl-1", first);
    await ledger.admit(ticket);
    await ledger.settle(ticket, { ...makeOutcome(ticket, { costNanoUsd: 1000 }), sealedReply: "sealed" });
    const answers = await Promise.all(
      [ask("chatcmpl-2", first), ask("chatcmpl-3", second)].map((one) => ledger.admit(one)),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(["replayed", "granted"]);
  });

  test("a new budget of a member opens with what was used in its account", async () => {
    const { store, bench } = opened();
    await addKeyOf(store, "acct_a");
    await addKeyOf(store, "acct_b");
    await writeRecord(
      store,
      makeRecord("chatcmpl-1", { accountId: "acct_a", keyId: "key of acct_a", atMs: NOON }),
    );
    const opening = { owner: "member", keyId: null, fromMs: NOON - HOUR };
    const seen = new Map<string, number | undefined>();
    const look: Decide = (rows, demands) => {
      for (const { accountId } of demands)
        seen.set(accountId, rows.sums?.get(makeOpeningId(accountId, opening))?.length);
      return decide(rows, demands);
    };
    const looking = await bench.open(look);
    const fund = (accountId: string) => looking.transact(makeTopUp(accountId, opening));
    await Promise.all([fund("acct_a"), fund("acct_b")]);
    await looking.close();
    expect(Object.fromEntries(seen)).toEqual({ acct_a: 1, acct_b: 0 });
  });
}
