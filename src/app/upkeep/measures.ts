// Reads from the store what the metrics show of it: its size, and the balances and budgets of the accounts that the operator lists.

import { readSeen } from "../../admin/people/directory-seen.ts";
import type { Account } from "../../core/keys/key.ts";
import type { MetricsRules } from "../../core/log/telemetry-rules.ts";
import type { Store, StoreSize } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { Clock } from "../../core/world/world.ts";
import { explainShortDisk } from "../../files/room.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { nameState } from "../../people/state.ts";

const ACCOUNTS_AT_ONCE = 500;
/** Accounts beyond this many are not searched for a name. */
const ACCOUNTS_MAX = 100_000;

/** Counting everybody reads all people. */
const PEOPLE_MS = 60_000;

/** Owners of which a budget is near its end are counted up to this many. */
const NEAR_MAX = 1000;

type MeasuredStore = Pick<Store, "measure" | "files" | "account" | "accounts" | "setting" | "nearing"> & {
  readonly batches: Pick<Store["batches"], "countBytes">;
  readonly people: Pick<Store["people"], "countPeople">;
};

interface MeasuresParts {
  readonly store: MeasuredStore;
  readonly clock: Pick<Clock, "nowMs">;
  /** Called each time, because a reload may change them. */
  readonly rules: () => Pick<MetricsRules, "balances" | "budgets">;
  readonly ledger: () => Pick<Ledger, "limitsByAccount">;
}

/** The use and the limit of an account's budget, in USD. */
interface BudgetMeasure {
  readonly account: string;
  /** Its period, and the models that share it. */
  readonly budget: string;
  readonly usedUsd: number;
  readonly limitUsd: number;
}

export class Measures {
  readonly #parts: MeasuresParts;
  readonly #store: MeasuredStore;
  /** The ids of the listed accounts, by name, once they are found. */
  readonly #ids = new Map<string, string>();
  size: StoreSize | null = null;
  /** The bytes of all files, with those that batches keep. Null before they were counted. */
  filesBytes: number | null = null;
  /** Says that the disk is too full for more files. Null if it isn't. */
  lacksDisk: string | null = null;
  /** In nano-dollars, by the account's name. */
  balances: ReadonlyMap<string, number> = new Map();
  budgets: readonly BudgetMeasure[] = [];
  /** The keys, members and accounts of which a budget is near its end. Null if no account's budgets are listed. */
  nearBudgets: number | null = null;
  /** By state. */
  people: ReadonlyMap<string, number> = new Map();
  /** The time of the directory's last request, in Unix milliseconds. Null if there was none. */
  directoryAtMs: number | null = null;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: MeasuresParts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** Reads everything again. Throws the Fault `store_unavailable`; the last values stay. */
  async refresh(): Promise<void> {
    this.size = await this.#store.measure();
    const { bytes } = await this.#store.files.sum(null);
    this.filesBytes = bytes + (await this.#store.batches.countBytes(null));
    this.lacksDisk = await explainShortDisk(this.#store.files.pieces);
    await this.#countPeople();
    const { balances, budgets } = this.#parts.rules();
    const accounts = await this.#findAccounts(new Set([...balances, ...budgets]));
    const listed = (names: readonly string[]) => names.flatMap((name) => accounts.get(name) ?? []);
    this.balances = new Map(listed(balances).map(({ name, balanceNanoUsd }) => [name, balanceNanoUsd]));
    await this.#readBudgets(listed(budgets), budgets.length > 0);
  }

  async #findAccounts(names: ReadonlySet<string>): Promise<ReadonlyMap<string, Account>> {
    if (names.values().some((name) => !this.#ids.has(name))) await this.#findIds(names);
    const found = new Map<string, Account>();
    for (const name of names) {
      const account = await this.#store.account(this.#ids.get(name) ?? "");
      if (account?.name === name) found.set(name, account);
      // It was renamed, or there is none.
      else this.#ids.delete(name);
    }
    return found;
  }

  async #readBudgets(accounts: readonly Account[], isOn: boolean): Promise<void> {
    const budgets: BudgetMeasure[] = [];
    const limits = await this.#parts.ledger().limitsByAccount(accounts);
    for (const { id, name: account } of accounts) {
      for (const { kind, per = "", models = [], used: usedUsd, limit: limitUsd } of limits.get(id) ?? []) {
        const budget = [per, ...models].join(" ");
        if (kind === "budget") budgets.push({ account, budget, usedUsd, limitUsd });
      }
    }
    this.budgets = budgets;
    const nowMs = this.#parts.clock.nowMs();
    this.nearBudgets = isOn ? (await this.#store.nearing(nowMs, NEAR_MAX)).length : null;
  }

  async #countPeople(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#countedAtMs < PEOPLE_MS) return;
    this.#countedAtMs = nowMs;
    const counts = new Map<string, number>();
    for (const found of await this.#store.people.countPeople()) {
      const state = nameState(found);
      counts.set(state, (counts.get(state) ?? 0) + found.people);
    }
    this.people = counts;
    const { last_request_at } = await readSeen({ store: this.#store });
    this.directoryAtMs = last_request_at === null ? null : Date.parse(last_request_at);
  }

  async #findIds(names: ReadonlySet<string>): Promise<void> {
    let read = 0;
    for await (const accounts of readPages((page) => this.#store.accounts(page), ACCOUNTS_AT_ONCE)) {
      for (const { id, name } of accounts) if (names.has(name)) this.#ids.set(name, id);
      read += accounts.length;
      if (read >= ACCOUNTS_MAX) return;
    }
  }
}
