// The hook by itself: signatures as Stripe's own library reads them, and events that cross each other.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { makeEntry } from "../../src/admin/audit/audit-trail.ts";
import type { Checkout } from "../../src/core/books/checkout.ts";
import type { Store } from "../../src/core/store.ts";
import { type HookParts, takeStripeEvent } from "../../src/payments/hook.ts";
import { refuseSignature } from "../../src/payments/signature.ts";
import { PaymentTroubles } from "../../src/payments/troubles.ts";
import { TESTER } from "../harness/acting.ts";
import { countingRandom, makeAccount, NOON, openMemoryStore, standingClock } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { Dice } from "../sim/dice.ts";
import { readAsStripe, SECRET_KEY, SimulatedStripe, signAt, WEBHOOK_SECRET } from "./simulated.ts";

const CENT = 10_000_000;
const clock = standingClock(NOON);
const encode = (text: string) => new TextEncoder().encode(text);

let store: Store;
let logged: Record<string, unknown>[];
beforeEach(async () => {
  logged = [];
  store = await openMemoryStore();
  await unrecorded(store).addAccount(makeAccount("acct"));
});
afterEach(() => store.close());

function makeParts(of: HookParts["store"] = store): HookParts {
  const log = (event: Record<string, unknown>) => void logged.push(event);
  const rules = {
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    amountsUsd: [10],
    apiBase: "https://api.stripe.com",
    publicUrl: "https://gateway.example.com",
  };
  return {
    store: of,
    log,
    clock,
    rules: () => rules,
    timeZone: () => "UTC",
    troubles: new PaymentTroubles(clock, log),
    makeEntry: (facts) => makeEntry({ clock, random: countingRandom() }, TESTER, facts),
  };
}

async function send(event: unknown, parts = makeParts()): Promise<void> {
  const body = JSON.stringify(event);
  await takeStripeEvent(parts, { signature: await signAt(body, NOON / 1000), bytes: encode(body) });
}

/** A paid session of a checkout, with the simulation that has its events. */
async function makePaid() {
  const stripe = new SimulatedStripe();
  const checkout: Checkout = {
    id: "chk_1",
    accountId: "acct",
    createdAtMs: NOON,
    nanoUsd: 1000 * CENT,
    by: null,
    page: null,
    state: "open",
    paymentId: null,
    paidNanoUsd: 0,
    takings: [],
  };
  await store.changes(() => []).addCheckout(checkout, 0, () => {});
  const payment = stripe.pay(stripe.makeSession("chk_1", 1000));
  return { stripe, payment, paid: stripe.events.splice(0)[0] };
}

const balance = async () => (await store.account("acct"))?.balanceNanoUsd;

test("a refund that is kept while its payment is credited isn't lost", async () => {
  const { stripe, payment, paid } = await makePaid();
  stripe.refund(payment, 300);
  const { checkouts } = store;
  // The payment comes after the look for it, and before the refund is kept: it finds nothing to take.
  const keepStray: typeof checkouts.keepStray = async (stray, bound) => {
    await send(paid);
    expect(await balance()).toBe(1000 * CENT);
    await checkouts.keepStray(stray, bound);
  };
  const crossed = {
    transact: store.transact.bind(store),
    durable: store.durable.bind(store),
    checkouts: { ...checkouts, keepStray },
  };
  await send(stripe.events[0], makeParts(crossed));
  expect(await balance()).toBe(700 * CENT);
});

test("an answer waits until the books would survive a power failure", async () => {
  const { paid } = await makePaid();
  const failing = {
    transact: store.transact.bind(store),
    checkouts: store.checkouts,
    durable: () => Promise.reject(new Error("no power")),
  };
  expect(String(await catchThrown(send(paid, makeParts(failing))))).toContain("no power");
});

test("an event that can't be booked comes again, and is shown", async () => {
  const { stripe, payment, paid } = await makePaid();
  await send(paid);
  for (let at = 0; at < 500; at++) stripe.refund(payment, 1);
  const refunds = stripe.events.filter(({ type }) => type === "refund.created");
  for (const refund of refunds) await send(refund);
  expect(await balance()).toBe(500 * CENT);
  stripe.refund(payment, 1);
  const parts = makeParts();
  const last = stripe.events.findLast(({ type }) => type === "refund.created");
  expect(readCode(await catchThrown(send(last, parts)))).toBe("internal_error");
  expect(parts.troubles.list()[0]?.message).toContain("can't have more than 500 refunds");
});

test("events that are read otherwise than expected move nothing", async () => {
  const { stripe, payment, paid } = await makePaid();
  const session = stripe.makeSession("chk_1", 1000, { payment_status: "paid" });
  for (const odd of [
    { mode: "subscription" },
    { payment_status: "unpaid" },
    { amount_total: -5 },
    { amount_total: "9" },
  ]) {
    stripe.tell("checkout.session.completed", { ...session, ...odd });
  }
  stripe.tell("checkout.session.something_new", session);
  stripe.tellDispute("updated", { id: "du_1", payment, cents: 5 }, "some_new_status");
  stripe.tellDispute("created", { id: "du_2", payment, cents: 5 }, "warning_under_review");
  for (const event of stripe.events.splice(0)) await send(event);
  expect(await balance()).toBe(0);
  await send(paid);
  for (const wrong of [[], 5, {}, { id: "evt_1", type: "refund.created", data: { object: {} } }])
    expect(readCode(await catchThrown(send(wrong)))).toBe("invalid_json");
  expect(await balance()).toBe(1000 * CENT);
});

test("many refused signatures are one line of the log", async () => {
  const parts = makeParts();
  for (let at = 0; at < 50; at++) {
    const thrown = await catchThrown(takeStripeEvent(parts, { signature: null, bytes: encode("{}") }));
    expect(readCode(thrown)).toBe("invalid_header");
  }
  expect(logged.map(({ event }) => event)).toEqual(["stripe.refused"]);
});

/** Headers as they come, and as somebody might make them. */
async function makeHeader(dice: Dice, body: string, nowSeconds: number): Promise<string> {
  const at = nowSeconds - dice.pick([0, 5, 299, 301, 5000]);
  const secret = dice.chance(0.7) ? WEBHOOK_SECRET : "whsec_another";
  const signed = await signAt(body, at, secret);
  const [time = "", own = ""] = signed.split(",");
  const other = (await signAt(body, at, "whsec_old")).split(",")[1] ?? "";
  return dice.pick([
    signed,
    `${time},${other},${own}`,
    `${own},${time}`,
    `${time},v0=${own.slice(3)}`,
    time,
    own,
    `${time},v1=`,
    `t=x,${own}`,
    `${signed},v2=a`,
    "",
    `${time},v1=${own.slice(3).toUpperCase()}`,
    `${time},v1=${own.slice(4)}`,
    `${time},${own}0`,
    `${time}0,${own}`,
  ]);
}

test("a signature is accepted if Stripe's own library accepts it", async () => {
  const dice = new Dice(7);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const found = { accepted: 0, refused: 0 };
  for (let at = 0; at < 400; at++) {
    const body = JSON.stringify({ object: "event", text: `ü ${at} \u{1f4b3}` });
    const header = await makeHeader(dice, body, nowSeconds);
    const isOurs = refuseSignature(header, encode(body), WEBHOOK_SECRET, nowSeconds * 1000) === null;
    expect([header, isOurs]).toEqual([header, await readAsStripe(body, header)]);
    found[isOurs ? "accepted" : "refused"]++;
  }
  expect(Math.min(found.accepted, found.refused)).toBeGreaterThan(50);
});
