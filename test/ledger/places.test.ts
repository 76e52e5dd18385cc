// Places for requests with several answers, and what is given back: rules that keep one key from using up the others'
// share.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Place } from "../../src/core/rows.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ticket } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/ledger/outcome.ts";
import {
  costing,
  expectGrant,
  FAILED,
  give,
  ledgerOn,
  MINUTE,
  makeAsk,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
  openMemoryStore,
  PRODUCED,
  type RulesChanged,
  standingClock,
} from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";

const key = makeKey("key_a");
let store: Store;
let count = 0;

beforeEach(async () => {
  store = await openMemoryStore(key);
});
afterEach(() => store.close());

/** A ledger with its own clock and this many places per day. */
function opened(requestsPerDay: number | null, more: RulesChanged = {}) {
  const clock = standingClock(NOON);
  const ledger = ledgerOn(store, { clock, ...more, quota: { requestsPerDay, ...more.quota } });
  const ticketFor = (answers: number, offers = [costing(0)]): Ticket =>
    ledger.ticket(
      makeAsk(`request ${count++}`, key, { answers, offers: () => offers, nowMs: clock.nowMs() }),
    );
  const ask = async (answers = 1, offers = [costing(0)]) => {
    const ticket = ticketFor(answers, offers);
    const { place } = await expectGrant(ledger, ticket);
    return { ticket, place };
  };
  const settle = (ticket: Ticket, fields: Partial<Outcome>) =>
    ledger.settle(ticket, { ...makeOutcome(ticket), ...fields });
  const standing = async () => {
    const { used, nextSlotAtMs } = await ledger.allowance(key);
    return { used, waitMs: nextSlotAtMs === null ? null : nextSlotAtMs - clock.nowMs() };
  };
  return { clock, ledger, ask, settle, standing };
}

test.each([
  ["key", { key_id: "key_a", name: "key_a's name" }],
  ["account", { account_id: "default", name: "default" }],
] as const)(
  "an allowance of the %s that is used up is told by its owner's id and name",
  async (scope, owner) => {
    await unrecorded(store).changeKey("key_a", () => ({ name: "key_a's name" }));
    const { ask } = opened(2, { quota: { scope } });
    for (let times = 0; times < 2; times++) await ask();
    const events = await store.takeEvents(NOON, 10);
    expect(events).toMatchObject([{ type: "allowance.used_up", data: { ...owner, limit: 2 } }]);
  },
);

const refusedAs = (ask: Promise<unknown>) =>
  ask.then(
    () => "granted",
    (fault: { code: string }) => fault.code,
  );
const taken = ({ kind, places, slots }: Place) => ({ kind, places, slots });

describe("a request for several answers", () => {
  test("takes a place per answer", async () => {
    const { ask, standing } = opened(10);
    expect(taken((await ask(4)).place)).toEqual({ kind: "allowance", places: 4, slots: 0 });
    expect((await standing()).used).toBe(4);
  });

  test("is admitted if one place is free, and each missing place moves the next slot", async () => {
    const { ask, standing, clock } = opened(10);
    await ask(9);
    expect(taken((await ask(4)).place)).toEqual({ kind: "allowance", places: 1, slots: 3 });
    expect(await standing()).toEqual({ used: 10, waitMs: 40 * MINUTE });
    clock.atMs += 40 * MINUTE - 1;
    expect(await refusedAs(ask())).toBe("rate_limit_exceeded");
    clock.atMs += 1;
    expect(taken((await ask(2)).place)).toEqual({ kind: "throttle", places: 0, slots: 2 });
    expect(await standing()).toEqual({ used: 10, waitMs: 20 * MINUTE });
  });

  test("is shown how many are left", async () => {
    const { ledger } = opened(10);
    const ticket = ledger.ticket(makeAsk("several", key, { answers: 3 }));
    expect((await expectGrant(ledger, ticket)).limits).toMatchObject({ limit: 10, remaining: 7 });
  });

  test("never moves the throttle beyond tomorrow, however far apart its slots are", async () => {
    const { ask, standing } = opened(1, { quota: { throttleMs: 600 * MINUTE } });
    await ask(16);
    expect((await standing()).waitMs).toBe(36 * 60 * MINUTE + 600 * MINUTE - 1);
  });

  test("gets back failed answers one by one, slots first", async () => {
    const { ask, settle, standing } = opened(2);
    const { ticket } = await ask(4);
    expect(await standing()).toEqual({ used: 2, waitMs: 30 * MINUTE });
    await settle(ticket, { giveBack: { answers: 1, isBounded: true, beyond: null } });
    expect(await standing()).toEqual({ used: 2, waitMs: 20 * MINUTE });
    const { ticket: other } = await opened(5).ask(3);
    await settle(other, { giveBack: { answers: 3, isBounded: true, beyond: null } });
    expect((await standing()).used).toBe(2);
  });

  test("whose slots all come back leaves the throttle as it was", async () => {
    const { ask, settle, standing } = opened(3);
    await ask(2);
    const { ticket, place } = await ask(3);
    expect(taken(place)).toEqual({ kind: "allowance", places: 1, slots: 2 });
    await settle(ticket, FAILED3);
    expect(await standing()).toEqual({ used: 2, waitMs: null });
  });
});

const FAILED3 = { ...FAILED, giveBack: { answers: 3, isBounded: true, beyond: null } } as const;

describe("the daily bound on places given back", () => {
  test("equals the allowance, places and slots together", async () => {
    const { ask, settle, standing, clock } = opened(2);
    await settle((await ask()).ticket, FAILED);
    for (let used = 0; used < 2; used++) await ask();
    clock.atMs += 10 * MINUTE;
    await settle((await ask()).ticket, FAILED);
    expect((await standing()).waitMs).toBe(0);
    await settle((await ask()).ticket, FAILED);
    expect(await standing()).toEqual({ used: 2, waitMs: 10 * MINUTE });
  });

  test("ignores requests that were never sent", async () => {
    const { ask, settle, standing } = opened(1);
    const unsent = { ...FAILED, giveBack: { answers: 1, isBounded: false, beyond: null } };
    for (let time = 0; time < 4; time++) await settle((await ask()).ticket, unsent);
    expect((await standing()).used).toBe(0);
    await settle((await ask()).ticket, FAILED);
    await settle((await ask()).ticket, FAILED);
    expect((await standing()).used).toBe(1);
  });
});

describe("a refused prompt", () => {
  const PROMPT = 7_000;
  const refuse = (ticket: Ticket): Partial<Outcome> => {
    const about = { accountId: key.accountId, keyId: key.id, modelUsed: null, status: 400 };
    const record = makeRecord(ticket.ask.id, { ...about, costNanoUsd: 0, usageSource: "none" });
    const beyond = { ...record, costNanoUsd: PROMPT, usageSource: "estimate" as const };
    return { ...FAILED, record, giveBack: { answers: 1, isBounded: true, beyond } };
  };

  test("is free 200 times a day, then costs its estimate", async () => {
    await give(store, "default", 1_000_000);
    const { ask, settle } = opened(null, { billing: { charge: "always" } });
    const charged: number[] = [];
    for (let time = 0; time < 202; time++) {
      const { ticket } = await ask(1, [costing(10_000)]);
      charged.push((await settle(ticket, refuse(ticket))).chargedNanoUsd);
    }
    expect(charged).toEqual([...Array(200).fill(0), PROMPT, PROMPT]);
    expect((await store.account("default"))?.balanceNanoUsd).toBe(1_000_000 - 2 * PROMPT);
    expect((await store.request("request 0"))?.costNanoUsd ?? 0).toBe(0);
  });

  test("of an unlimited key is charged up to the balance, and never written off", async () => {
    await give(store, "default", PROMPT + 1_000);
    const { ask, settle } = opened(null);
    const settled: unknown[] = [];
    for (let time = 0; time < 203; time++) {
      const { ticket } = await ask();
      const { chargedNanoUsd, writtenOffNanoUsd } = await settle(ticket, refuse(ticket));
      if (time >= 200) settled.push([chargedNanoUsd, writtenOffNanoUsd]);
    }
    expect(settled).toEqual([
      [PROMPT, 0],
      [1_000, 0],
      [0, 0],
    ]);
    const { balances, held, system } = await store.audit();
    expect(balances + held + system.funding + system.revenue + system.overrun).toBe(0n);
  });

  test("keeps its place beyond the daily bound", async () => {
    const { ask, settle, standing } = opened(2);
    const used: number[] = [];
    for (let time = 0; time < 4; time++) {
      const { ticket } = await ask();
      await settle(ticket, refuse(ticket));
      used.push((await standing()).used);
    }
    expect(used).toEqual([0, 0, 1, 2]);
  });
});

test("an answer with output gives nothing back", async () => {
  const { ask, settle, standing } = opened(3);
  await settle((await ask(2)).ticket, PRODUCED);
  expect((await standing()).used).toBe(2);
});
