// The parts of the guard's routes: the rules in force, and the search of a text that is tried.
import type { GuardParts } from "../../admin/models/guard.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Store } from "../../core/store.ts";
import type { Vault } from "../../core/world/world.ts";
import { makeAccountKey } from "../../steps/guard/account-key.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import { drawKey, searchTrial } from "./trial.ts";

const NO_RULES: GuardSettings = { version: "", rules: [], words: new Map(), allow: [] };

export function createGuardParts(
  { store, vault }: { readonly store: Pick<Store, "key" | "account">; readonly vault: Pick<Vault, "digest"> },
  live: LiveConfiguration,
): GuardParts {
  const listModels = (model: string) => {
    const found = live.snapshot.catalogue.resolve(model);
    if (found.kind === "card") return [found.card];
    return found.kind === "group" ? found.members.map(({ card }) => card) : null;
  };
  return {
    store,
    settings: () => live.settings,
    versions: live.guardVersions,
    search: async (trial) => {
      const { guard = NO_RULES, limits } = live.settings;
      const findAccountName = async (id: string) => (await store.account(id))?.name ?? null;
      const accountKey = (key: GatewayKey | null) => (key === null ? drawKey() : makeAccountKey(vault, key));
      return searchTrial({ guard, limits, findAccountName, listModels, accountKey }, trial);
    },
  };
}
