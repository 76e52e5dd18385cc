// The world of the commands on state files: the store, the configuration's aliases, and all models.
import type { ActingWorld } from "../../admin/world.ts";
import { source } from "../../app/start/configuration.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { KnownAliasNames } from "../../core/models/alias-entry.ts";
import type { Settings } from "../../core/settings.ts";
import type { StateWorld } from "../../moving/state/known.ts";

/**
 * The models of every known provider count, enabled or not, and those of the simulator: only the gateway has the
 * providers' secrets and knows whether the simulator is on.
 */
export function makeStateWorld(world: ActingWorld, settings: Settings): StateWorld {
  const own = new Set(settings.providers.map(({ name }) => name));
  const others = source.known.filter(({ name }) => !own.has(name) && name !== SIMULATOR);
  const providers = [
    ...settings.providers,
    ...others.map(({ name }) => ({ name, unlistedModels: false })),
    { name: SIMULATOR, unlistedModels: true },
  ];
  const nowMs = world.clock.nowMs();
  const catalogue = buildCatalogue({ ...settings, providers, nowMs });
  const aliasNames = new KnownAliasNames();
  for (const name of Object.keys(settings.aliases)) {
    const madeAtMs = catalogue.findAlias(name);
    if (madeAtMs !== null) aliasNames.add(name, madeAtMs);
  }
  return {
    ...world,
    aliasNames,
    keysExpireInMs: settings.ownerLimits.keysExpireInMs,
    aliases: {
      store: world.store,
      clock: world.clock,
      configured: () => settings.aliases,
      catalogue: () => catalogue,
      // Gateways find changes in the store on their own.
      refresh: async () => {},
    },
  };
}
const SIMULATOR = "Sim";
