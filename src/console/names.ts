// The models, keys and accounts that many pages list or name.
import type { AccountView } from "../admin/accounts.ts";
import type { KeyInUseView } from "../admin/keys-in-use.ts";
import type { CardView } from "../admin/settings-schema.ts";
import { usePages } from "./resource.ts";
import { may } from "./session.ts";

/** The playground's own key, which isn't listed. */
const CONSOLE_KEY = "console";

export type Names = ReturnType<typeof useNames>;

/** Looks up the names of the latest 200 keys and accounts. An id without a known name is shown as it is. */
export function useNames() {
  const knownKeys = usePages<KeyInUseView>(may("keys.read") ? "/keys?limit=200" : null).data;
  const knownAccounts = usePages<AccountView>(may("accounts.read") ? "/accounts?limit=200" : null).data;
  const keys = knownKeys ?? [];
  const accounts = knownAccounts ?? [];
  return {
    areKnown: knownKeys !== undefined && knownAccounts !== undefined,
    keys,
    accounts,
    key: (id: string) => keys.find((key) => key.id === id)?.name ?? (id === CONSOLE_KEY ? "Playground" : id),
    account: (id: string) => accounts.find((account) => account.id === id)?.name ?? id,
  };
}

export const SELECTORS = [
  { id: "Router#best", what: "The best answer" },
  { id: "Router#fair", what: "A good answer at the lowest cost" },
  { id: "Router#light", what: "The fastest answer" },
] as const;

export type Models = ReturnType<typeof useModels>;

export function useModels() {
  const all = usePages<CardView>("/models").data ?? [];
  const on = all.filter((model) => model.on);
  const isSimulated = on.length > 0 && on.every(({ provider }) => provider === "Sim");
  return {
    all,
    on,
    /** The id of a model or selector that works, for examples. */
    sample: isSimulated ? (on[0]?.id ?? "Router#fair") : "Router#fair",
    find: (id: string) => all.find((model) => model.id === id),
  };
}
