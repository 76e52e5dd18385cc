// The routes that show where the configuration is written, and check a change of it, and those of the guard.
import type { WritingParts } from "../http/admin-route.ts";
import { configurationRoutes } from "../http/models/admin-configuration.ts";
import { guardRoutes } from "../http/models/admin-guard.ts";
import { PROVIDERS } from "../providers/index.ts";
import { createGuardParts } from "./guard/parts.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";

export function makeConfigurationRoutes(
  operator: WritingParts,
  {
    opened: { vault },
    live,
  }: { readonly opened: Pick<OpenedStore, "vault">; readonly live: LiveConfiguration },
) {
  const routes = configurationRoutes(operator, {
    settings: () => live.configured,
    check: async (text: string) => {
      const { checkProposal } = await import("../config/changes/proposal.ts");
      return checkProposal(text, { sections: live.configured.origin?.sections ?? {}, known: PROVIDERS });
    },
  });
  return [routes, guardRoutes(operator, createGuardParts({ store: operator.world.store, vault }, live))];
}
