// Reads from the store what the metrics show of it: its size, and the balances that the operator lists.

import type { Store, StoreSize } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";

const ACCOUNTS_AT_ONCE = 500;
/** Accounts beyond this many are not searched for a name. */
const ACCOUNTS_MAX = 100_000;

type MeasuredStore = Pick<Store, "measure" | "account" | "accounts">;

export class Measures {
  readonly #store: MeasuredStore;
  readonly #names: () => readonly string[];
  /** The ids of the listed accounts, by name, once they are found. */
  readonly #ids = new Map<string, string>();
  size: StoreSize | null = null;
  /** In nano-dollars, by the account's name. */
  balances: ReadonlyMap<string, number> = new Map();

  /** `names` returns the accounts in `metrics.balances`. Called each time, because a reload may change it. */
  constructor(store: MeasuredStore, names: () => readonly string[]) {
    this.#store = store;
    this.#names = names;
  }

  /** Reads everything again. Throws the Fault `store_unavailable`; the last values stay. */
  async refresh(): Promise<void> {
    this.size = await this.#store.measure();
    const names = this.#names();
    if (names.some((name) => !this.#ids.has(name))) await this.#findIds(new Set(names));
    const balances = new Map<string, number>();
    for (const name of names) {
      const account = await this.#store.account(this.#ids.get(name) ?? "");
      if (account?.name === name) balances.set(name, account.balanceNanoUsd);
      // It was renamed, or there is none.
      else this.#ids.delete(name);
    }
    this.balances = balances;
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
