// The models, keys and accounts that many pages list or name.
import { signal } from "@preact/signals";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { ResultView } from "../../admin/log/search-result.ts";
import type { CardView } from "../../admin/models/settings-schema.ts";
import type { AccountView } from "../../admin/money/accounts.ts";
import type { MemberView } from "../../admin/people/members.ts";
import type { Choice } from "../parts/combobox.tsx";
import { getText, withQuery } from "./api.ts";
import { usePages, useResource } from "./resource.ts";
import { may } from "./session.ts";

/** The playground's own key, which isn't listed. */
const CONSOLE_KEY = "console";

export type Names = ReturnType<typeof useNames>;

/** The names of keys and accounts beyond the latest, by their path. */
const found = signal<ReadonlyMap<string, string>>(new Map());
/** Paths that were asked for. An id that has no name isn't asked for again. */
const asked = new Set<string>();

/** Forgets the names that were looked up, when the operator signs out. */
export function clearNames(): void {
  found.value = new Map();
  asked.clear();
}

/** Returns the name at a path once the gateway has answered, when all that asked for it is drawn again. */
function lookUp(path: string): string | undefined {
  if (!asked.has(path)) {
    asked.add(path);
    void getText(path)
      .then((text) => {
        const { name }: { readonly name: string } = JSON.parse(text);
        found.value = new Map(found.value).set(path, name);
      })
      // The id is shown instead.
      .catch(() => undefined);
  }
  return found.value.get(path);
}

/**
 * The names of keys and accounts: the latest 200 are fetched together, any other when it is shown. An id without a name
 * is shown as it is.
 */
export function useNames() {
  const keyPages = usePages<KeyInUseView>(may("keys.read") ? "/keys?limit=200" : null);
  const accountPages = usePages<AccountView>(may("accounts.read") ? "/accounts?limit=200" : null);
  const knownKeys = keyPages.data;
  const knownAccounts = accountPages.data;
  const keys = knownKeys ?? [];
  const accounts = knownAccounts ?? [];
  return {
    areKnown: knownKeys !== undefined && knownAccounts !== undefined,
    /** False if there are others than the latest. */
    isWhole: { keys: keyPages.more === null, accounts: accountPages.more === null },
    keys,
    accounts,
    key: (id: string) => {
      if (id.startsWith(CONSOLE_KEY)) return "Playground";
      return keys.find((key) => key.id === id)?.name ?? (knownKeys && id && lookUp(`/keys/${id}`)) ?? id;
    },
    account: (id: string) =>
      accounts.find((account) => account.id === id)?.name ??
      (knownAccounts && id && lookUp(`/accounts/${id}`)) ??
      id,
    member: (id: string) => (may("members.read") ? lookUp(`/members/${id}`) : undefined) ?? id,
  };
}

/** The same for people, for those who may see them. Nothing is fetched while nobody is named. */
export function usePeople(isWanted = true) {
  const pages = usePages<MemberView>(isWanted && may("members.read") ? "/members?limit=200" : null);
  const known = pages.data;
  const find = (id: string) => known?.find((person) => person.id === id);
  return {
    all: known ?? [],
    /** False if there are others than the latest. */
    isWhole: pages.more === null,
    nameOf: (id: string) => {
      const person = find(id);
      if (person !== undefined) return namePerson(person);
      return (known && id && lookUp(`/members/${id}`)) || id;
    },
  };
}

export type People = ReturnType<typeof usePeople>;

/** Names a person who may have been forgotten. */
export function namePerson({ name, email, id, anonymised_at }: MemberView): string {
  return anonymised_at === null ? name || email || id : "Anonymised";
}

/** Asks the gateway for what a list lacks, by the text that is typed. Asks for nothing without a type or a text. */
export function useFound(type: ResultView["type"] | undefined, typed: string | null): readonly Choice[] {
  const text = typed?.trim() ?? "";
  const path = type === undefined || text === "" ? null : withQuery("/search", { q: text });
  const { data } = useResource<{ readonly data: readonly ResultView[] }>(path);
  const results = data?.data.filter((result) => result.type === type) ?? [];
  return results.map(({ id, name }) => ({ value: id, label: name }));
}

export const SELECTORS = [
  { id: "Router#best", what: "The best answer" },
  { id: "Router#fair", what: "A good answer at the lowest cost" },
  { id: "Router#light", what: "The fastest answer" },
] as const;

export type Models = ReturnType<typeof useModels>;

export function useModels() {
  const { data } = usePages<CardView>("/models");
  const all = data ?? [];
  const on = all.filter((model) => model.on);
  const isSimulated = on.length > 0 && on.every(({ provider }) => provider === "Sim");
  return {
    areKnown: data !== undefined,
    all,
    on,
    /** The id of a model or selector that works, for examples. */
    sample: isSimulated ? (on[0]?.id ?? "Router#fair") : "Router#fair",
    find: (id: string) => all.find((model) => model.id === id),
  };
}
