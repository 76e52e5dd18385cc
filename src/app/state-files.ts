// State files at a running gateway. Their code is loaded when somebody first asks for them.
import type { AliasParts } from "../admin/models/aliases.ts";
import type { ActingWorld } from "../admin/world.ts";
import { KnownAliasNames } from "../core/models/alias-entry.ts";
import type { StatePorts } from "../http/state.ts";
import type { StateWorld } from "../moving/state/known.ts";

interface StateRules {
  readonly settings: { readonly ownerLimits: Pick<StateWorld, "keysExpireInMs"> };
}

export function makeStatePorts(aliases: AliasParts, rules: StateRules): StatePorts {
  const makeWorld = (acting: ActingWorld): StateWorld => {
    const { keysExpireInMs } = rules.settings.ownerLimits;
    return { ...acting, aliases, aliasNames: listConfigured(aliases), keysExpireInMs };
  };
  return {
    async read(acting) {
      const { writeState } = await import("../moving/state/write.ts");
      return writeState(makeWorld(acting));
    },
    async bring(acting, asked) {
      const { bringState } = await import("../moving/state/served.ts");
      return bringState(makeWorld(acting), asked);
    },
  };
}

function listConfigured({ catalogue, configured }: AliasParts): KnownAliasNames {
  const names = new KnownAliasNames();
  for (const name of Object.keys(configured())) {
    const madeAtMs = catalogue().findAlias(name);
    if (madeAtMs !== null) names.add(name, madeAtMs);
  }
  return names;
}
