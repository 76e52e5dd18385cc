// A ledger on a store in memory and a clock that stands, with keys that have limits or budgets and nothing else.
import { afterEach, beforeEach } from "bun:test";
import type { Offer } from "../../src/core/demand.ts";
import type { Fault } from "../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { Budget } from "../../src/core/limits/budget.ts";
import type { TokenLoad } from "../../src/core/limits/limit.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ledger, Ticket } from "../../src/ledger/ledger.ts";
import {
  costing,
  expectGrant,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
  openMemoryStore,
  standingClock,
} from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";

/** A budget of a day in nano-dollars, apart from the given fields. */
export function budget(nanoUsd: number, fields: Partial<Budget> = {}): Budget {
  return { nanoUsd, per: "day", models: null, warn: [], isHard: true, extra: null, ...fields };
}

const NO_LOAD: TokenLoad = { prompt: 0, output: 0 };

/** Call this at the top of a file. The store is a new one for each test. */
export function budgetBench() {
  const clock = standingClock(NOON);
  const opened: { store?: Store; ledger?: Ledger } = {};
  let count = 0;
  const requireOpened = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("No test has begun.");
    return part;
  };
  const bench = {
    clock,
    get store(): Store {
      return requireOpened(opened.store);
    },
    get ledger(): Ledger {
      return requireOpened(opened.ledger);
    },
    async addKey(budgets: readonly Budget[], fields: Partial<GatewayKey> = {}): Promise<GatewayKey> {
      const key = makeKey(`key_${count++}`, { requestsPerDay: null, budgets, ...fields });
      await unrecorded(bench.store).addKey(key, `digest of ${key.id}`);
      return key;
    },
    ask(key: GatewayKey, offers: readonly Offer[], load = NO_LOAD): Ticket {
      const fields = { offers: () => offers, load: () => load, nowMs: clock.atMs };
      return bench.ledger.ticket(makeAsk(`request ${count++}`, key, fields));
    },
    /** Admits a request with this worst cost. */
    async hold(key: GatewayKey, nanoUsd: number): Promise<Ticket> {
      const ticket = bench.ask(key, [costing(nanoUsd)]);
      await expectGrant(bench.ledger, ticket);
      return ticket;
    },
    end: (ticket: Ticket, costNanoUsd: number) =>
      bench.ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd })),
    async spend(key: GatewayKey, nanoUsd: number): Promise<void> {
      await bench.end(await bench.hold(key, nanoUsd), nanoUsd);
    },
    /** Returns the code and details of the refusal of a request with this worst cost. */
    async refusal(key: GatewayKey, nanoUsd: number): Promise<Fault["details"] & { readonly code: string }> {
      const thrown = await catchThrown(bench.hold(key, nanoUsd));
      return { code: readCode(thrown) ?? String(thrown), ...(thrown as Fault).details };
    },
  };
  beforeEach(async () => {
    clock.atMs = NOON;
    const store = await openMemoryStore();
    Object.assign(opened, { store, ledger: ledgerOn(store, { clock }) });
  });
  afterEach(() => bench.store.close());
  return bench;
}
