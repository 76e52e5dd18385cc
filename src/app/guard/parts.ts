// The parts of the guard's routes: the rules in force, and the search of a text that is tried.
import type { GuardParts } from "../../admin/models/guard.ts";
import type { Store } from "../../core/store.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import { searchTrial } from "./trial.ts";

export function createGuardParts(store: Pick<Store, "key" | "account">, live: LiveConfiguration): GuardParts {
  const listModels = (model: string) => {
    const found = live.snapshot.catalogue.resolve(model);
    if (found.kind === "card") return [found.card];
    return found.kind === "group" ? found.members.map(({ card }) => card) : null;
  };
  return {
    store,
    settings: () => live.settings,
    search: async (trial) => {
      const { guard, limits } = live.settings;
      if (guard === undefined) return [];
      const findAccountName = async (id: string) => (await store.account(id))?.name ?? null;
      return searchTrial({ guard, limits, findAccountName, listModels }, trial);
    },
  };
}
