// The routes that show where the configuration is written, and check a change of it, and those of the guard.
import type { Vault } from "../core/world/world.ts";
import type { WritingParts } from "../http/admin-route.ts";
import { configurationRoutes } from "../http/models/admin-configuration.ts";
import { guardRoutes } from "../http/models/admin-guard.ts";
import { PROVIDERS } from "../providers/index.ts";
import { createGuardParts } from "./guard/parts.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";

export function makeConfigurationRoutes(
  operator: WritingParts,
  vault: Pick<Vault, "digest">,
  live: LiveConfiguration,
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
