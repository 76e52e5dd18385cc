// The routes that show where the configuration is written, and check a change of it.
import type { WritingParts } from "../http/admin-route.ts";
import { configurationRoutes } from "../http/models/admin-configuration.ts";
import { PROVIDERS } from "../providers/index.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";

export function makeConfigurationRoutes(operator: WritingParts, live: LiveConfiguration) {
  return configurationRoutes(operator, {
    settings: () => live.configured,
    check: async (text: string) => {
      const { checkProposal } = await import("../config/changes/proposal.ts");
      return checkProposal(text, { sections: live.configured.origin?.sections ?? {}, known: PROVIDERS });
    },
  });
}
