// The look at the owner's rows before a costly estimate: it refuses what admission surely would, and takes nothing.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { makeUnlistedCard } from "../../src/catalogue/unlisted.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { Attachment } from "../../src/core/models/attachment.ts";
import type { BillingRules, QuotaRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ask, Ticket } from "../../src/ledger/ledger.ts";
import { TRANSCRIPTION } from "../../src/operations/transcription/operation.ts";
import { OPENAI_TRANSCRIPTIONS } from "../../src/surfaces/openai-transcriptions/surface.ts";
import {
  costing,
  expectGrant,
  FAILED,
  give,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOffer,
  makeOutcome,
  NOON,
  openMemoryStore,
  QUOTA,
} from "../harness/samples.ts";
import { incoming } from "../surfaces/recorded.ts";

const key = makeKey("key_a");
let store: Store;
let count = 0;
beforeEach(async () => {
  store = await openMemoryStore(key);
});
afterEach(() => store.close());

interface Case {
  readonly name: string;
  readonly quota?: Partial<QuotaRules>;
  readonly billing?: Partial<BillingRules>;
  readonly ask?: Partial<Ask>;
  /** The key's row as it is now; the request was identified before. */
  readonly stored?: Partial<GatewayKey>;
  /** Requests that were admitted before. */
  readonly used?: number;
  readonly balanceNanoUsd?: number;
}

const ALWAYS = { billing: { charge: "always" } } as const;
const ONE_A_DAY = { quota: { requestsPerDay: 1 } } as const;
const NO_MORE = { ...ONE_A_DAY, used: 1 };

async function open({ quota, billing, stored, used = 0, balanceNanoUsd = 0 }: Case) {
  if (stored) {
    await store.close();
    store = await openMemoryStore({ ...key, ...stored });
  }
  const rules = {
    quota: { ...QUOTA, ...quota },
    billing: { charge: "beyond_allowance", markup: 1, ...billing },
  } as const;
  const ledger = ledgerOn(store, rules);
  for (let times = 0; times < used; times++) {
    const ticket = ledger.ticket(makeAsk(`before ${count++}`, key));
    await expectGrant(ledger, ticket);
    await ledger.settle(ticket, makeOutcome(ticket));
  }
  if (balanceNanoUsd > 0) await give(store, key.accountId, balanceNanoUsd);
  return ledger;
}

const refused = (work: Promise<unknown>): Promise<Fault | null> =>
  work.then(
    () => null,
    (thrown: unknown) => (thrown instanceof Fault ? thrown : Promise.reject(thrown)),
  );

const readRows = async ({ reads }: Ticket) => {
  const { accounts, page } = await store.read(reads);
  const { accountId, owners, days } = reads;
  const pages = owners.map((owner) => page(accountId, owner));
  const rows = pages.map((one) => [one.state.row, one.spend.row, ...days.map((day) => one.meter(day).row)]);
  return [accounts.get(accountId)?.row, ...rows];
};

describe("refuses with the admission's own fault, before the worst case is known", () => {
  const CASES: readonly Case[] = [
    { name: "an allowance that is used up", ...NO_MORE },
    { name: "one without a throttle", quota: { requestsPerDay: 1, throttleMs: 0 }, used: 1 },
    { name: "one with a balance of less than the least", ...NO_MORE, balanceNanoUsd: 9 },
    { name: "a key that was revoked meanwhile", stored: { revokedAtMs: NOON } },
    { name: "a key that was paused meanwhile", stored: { isPaused: true } },
    { name: "an address that is no longer allowed", stored: { allowedAddresses: ["10.0.0.0/8"] } },
    { name: "no balance where all is charged", ...ALWAYS },
    {
      name: "a spend limit that is used up",
      ...ALWAYS,
      balanceNanoUsd: 100,
      stored: { spendLimitNanoUsd: 0 },
    },
    { name: "a model without a price where all is charged", ...ALWAYS, ask: { isPayable: false } },
    { name: "a model that isn't free", quota: { free: { models: ["Other#*"], budgetNanoUsd: null } } },
    {
      name: "a budget for free requests below the least",
      quota: { free: { models: ["*"], budgetNanoUsd: 9 } },
    },
  ];
  for (const one of CASES) {
    test(one.name, async () => {
      const ledger = await open(one);
      let estimates = 0;
      const offers = () => {
        estimates++;
        return [costing(1000)];
      };
      const given = { leastOffers: () => [costing(10)], offers, ...one.ask };
      const ticket = ledger.ticket(makeAsk(`request ${count++}`, key, given));
      const before = await readRows(ticket);
      const looked = await refused(ledger.look(ticket));
      expect(estimates).toBe(0);
      expect(await readRows(ticket)).toEqual(before);
      const admitted = await refused(ledger.admit(ticket));
      expect(looked).not.toBeNull();
      expect([looked?.code, looked?.message, looked?.details]).toEqual([
        admitted?.code,
        admitted?.message,
        admitted?.details,
      ]);
    });
  }
});

describe("says nothing where admission may grant", () => {
  const CASES: readonly Case[] = [
    { name: "a place that is free" },
    { name: "the throttle's slot", ...NO_MORE, ask: { nowMs: NOON + 10 * 60_000 } },
    { name: "a balance that covers the least", ...NO_MORE, balanceNanoUsd: 10 },
    { name: "an unlimited key", stored: { requestsPerDay: null } },
    { name: "a price of nothing where all is charged", ...ALWAYS, ask: { leastOffers: () => [makeOffer()] } },
  ];
  for (const one of CASES) {
    test(one.name, async () => {
      const ledger = await open(one);
      const by = one.stored ? { ...key, ...one.stored } : key;
      const ticket = ledger.ticket(
        makeAsk(`request ${count++}`, by, { leastOffers: () => [costing(10)], ...one.ask }),
      );
      const before = await readRows(ticket);
      expect(await refused(ledger.look(ticket))).toBeNull();
      expect(await readRows(ticket)).toEqual(before);
    });
  }

  test("a repeated request, although the allowance is used up", async () => {
    const ledger = await open({ name: "", ...ONE_A_DAY });
    const idempotency = { replyId: "reply", bodyDigest: "body" };
    const first = ledger.ticket(makeAsk("first", key, { idempotency }));
    await expectGrant(ledger, first);
    await ledger.settle(first, { ...makeOutcome(first), produced: true, sealedReply: "sealed" });
    const again = (bodyDigest: string) =>
      ledger.ticket(makeAsk(`again ${count++}`, key, { idempotency: { ...idempotency, bodyDigest } }));
    expect(await refused(ledger.look(again("body")))).toBeNull();
    expect((await refused(ledger.look(again("other"))))?.code).toBe("idempotency_mismatch");
  });

  const COSTS = [
    { least: 0, worst: 0 },
    { least: 0, worst: 10 },
    { least: 1, worst: 1 },
    { least: 10, worst: 1000 },
  ];
  for (const one of [ALWAYS, ONE_A_DAY, NO_MORE]) {
    test(`whatever is granted at its worst case: ${JSON.stringify(one)}`, async () => {
      const ledger = await open({ name: "", ...one });
      let granted = 0;
      for (const added of [0, 1, 9, 990]) {
        if (added > 0) await give(store, key.accountId, added);
        for (const { least, worst } of COSTS) {
          const offers = { offers: () => [costing(worst)], leastOffers: () => [costing(least)] };
          const ticket = ledger.ticket(makeAsk(`request ${count++}`, key, offers));
          const looked = await refused(ledger.look(ticket));
          if ((await refused(ledger.admit(ticket))) !== null) continue;
          granted++;
          expect(looked).toBeNull();
          await ledger.settle(ticket, { ...makeOutcome(ticket), ...FAILED });
        }
      }
      expect(granted).toBeGreaterThan(5);
    });
  }
});

test("a sound isn't read to identify, plan or look at its request, only for the worst case", () => {
  let reads = 0;
  const bytes = new Proxy(new Uint8Array(80_000), {
    get(target, name) {
      if (name === "buffer") reads++;
      return Reflect.get(target, name, target);
    },
  });
  const file = new Attachment("a.mp3", "audio/mpeg", bytes);
  const body = { model: "P#m", file };
  const { ask } = OPENAI_TRANSCRIPTIONS.read(incoming(body, "/v1/audio/transcriptions"));
  const card = { ...makeUnlistedCard("P", "m"), price: { input: 0, output: 0, perMinute: 0.006 } };
  TRANSCRIPTION.refuseUnable(ask, card);
  expect(TRANSCRIPTION.countAnswers(ask)).toBe(1);
  const least = TRANSCRIPTION.offerLeast?.(ask, card);
  expect(reads).toBe(0);
  const terms = { isLimitRequired: false, searches: 0, unreadBytes: 0, answersPerCall: 1 };
  const offer = TRANSCRIPTION.offer(ask, card, terms);
  expect(reads).toBeGreaterThan(0);
  const countSeconds = (given: typeof least) => given?.lines.find(({ what }) => what === "second")?.count;
  expect([countSeconds(least), countSeconds(offer)]).toEqual([1, 106]);
});
