// One seeded order of Stripe's events: repeated, doubled, early and late, from skewed clocks, with a kill at any step.
import { makeEntry } from "../../src/admin/audit/audit-trail.ts";
import type { Checkout, StripeRules } from "../../src/core/books/checkout.ts";
import type { Store } from "../../src/core/store.ts";
import { closeAccount, fundAccount } from "../../src/ledger/money/fund.ts";
import { type HookParts, takeStripeEvent } from "../../src/payments/hook.ts";
import { PaymentTroubles } from "../../src/payments/troubles.ts";
import { TESTER } from "../harness/acting.ts";
import { countingRandom, makeAccount, NOON, standingClock } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { Dice } from "../sim/dice.ts";
import { type Payment, SECRET_KEY, SimulatedStripe, signAt, WEBHOOK_SECRET } from "./simulated.ts";

const CENT = 10_000_000;
const SKEW_MAX_SECONDS = 299;
const TRIES_MAX = 10_000;

const RULES: StripeRules = {
  secretKey: SECRET_KEY,
  webhookSecret: WEBHOOK_SECRET,
  amountsUsd: [10],
  apiBase: "https://api.stripe.com",
  publicUrl: "https://gateway.example.com",
};

/** The process ends here: nothing after it runs, whether the call was carried out or not. */
class Killed extends Error {}

/** Counts the store's calls, and kills the process at one of them: before or after it is carried out. */
function makeMortal(store: Store, killAt: number, isCarriedOut: boolean): HookParts["store"] {
  let calls = 0;
  const step = async <T>(call: () => Promise<T>): Promise<T> => {
    const isLast = ++calls === killAt;
    if (calls > killAt || (isLast && !isCarriedOut)) throw new Killed();
    const result = await call();
    if (isLast) throw new Killed();
    return result;
  };
  const { checkouts } = store;
  return {
    transact: (demand) => step(() => store.transact(demand)),
    durable: () => step(() => store.durable()),
    checkouts: {
      find: (id) => step(() => checkouts.find(id)),
      findByPayment: (id) => step(() => checkouts.findByPayment(id)),
      setPage: (checkout, page) => step(() => checkouts.setPage(checkout, page)),
      keepStray: (stray, bound) => step(() => checkouts.keepStray(stray, bound)),
      strays: (id) => step(() => checkouts.strays(id)),
    },
  };
}

interface OrderSums {
  readonly problems: readonly string[];
  readonly deliveries: number;
  readonly kills: number;
}

/** An account in the order, with the cents that must be left in the end. */
interface Owner {
  readonly id: string;
  expectedCents: number;
}

class Order {
  readonly #dice: Dice;
  readonly #stripe: SimulatedStripe;
  readonly #stores: readonly Store[];
  readonly #owners: readonly Owner[];
  readonly #seed: number;
  readonly #random = countingRandom();
  readonly #clock = standingClock(NOON);
  readonly #movements: (() => Promise<unknown>)[] = [];
  deliveries = 0;
  kills = 0;

  constructor(seed: number, stores: readonly Store[]) {
    this.#seed = seed;
    this.#dice = new Dice(seed);
    this.#stripe = new SimulatedStripe(String(seed));
    this.#stores = stores;
    this.#owners = ["a", "b"].map((name) => ({ id: `acct_${seed}${name}`, expectedCents: 0 }));
  }

  get #store(): Store {
    return this.#dice.pick(this.#stores);
  }

  async run(): Promise<OrderSums> {
    for (const { id } of this.#owners) await unrecorded(this.#store).addAccount(makeAccount(id));
    for (let at = this.#dice.int(1, 4); at > 0; at--) await this.#makePayment(at);
    this.#planMovements();
    await this.#deliverAll();
    const found = await Promise.all(this.#owners.map((owner) => this.#judge(owner)));
    return { problems: found.flat(), deliveries: this.deliveries, kills: this.kills };
  }

  async #makePayment(at: number): Promise<void> {
    const dice = this.#dice;
    const stripe = this.#stripe;
    const owner = dice.pick(this.#owners);
    const cents = dice.int(50, 10_000);
    const checkout: Checkout = {
      id: `chk_${this.#seed}n${at}`,
      accountId: owner.id,
      createdAtMs: NOON,
      nanoUsd: cents * CENT,
      by: null,
      page: null,
      state: "open",
      paymentId: null,
      paidNanoUsd: 0,
      takings: [],
    };
    await this.#store.changes(() => []).addCheckout(checkout, 0, () => {});
    const session = stripe.makeSession(checkout.id, cents);
    if (dice.chance(0.1)) return stripe.expire(session);
    const isOdd = dice.chance(0.1);
    const payment = stripe.pay(session, {
      isDelayed: dice.chance(0.2),
      twins: dice.int(1, 2),
      ...(isOdd ? { cents: cents + 1 } : {}),
    });
    const takenCents = this.#refundSome(payment) + this.#disputeSome(payment);
    owner.expectedCents += payment.cents - Math.min(payment.cents, takenCents);
  }

  /** Returns the cents that are refunded in the end: never more than the payment. */
  #refundSome(payment: Payment): number {
    const dice = this.#dice;
    let leftCents = payment.cents;
    let takenCents = 0;
    for (let at = dice.int(0, 3); at > 0 && leftCents > 0; at--) {
      const cents = dice.int(1, leftCents);
      const fails = dice.chance(0.3);
      this.#stripe.refund(payment, cents, { isPending: dice.chance(0.4), fails, twins: dice.int(1, 2) });
      if (!fails) {
        leftCents -= cents;
        takenCents += cents;
      }
    }
    return takenCents;
  }

  /** A dispute may be over a payment that was refunded: both together are more than the payment then. */
  #disputeSome(payment: Payment): number {
    const dice = this.#dice;
    if (dice.chance(0.5)) return 0;
    const cents = dice.int(1, payment.cents);
    const isInquiry = dice.chance(0.25);
    const twins = dice.int(1, 2);
    const dispute = this.#stripe.dispute(payment, cents, { isInquiry, twins });
    if (isInquiry) {
      if (dice.chance(0.7)) this.#stripe.close(dispute, "warning_closed", twins);
      return 0;
    }
    if (dice.chance(0.3)) return cents;
    const ending = dice.pick(["won", "lost", "prevented"] as const);
    this.#stripe.close(dispute, ending, twins);
    return ending === "lost" ? cents : 0;
  }

  /** Accounts are closed and reopened meanwhile, and their money is spent. */
  #planMovements(): void {
    const dice = this.#dice;
    const about = { nowMs: NOON, timeZone: "UTC", by: null, note: "test", entry: null };
    for (const { id: accountId } of this.#owners) {
      if (dice.chance(0.4)) {
        this.#movements.push(() => closeAccount(this.#store, { ...about, accountId, payOut: true }));
        if (dice.chance(0.4))
          this.#movements.push(() => closeAccount(this.#store, { ...about, accountId, payOut: null }));
      }
      const nanoUsd = -dice.int(1, 5000) * CENT;
      const spent = { ...about, accountId, id: "spent", nanoUsd, movement: "adjustment" } as const;
      if (dice.chance(0.6)) this.#movements.push(() => fundAccount(this.#store, spent).catch(() => {}));
    }
  }

  /** Each event until it is accepted, in any order, some of them at once and some once more. */
  async #deliverAll(): Promise<void> {
    const dice = this.#dice;
    const waiting = this.#stripe.events.flatMap((event) => (dice.chance(0.3) ? [event, event] : [event]));
    const events = waiting.length;
    const everySo = Math.ceil(events / (this.#movements.length + 1));
    for (let tries = 0; waiting.length > 0; tries++) {
      if (tries > TRIES_MAX) throw new Error("Events are refused without end.");
      if (tries % everySo === 0) await this.#movements.shift()?.();
      const sent = Array.from({ length: dice.int(1, 3) }, () =>
        waiting.splice(dice.int(0, Math.max(0, waiting.length - 1)), 1),
      ).flat();
      const taken = await Promise.all(sent.map((event) => this.#deliver(event)));
      waiting.push(...sent.filter((_, at) => !taken[at]));
    }
    for (const move of this.#movements) await move();
  }

  /** Returns true if Stripe need not send it again. */
  async #deliver(event: object): Promise<boolean> {
    const dice = this.#dice;
    this.deliveries++;
    const body = JSON.stringify(event);
    const isLate = dice.chance(0.05);
    const skew = dice.int(-SKEW_MAX_SECONDS, SKEW_MAX_SECONDS) + (isLate ? 1000 : 0);
    const killAt = dice.chance(0.4) ? dice.int(1, 6) : Number.POSITIVE_INFINITY;
    const parts = this.#makeParts(makeMortal(this.#store, killAt, dice.chance(0.5)));
    const signature = await signAt(body, NOON / 1000 + skew);
    try {
      await takeStripeEvent(parts, { signature, bytes: new TextEncoder().encode(body) });
      return true;
    } catch (error) {
      if (isKill(error)) this.kills++;
      else if (!isLate) throw error;
      return false;
    }
  }

  #makeParts(store: HookParts["store"]): HookParts {
    const log = () => {};
    return {
      store,
      log,
      clock: this.#clock,
      rules: () => RULES,
      timeZone: () => "UTC",
      troubles: new PaymentTroubles(this.#clock, log),
      makeEntry: (facts) => makeEntry({ clock: this.#clock, random: this.#random }, TESTER, facts),
    };
  }

  async #judge({ id, expectedCents }: Owner): Promise<readonly string[]> {
    const store = this.#store;
    const account = await store.account(id);
    if (account === null) return [`${id} is gone`];
    const entries = await store.journals.entries(id, { limit: 10_000, after: null });
    const sumOf = (...kinds: string[]) =>
      entries.filter(({ kind }) => kinds.includes(kind)).reduce((sum, one) => sum + one.fundingNanoUsd, 0);
    const problems: string[] = [];
    // The other leg of what Stripe moved, whatever became of it here.
    const movedNanoUsd = 0 - sumOf("topup", "refund", "dispute");
    if (movedNanoUsd !== expectedCents * CENT)
      problems.push(`${id}: ${movedNanoUsd / CENT} cents, not ${expectedCents}`);
    const leftNanoUsd = movedNanoUsd - sumOf("payout", "adjustment");
    const { balanceNanoUsd, receivableNanoUsd, pausedBy } = account;
    if (balanceNanoUsd - receivableNanoUsd !== leftNanoUsd) problems.push(`${id}: not all of it is left`);
    if (balanceNanoUsd > 0 && receivableNanoUsd > 0) problems.push(`${id}: has a balance, and owes`);
    if (receivableNanoUsd === 0 && pausedBy.includes("dispute")) problems.push(`${id}: paused for nothing`);
    const credits = entries.filter(({ kind }) => kind === "topup").map(({ note }) => note);
    if (new Set(credits).size < credits.length) problems.push(`${id}: credited twice`);
    return problems;
  }
}

function isKill(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && error.cause instanceof Killed);
}

/** Runs an order on some stores of one database, and returns what is wrong in the end. */
export function runOrder(seed: number, stores: readonly Store[]): Promise<OrderSums> {
  return new Order(seed, stores).run();
}
