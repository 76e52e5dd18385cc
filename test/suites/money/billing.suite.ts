// Payment of requests on every store: allowance, balance, the last cent.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import {
  addKey,
  costing,
  expectGrant,
  give,
  ledgerOn,
  MINUTE,
  makeAsk,
  makeKey,
  makeOffer,
  makePlace,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { ALWAYS, findErrors, openPayments, readJournal } from "../../ledger/payments.ts";
import { tried } from "../../ledger/tried.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const billingSuite = makeSuite({
  "paying beyond the allowance": beyondAllowance,
  "not paying beyond the allowance": unpaid,
  "paying for everything": payingAlways,
  "the last cent": lastCent,
});

/** A key that has used its one free request of the day. */
async function used(store: Store): Promise<GatewayKey> {
  const key = makeKey("key_a", { requestsPerDay: 1 });
  await unrecorded(store).addKey(key, "digest");
  await give(store, "default", 1);
  expect(await tried(ledgerOn(store), key, [costing(1)])).toBe("allowance 0");
  return key;
}

function beyondAllowance(opened: Opened): void {
  test("the allowance comes first, then the balance while it covers the worst case, then the slot", async () => {
    const { store, other } = opened();
    const key = await used(store);
    await give(other, "default", 999);
    const ledger = ledgerOn(store);
    expect(await tried(ledger, key, [costing(1_001)])).toBe("rate_limit_exceeded");
    expect(await tried(ledger, key, [costing(600)])).toBe("balance 600");
    expect(await tried(ledger, key, [costing(401)])).toBe("rate_limit_exceeded");
    const later = NOON + 10 * MINUTE;
    expect(await tried(ledger, key, [costing(400)], later)).toBe("balance 400");
    expect(await tried(ledger, key, [costing(1)], later)).toBe("throttle 0");
    expect(await tried(ledger, key, [costing(1)], later)).toBe("rate_limit_exceeded");
    expect(await store.account("default")).toMatchObject({ balanceNanoUsd: 0, heldNanoUsd: 1_000 });
  });

  test("a paid answer reports that no allowance is left", async () => {
    const { store } = opened();
    const key = await used(store);
    await give(store, "default", 1_000);
    const payments = openPayments(store, {});
    const { granted } = await payments.hold("1", key, 700);
    expect(granted).toMatchObject({ limits: { limit: 1, remaining: 0 }, outputTokens: { "Sim#echo": 1 } });
  });

  test("without a balance not even a price of 0 is paid, with one it is", async () => {
    const { store } = opened();
    const key = makeKey("key_a", { requestsPerDay: 0 });
    await unrecorded(store).addKey(key, "digest");
    const ledger = ledgerOn(store, { quota: { throttleMs: 0 } });
    expect(await tried(ledger, key, [costing(0)])).toBe("rate_limit_exceeded");
    await give(store, "default", 1);
    expect(await tried(ledger, key, [costing(0)])).toBe("balance 0");
    expect((await store.account("default"))?.balanceNanoUsd).toBe(1);
  });
}

function unpaid(opened: Opened): void {
  test("a model without a price is never paid for and waits for the slot", async () => {
    const { store } = opened();
    const key = await used(store);
    await give(store, "default", 1_000);
    const ledger = ledgerOn(store);
    expect(await tried(ledger, key, [])).toBe("rate_limit_exceeded");
    expect(await tried(ledger, key, [], NOON + 10 * MINUTE)).toBe("throttle 0");
  });

  test("an unlimited key pays nothing, and its cost isn't even computed", async () => {
    const { store } = opened();
    const key = makeKey("key_a", { requestsPerDay: null });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1_000);
    const ledger = ledgerOn(store);
    const offers = () => {
      throw new Error("It was asked for.");
    };
    const ticket = ledger.ticket(makeAsk("1", key, { offers }));
    const free = { place: makePlace("unlimited"), limits: null, holdNanoUsd: 0, outputTokens: null } as const;
    expect(await expectGrant(ledger, ticket)).toEqual({ kind: "granted", ...free });
  });

  test("the 429 gives the time of the slot, whatever the balance", async () => {
    const { store } = opened();
    const key = await used(store);
    await give(store, "default", 1_000);
    const ledger = ledgerOn(store);
    const ask = makeAsk("1", key, { offers: () => [costing(5_000)], nowMs: NOON + MINUTE });
    const thrown = await catchThrown(ledger.admit(ledger.ticket(ask)));
    expect(thrown instanceof Fault && thrown.details.retryAfterMs).toBe(9 * MINUTE);
  });
}

function payingAlways(opened: Opened): void {
  test("only the balance pays: 402 without one, 403 for a model without a price", async () => {
    const { store, other } = opened();
    const key = await addKey(store, "key_a");
    const ledger = ledgerOn(store, ALWAYS);
    expect(await tried(ledger, key, [costing(1)])).toBe("insufficient_balance");
    expect(await tried(ledger, key, [])).toBe("model_not_priced");
    await give(other, "default", 1_000);
    expect(await tried(ledger, key, [costing(1_001)])).toBe("insufficient_balance");
    expect(await tried(ledger, key, [costing(1_000)])).toBe("balance 1000");
    expect(await tried(ledger, key, [costing(1)], NOON + 100 * MINUTE)).toBe("insufficient_balance");
    expect(await tried(ledger, key, [])).toBe("model_not_priced");
    expect(await tried(ledger, key, [costing(0)])).toBe("balance 0");
  });

  test("unlimited keys pay like all others, and no allowance is reported", async () => {
    const { store } = opened();
    const key = makeKey("key_a", { requestsPerDay: null });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1_000);
    const { granted } = await openPayments(store).hold("1", key, 800);
    expect(granted).toMatchObject({ place: { kind: "balance" }, limits: null, holdNanoUsd: 800 });
  });

  test("the most expensive card's worst case is held with the markup, up to a quarter of the balance without a limit", async () => {
    const { store } = opened();
    const key = await addKey(store, "key_a");
    await give(store, "default", 1_000_000_000);
    const ledger = ledgerOn(store, { billing: { charge: "always", markup: 1.5 } });
    const cheap = makeOffer({ card: "Sim#cheap", outputUsdPerMillion: 2, outputTokensMax: 8_192 });
    const dear = makeOffer({ card: "Sim#dear", outputUsdPerMillion: 20, outputTokensMax: 100_000 });
    const ticket = ledger.ticket(makeAsk("1", key, { offers: () => [cheap, dear] }));
    // A quarter of 1 USD at 30 USD per million is 8,333 tokens.
    expect(await expectGrant(ledger, ticket)).toMatchObject({
      holdNanoUsd: 8_333 * 30_000,
      outputTokens: { "Sim#cheap": 8_192, "Sim#dear": 8_333 },
    });
    // A quarter of the remaining 750,010,000 covers 6,250.
    expect(await tried(ledger, key, [dear])).toBe(`balance ${6_250 * 30_000}`);
  });

  test("without a client limit, at least 1,024 tokens must be covered", async () => {
    const { store } = opened();
    const key = await addKey(store, "key_a");
    await give(store, "default", 1_024 * 10_000);
    const offer = makeOffer({ outputUsdPerMillion: 10, outputTokensMax: 64_000 });
    const ledger = ledgerOn(store, ALWAYS);
    expect(await tried(ledger, key, [costing(1), offer])).toBe("balance 10240000");
    await give(store, "default", 1_024 * 10_000 - 1);
    expect(await tried(ledger, key, [offer])).toBe("insufficient_balance");
    expect(await tried(ledger, key, [{ ...offer, outputTokensMax: 500 }])).toBe("balance 5000000");
  });
}

function lastCent(opened: Opened): void {
  const CENT = 10_000_000;
  const WORST = 3_000;
  const COVERED = Math.floor(CENT / WORST);

  test("of 10,000 parallel requests over two stores, exactly those it covers are paid", async () => {
    const { store, other } = opened();
    const key = await addKey(store, "key_a");
    await give(store, "default", CENT);
    const both = [openPayments(store), openPayments(other)] as const;
    const paymentsAt = (index: number) => both[index % 2 === 0 ? 0 : 1];
    const results = await Promise.allSettled(
      Array.from({ length: 10_000 }, (_, index) => paymentsAt(index).hold(`request ${index}`, key, WORST)),
    );
    const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const refusals = results.flatMap((result) =>
      result.status === "rejected" ? [readCode(result.reason)] : [],
    );
    expect(held.length).toBe(COVERED);
    expect(new Set(refusals)).toEqual(new Set(["insufficient_balance"]));
    expect(await store.account("default")).toMatchObject({ balanceNanoUsd: CENT - COVERED * WORST });

    // Each is settled by either store, for less, for more, or for nothing.
    const ends = await Promise.all(
      held.map((ticket, index) =>
        index % 3 === 0
          ? paymentsAt(index).release(ticket)
          : paymentsAt(index + 1).post(ticket, 1_000 * (index % 6)),
      ),
    );
    const charged = ends.reduce((sum, end) => sum + end.chargedNanoUsd, 0);
    const writtenOff = ends.reduce((sum, end) => sum + end.writtenOffNanoUsd, 0);
    const account = await other.account("default");
    expect(account).toMatchObject({ heldNanoUsd: 0, balanceNanoUsd: CENT - charged });
    expect([
      await store.journals.systemBalance("revenue"),
      await store.journals.systemBalance("overrun"),
    ]).toEqual([charged + writtenOff, 0 - writtenOff]);
    expect(findErrors(await other.audit())).toEqual([]);
    const journal = await readJournal(store);
    expect(journal.filter((entry) => entry.kind === "hold").length).toBe(COVERED);
    expect(Math.min(...journal.map((entry) => entry.balanceAfterNanoUsd))).toBe(CENT - COVERED * WORST);
    expect((await other.spentSince(makeKey("key_a"), 0)).chargedNanoUsd).toBe(charged);
  }, 300_000);
}
