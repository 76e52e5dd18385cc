// The record of accounts and keys as imports found them last, kept in the store: a repeat takes only what was added since.
import { parseReceived } from "../core/json/bounds.ts";
import { asNumber, asObject, asString } from "../core/json/json.ts";
import type { NanoUsd } from "../core/money/money.ts";
import { IMPORTED_OWNERS, type Store } from "../core/store.ts";
import type { Spending } from "./plan.ts";

export interface TakenOwner {
  readonly kind: "account" | "key";
  /** Its id here. */
  readonly id: string;
  /** The whole gateway that it was found in. Null if a part of one was read. */
  readonly of: string | null;
  readonly spent: Readonly<Record<string, NanoUsd>>;
  /** An account's balance there. */
  readonly balanceNanoUsd: NanoUsd;
}

/** By the ids that imports give them first. */
type Owners = Map<string, TakenOwner>;

export class TakenRecord {
  readonly #store: Pick<Store, "changeSetting">;
  readonly #before: Owners;
  readonly #after: Owners = new Map();

  private constructor(store: Pick<Store, "changeSetting">, before: Owners) {
    this.#store = store;
    this.#before = before;
  }

  static async load(store: Pick<Store, "setting" | "changeSetting">): Promise<TakenRecord> {
    return new TakenRecord(store, readOwners(await store.setting(IMPORTED_OWNERS)));
  }

  find(id: string): TakenOwner | null {
    return this.#before.get(id) ?? null;
  }

  keep(id: string, owner: TakenOwner): void {
    this.#after.set(id, owner);
  }

  /** Returns those of the whole gateway that this import hasn't found. */
  listMissing(gateway: string): readonly TakenOwner[] {
    return [...this.#before]
      .filter(([id, { of }]) => of === gateway && !this.#after.has(id))
      .map(([, one]) => one);
  }

  async save(): Promise<void> {
    await this.#store.changeSetting(IMPORTED_OWNERS, (value) =>
      JSON.stringify(Object.fromEntries([...readOwners(value), ...this.#after])),
    );
  }
}

/** Returns what was added to each since the last time. In a window that has started over there, all of it was. */
export function listAdded(spent: Spending, before: TakenOwner["spent"]): Readonly<Record<string, NanoUsd>> {
  const added = [...spent].map(([name, now]) => {
    const then = before[name] ?? now;
    return [name, now < then ? now : now - then] as const;
  });
  return Object.fromEntries(added.filter(([, nanoUsd]) => nanoUsd > 0));
}

function readOwners(value: string | null): Owners {
  const entries = Object.entries(asObject(value === null ? null : parseReceived(value)));
  return new Map(
    entries.map(([id, given]) => {
      const { kind, id: here, of, spent, balanceNanoUsd } = asObject(given);
      const uses = Object.entries(asObject(spent)).map(([name, use]) => [name, asNumber(use) ?? 0] as const);
      return [
        id,
        {
          kind: kind === "account" ? "account" : "key",
          id: asString(here) ?? id,
          of: asString(of) ?? null,
          spent: Object.fromEntries(uses),
          balanceNanoUsd: asNumber(balanceNanoUsd) ?? 0,
        },
      ];
    }),
  );
}
