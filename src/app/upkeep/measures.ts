// Reads from the store what the metrics show of it: its size, and the balances that the operator lists.

import { readSeen } from "../../admin/people/directory-seen.ts";
import type { Store, StoreSize } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { explainShortDisk } from "../../files/room.ts";
import { nameState } from "../../people/state.ts";

const ACCOUNTS_AT_ONCE = 500;
/** Accounts beyond this many are not searched for a name. */
const ACCOUNTS_MAX = 100_000;

/** Counting everybody reads all people. */
const PEOPLE_MS = 60_000;

type MeasuredStore = Pick<Store, "measure" | "files" | "account" | "accounts" | "setting"> & {
  readonly batches: Pick<Store["batches"], "countBytes">;
  readonly people: Pick<Store["people"], "countPeople">;
};

export class Measures {
  readonly #store: MeasuredStore;
  readonly #names: () => readonly string[];
  /** The ids of the listed accounts, by name, once they are found. */
  readonly #ids = new Map<string, string>();
  size: StoreSize | null = null;
  /** The bytes of all files, with those that batches keep. Null before they were counted. */
  filesBytes: number | null = null;
  /** Says that the disk is too full for more files. Null if it isn't. */
  lacksDisk: string | null = null;
  /** In nano-dollars, by the account's name. */
  balances: ReadonlyMap<string, number> = new Map();
  /** By state. */
  people: ReadonlyMap<string, number> = new Map();
  /** The time of the directory's last request, in Unix milliseconds. Null if there was none. */
  directoryAtMs: number | null = null;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  /** `names` returns the accounts in `metrics.balances`. Called each time, because a reload may change it. */
  constructor(store: MeasuredStore, names: () => readonly string[]) {
    this.#store = store;
    this.#names = names;
  }

  /** Reads everything again. Throws the Fault `store_unavailable`; the last values stay. */
  async refresh(): Promise<void> {
    this.size = await this.#store.measure();
    const { bytes } = await this.#store.files.sum(null);
    this.filesBytes = bytes + (await this.#store.batches.countBytes(null));
    this.lacksDisk = await explainShortDisk(this.#store.files.pieces);
    await this.#countPeople();
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
