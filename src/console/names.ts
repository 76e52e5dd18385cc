// The models, keys and accounts that many pages list or name.
import type { AccountView } from "../admin/accounts.ts";
import type { KeyInUseView } from "../admin/keys.ts";
import type { CardView } from "../admin/settings-schema.ts";
import { usePages } from "./resource.ts";
import { makeHref } from "./route.ts";

/** The playground's own key, which isn't listed. */
const CONSOLE_KEY = "console";

export type Names = ReturnType<typeof useNames>;

/** Looks up the names of the latest 200 keys and accounts. An id without a known name is shown as it is. */
export function useNames() {
  const keys = usePages<KeyInUseView>("/keys?limit=200").data ?? [];
  const accounts = usePages<AccountView>("/accounts?limit=200").data ?? [];
  return {
    keys,
    accounts,
    key: (id: string) => keys.find((key) => key.id === id)?.name ?? (id === CONSOLE_KEY ? "Playground" : id),
    account: (id: string) => accounts.find((account) => account.id === id)?.name ?? id,
  };
}

/** The address of a key's page, or of its requests if it has none. */
export function makeKeyHref(id: string): string {
  return id === CONSOLE_KEY ? makeHref("/activity", { key_id: id }) : makeHref(`/settings/router/${id}`);
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
