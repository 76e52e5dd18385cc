// The names of keys and accounts, for places that know only their ids.
import { type Listed, useResource } from "./resource.ts";
import type { Account, KeyRow } from "./types.ts";

/** The playground's own key, which no list holds. */
const CONSOLE_KEY = "console";

export interface Names {
  readonly keys: readonly KeyRow[];
  readonly accounts: readonly Account[];
  readonly key: (id: string) => string;
  readonly account: (id: string) => string;
}

/** Looks up the names of the latest 200 keys and accounts; an id without a known name stands for itself. */
export function useNames(): Names {
  const keys = useResource<Listed<KeyRow>>("/keys?limit=200").data?.data ?? [];
  const accounts = useResource<Listed<Account>>("/accounts?limit=200").data?.data ?? [];
  return {
    keys,
    accounts,
    key: (id) => keys.find((key) => key.id === id)?.name ?? (id === CONSOLE_KEY ? "Playground" : id),
    account: (id) => accounts.find((account) => account.id === id)?.name ?? id,
  };
}
