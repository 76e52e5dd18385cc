// The names of keys and accounts, for places that know only their ids.

import type { AccountView } from "../admin/accounts.ts";
import type { KeyInUseView } from "../admin/keys.ts";
import type { Listed } from "../admin/list.ts";
import { useResource } from "./resource.ts";

/** The playground's own key, which no list holds. */
const CONSOLE_KEY = "console";

export interface Names {
  readonly keys: readonly KeyInUseView[];
  readonly accounts: readonly AccountView[];
  readonly key: (id: string) => string;
  readonly account: (id: string) => string;
}

/** Looks up the names of the latest 200 keys and accounts; an id without a known name stands for itself. */
export function useNames(): Names {
  const keys = useResource<Listed<KeyInUseView>>("/keys?limit=200").data?.data ?? [];
  const accounts = useResource<Listed<AccountView>>("/accounts?limit=200").data?.data ?? [];
  return {
    keys,
    accounts,
    key: (id) => keys.find((key) => key.id === id)?.name ?? (id === CONSOLE_KEY ? "Playground" : id),
    account: (id) => accounts.find((account) => account.id === id)?.name ?? id,
  };
}
