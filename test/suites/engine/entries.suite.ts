// Requests that enter before their admission in full, on every store: in parallel, one of their minute, and no more.
import { expect, test } from "bun:test";
import type { Ask } from "../../../src/ledger/ledger.ts";
import {
  costing,
  expectGrant,
  give,
  ledgerOn,
  MINUTE,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { ALWAYS, findErrors, openPayments } from "../../ledger/payments.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const entriesSuite = makeSuite({
  entering,
  "with the answer there already": answeredAtOnce,
  "the rest after entering": theRest,
});

const LIMITS = { parallel: 1, requestsPerMinute: 2 };

function entering(opened: Opened): void {
  test("a request that enters takes nothing but its share of the minute, and has its row", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { ...LIMITS, requestsPerDay: 1 });
    await unrecorded(store).addKey(key, "digest");
    const { ledger, ticket } = openPayments(store, {});
    const one = ticket("one", key, 500);
    expect(await ledger.enter(one)).toMatchObject({ kind: "granted", holdNanoUsd: 0, limits: { limit: 1 } });
    const full = await catchThrown(openPayments(other, {}).ledger.enter(ticket("two", key, 500)));
    expect(readCode(full)).toBe("too_many_parallel_requests");
    await ledger.settle(one, makeOutcome(one, { status: 400, ended: "refused" }, false));
    expect(await other.request("one")).toMatchObject({ status: 400, chargedNanoUsd: 0, holdNanoUsd: 0 });
    const three = ticket("three", key, 500);
    expect((await expectGrant(ledger, three)).place).toMatchObject({ kind: "allowance", places: 1 });
    await ledger.settle(three, makeOutcome(three));
    const late = await catchThrown(ledger.enter(ticket("late", key, 500)));
    expect(readCode(late)).toBe("requests_per_minute_exceeded");
    expect(findErrors(await other.audit())).toEqual([]);
  });
}

function answeredAtOnce(opened: Opened): void {
  const free = { status: 200, ended: "done", costNanoUsd: 0 } as const;

  test("a request whose answer is there is admitted and settled in one, as often as it is repeated", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { ...LIMITS, requestsPerDay: 1 });
    await unrecorded(store).addKey(key, "digest");
    const { ledger, ticket } = openPayments(store, {});
    const one = ticket("one", key, 500);
    const entry = { isLooking: true, outcome: makeOutcome(one, free, false) };
    for (let times = 0; times < 2; times++) {
      const entered = await ledger.enter(one, entry);
      expect(entered).toMatchObject({ kind: "granted", settled: { chargedNanoUsd: 0, late: false } });
    }
    expect(await other.request("one")).toMatchObject({ status: 200, chargedNanoUsd: 0, holdNanoUsd: 0 });
    const used = (await ledger.limits(key)).map(({ kind, used }) => `${kind} ${used}`);
    expect(used).toEqual(["requests_per_minute 1", "parallel 0"]);
    expect((await ledger.allowance(key)).used).toBe(0);
    expect(findErrors(await other.audit())).toEqual([]);
  });

  test("one is refused only where nothing is left, since it costs nothing", async () => {
    const { store } = opened();
    const key = makeKey("key_a", {});
    await unrecorded(store).addKey(key, "digest");
    const { ledger, ticket } = openPayments(store);
    const ownOffers = () => [costing(1)];
    const enter = (id: string) => {
      const one = ticket(id, key, 500, { ownOffers });
      return ledger.enter(one, { isLooking: true, outcome: makeOutcome(one, free, false) });
    };
    expect(readCode(await catchThrown(enter("one")))).toBe("insufficient_balance");
    await give(store, "default", 1);
    expect(await enter("two")).toMatchObject({ kind: "granted", holdNanoUsd: 0 });
    expect(readCode(await catchThrown(ledger.admit(ticket("three", key, 500))))).toBe("insufficient_balance");
  });

  test("one that a look would refuse is refused, and has no row", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", {});
    await unrecorded(store).addKey(key, "digest");
    const { ledger, ticket } = openPayments(store);
    const one = ticket("one", key, 500);
    const enter = (isLooking: boolean) =>
      ledger.enter(one, { isLooking, outcome: makeOutcome(one, free, false) });
    expect(readCode(await catchThrown(enter(true)))).toBe("insufficient_balance");
    expect(await other.request("one")).toBeNull();
    expect(await enter(false)).toMatchObject({ kind: "granted" });
  });
}

function theRest(opened: Opened): void {
  test("a request that has entered is admitted for the rest, and nothing is counted twice", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { ...LIMITS, tokensPerMinute: 100 });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1000);
    const { ledger, ticket } = openPayments(store);
    const load = () => ({ prompt: 60, output: 0 });
    await ledger.enter(ticket("one", key, 500));
    expect(await other.account("default")).toMatchObject({ balanceNanoUsd: 1000, heldNanoUsd: 0 });
    const rest = ticket("one", key, 500, { isEntered: true, load });
    expect(await expectGrant(ledger, rest)).toMatchObject({ holdNanoUsd: 500 });
    const used = (await ledger.limits(key)).map(({ kind, used }) => `${kind} ${used}`);
    expect(used).toEqual(["requests_per_minute 1", "tokens_per_minute 60", "parallel 1"]);
    await ledger.settle(rest, makeOutcome(rest, { costNanoUsd: 400, modelUsed: "Sim#echo" }));
    expect(await other.account("default")).toMatchObject({ balanceNanoUsd: 600, heldNanoUsd: 0 });
    expect(findErrors(await other.audit())).toEqual([]);
  });

  test("a request that waited for more than a minute isn't asked again for its place in one", async () => {
    const { store } = opened();
    const key = makeKey("key_a", { requestsPerMinute: 1 });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1000);
    const ledger = ledgerOn(store, ALWAYS);
    const at = (id: string, nowMs: number, fields: Partial<Ask> = {}) =>
      ledger.ticket(makeAsk(id, key, { offers: () => [costing(500)], nowMs, ...fields }));
    await ledger.enter(at("one", NOON));
    const later = NOON + 2 * MINUTE;
    await expectGrant(ledger, at("two", later));
    await expectGrant(ledger, at("one", later, { isEntered: true }));
  });

  test("a request that is refused the rest leaves nothing behind", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", LIMITS);
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1000);
    const { ledger, ticket } = openPayments(store);
    await ledger.enter(ticket("one", key, 1001));
    const rest = ticket("one", key, 1001, { isEntered: true });
    expect(await ledger.admit(rest)).toMatchObject({
      kind: "refused",
      fault: { code: "insufficient_balance" },
    });
    expect(await other.request("one")).toBeNull();
    const used = (await ledger.limits(key)).map(({ kind, used }) => `${kind} ${used}`);
    expect(used).toEqual(["requests_per_minute 0", "parallel 0"]);
    expect(findErrors(await other.audit())).toEqual([]);
  });
}
