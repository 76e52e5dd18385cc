// Everything at once on every store, seeded: top-ups, admissions, settlements, repeats, and books that balance.

import { describe, expect, test } from "bun:test";
import type { SettlementAnswer } from "../../../src/core/demand.ts";
import type { NanoUsd } from "../../../src/core/money/money.ts";
import type { Place } from "../../../src/core/rows.ts";
import type { Store } from "../../../src/core/store.ts";
import type { Ticket } from "../../../src/ledger/ledger.ts";
import { ledgerOn, makeAccount, makeKey, NOON } from "../../harness/samples.ts";
import { readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { ALWAYS, findErrors, openPayments, type Payments } from "../../ledger/payments.ts";
import { topUp } from "../../ledger/top-up.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

const KEYS = [
  makeKey("key_few", { requestsPerDay: 40 }),
  makeKey("key_none", { requestsPerDay: 0, accountId: "acct" }),
  makeKey("key_bound", { requestsPerDay: 5, spendLimitNanoUsd: 60_000 }),
  makeKey("key_all", { requestsPerDay: null, accountId: "acct" }),
];
const REFUSALS = ["insufficient_balance", "rate_limit_exceeded", "budget_exceeded", "budget_reserved"];

interface Open {
  readonly ticket: Ticket;
  readonly payments: Payments;
  readonly place: Place;
}

/** Numbers from 0 to below `most`, the same for the same seed. */
function rollsOf(seed: number) {
  let state = seed;
  return (most: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

/** Clients, operators and providers of two nodes, and the answers received. */
class Load {
  readonly #stores: readonly Store[];
  readonly #payments: readonly Payments[];
  readonly #roll: (most: number) => number;
  #open: Open[] = [];
  readonly #ended: Open[] = [];
  #count = 0;
  readonly charged = new Map<string, NanoUsd>();
  /** The places taken by produced answers and by failed ones. */
  readonly taken = new Map<string, number>();
  readonly failed = new Map<string, number>();
  readonly #topUps = new Map<string, NanoUsd>();

  constructor({ store, other }: TwoStores, seed: number) {
    this.#stores = [store, other];
    this.#payments = [store, other].flatMap((one) => [openPayments(one, ALWAYS), openPayments(one, {})]);
    this.#roll = rollsOf(seed);
  }

  get paidIn(): NanoUsd {
    return [...this.#topUps.values()].reduce((sum, nanoUsd) => sum + nanoUsd, 0);
  }

  /** Many requests at the same moment. */
  async rush(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    const kept = open.filter(() => this.#roll(3) === 0);
    const ending = open.filter((one) => !kept.includes(one));
    await Promise.all([
      ...Array.from({ length: 25 }, () => this.#comes()),
      ...Array.from({ length: 3 }, () => this.#paysIn()),
      ...ending.map((one) => this.#ends(one)),
      ...this.#ended.slice(-5).map((one) => this.#saysAgain(one)),
      ...kept.map((one) => (this.#roll(2) === 0 ? this.#asksAgain(one) : this.#open.push(one))),
    ]);
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((one) => this.#ends(one)));
  }

  async #comes(): Promise<void> {
    const payments = this.#pick(this.#payments);
    const worst = this.#roll(4) === 0 ? 0 : this.#roll(9_000);
    await this.#asks(payments, payments.ticket(`request ${this.#count++}`, this.#pick(KEYS), worst));
  }

  async #asks(payments: Payments, ticket: Ticket): Promise<void> {
    try {
      const admitted = await payments.ledger.admit(ticket);
      if (admitted.kind === "granted") this.#open.push({ ticket, payments, place: admitted.place });
    } catch (thrown) {
      if (!REFUSALS.includes(readCode(thrown) ?? "")) throw thrown;
    }
  }

  #asksAgain({ payments, ticket }: Open): Promise<void> {
    return this.#asks(payments, ticket);
  }

  async #ends(one: Open): Promise<void> {
    const { ticket, payments, place } = one;
    const { id, accountId } = ticket.ask.key;
    const cost = this.#roll(12_000);
    const produced = this.#roll(3) > 0;
    const ends = () => (produced ? payments.post(ticket, cost) : payments.release(ticket));
    const answers: readonly SettlementAnswer[] = await Promise.all([ends(), ends()]);
    const [first] = answers;
    for (const answer of answers) expect(answer.chargedNanoUsd).toBe(first?.chargedNanoUsd ?? Number.NaN);
    expect(place.kind === "balance" || first?.chargedNanoUsd === 0).toBe(true);
    for (const payer of [id, accountId]) this.#add(this.charged, payer, first?.chargedNanoUsd ?? 0);
    if (place.kind === "allowance" && !first?.late) this.#add(produced ? this.taken : this.failed, id, 1);
    this.#ended.push(one);
  }

  async #saysAgain({ ticket, payments }: Open): Promise<void> {
    await payments.post(ticket, 7_777);
  }

  async #paysIn(): Promise<void> {
    const [accountId, id] = [this.#pick(["default", "acct"]), `${this.#roll(40)}`];
    const nanoUsd = 1_000 * (1 + Number(id));
    await topUp(this.#pick(this.#stores), { accountId, id, nanoUsd, note: null, entry: null, nowMs: NOON });
    this.#topUps.set(`${accountId} ${id}`, nanoUsd);
  }

  #pick<T>(list: readonly T[]): T {
    const picked = list[this.#roll(list.length)];
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  }

  #add(sums: Map<string, number>, id: string, more: number): void {
    sums.set(id, (sums.get(id) ?? 0) + more);
  }
}

export function mixSuite(name: string, makeBench: MakeBench): void {
  describe(name, () => {
    const opened = twoStores(makeBench);
    describe("a mix of all operations", () => {
      for (const seed of [1, 20_261_120, 77_777]) {
        test(`leaves balanced books (seed ${seed})`, async () => {
          const { store, other, bench } = opened();
          await unrecorded(store).addAccount(makeAccount("acct"));
          for (const key of KEYS) await unrecorded(store).addKey(key, `digest of ${key.id}`);
          const load = new Load(opened(), seed);
          for (let rush = 0; rush < 15; rush++) {
            await load.rush();
            expect(findErrors(await store.audit())).toEqual([]);
          }
          // A node that dies loses its open requests. The other's requests finish.
          await bench.forsake(store);
          await ledgerOn(other).resolveLost();
          await load.endAll();
          await expectSettled(other, load);
        });
      }
    });
  });
}

async function expectSettled(store: Store, load: Load): Promise<void> {
  const audit = await store.audit();
  expect([findErrors(audit), audit.held]).toEqual([[], 0n]);
  expect(audit.system.funding).toBe(-BigInt(load.paidIn));
  for (const key of KEYS) {
    const charged = load.charged.get(key.id) ?? 0;
    expect([key.id, (await store.spentSince(key, 0)).chargedNanoUsd]).toEqual([key.id, charged]);
    const { page } = await store.read(ledgerOn(store).ticket({ ...ASK, key }).reads);
    const { spentNanoUsd = 0, heldNanoUsd = 0 } = page(key.accountId, key.id).spend.row ?? {};
    expect([key.id, spentNanoUsd, heldNanoUsd]).toEqual([key.id, charged, 0]);
    const { requestsPerDay } = key;
    if (typeof requestsPerDay !== "number") continue;
    const stayed = Math.max(0, (load.failed.get(key.id) ?? 0) - requestsPerDay);
    expect((await ledgerOn(store).allowance(key)).used).toBe((load.taken.get(key.id) ?? 0) + stayed);
  }
  const charged = (load.charged.get("default") ?? 0) + (load.charged.get("acct") ?? 0);
  expect(charged).toBeGreaterThan(0);
  expect(audit.balances).toBe(BigInt(load.paidIn - charged));
  expect(audit.system.revenue + audit.system.overrun).toBe(BigInt(charged));
}

const ASK = {
  id: "none",
  requestId: "none",
  operation: "chat",
  surface: "openai-chat",
  modelAsked: "none",
  modelPlanned: null,
  selector: null,
  stream: false,
  answers: 1,
  offers: () => [],
  isPayable: true,
  idempotency: null,
  proof: null,
  nowMs: NOON,
};
