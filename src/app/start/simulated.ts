// Adds to the settings: the simulated provider `Sim`, which runs on loopback, and the names of a quick start's clients.
import { TIMEOUTS } from "../../config/providers/providers.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";
import { SIM_MODELS } from "../../simulator/models.ts";

/** Its name. */
export const SIMULATED = "Sim";
/** 2026-11-20, the day on which the simulator was added. */
const CREATED = 1_795_132_800;

/** Returns the settings with the simulator at `url` as one more provider. */
export function addSimulator(settings: Settings, url: string): Settings {
  const setup: ProviderSetup = {
    name: SIMULATED,
    dialect: "openai",
    baseUrl: `${url}/openai/v1`,
    credentials: [{ secret: "simulated", weight: 1 }],
    headers: {},
    timeouts: TIMEOUTS,
    unlistedModels: true,
    // Its words come after the name: `sim-mini~latency=800`.
    unlistedAfter: "~",
  };
  const cards = SIM_MODELS.map(
    ({ capabilities, operation, ...known }): ModelCard => ({
      ...known,
      id: `${SIMULATED}#${known.name}`,
      provider: SIMULATED,
      created: CREATED,
      ownedBy: "poundkey",
      capabilities: new Set(capabilities),
      operations: new Set([operation]),
      listed: true,
      fallbacks: [],
    }),
  );
  return {
    ...settings,
    providers: [...settings.providers.filter(({ name }) => name !== SIMULATED), setup],
    operatorModels: [...settings.operatorModels, ...cards],
  };
}

interface QuickStart {
  readonly quickstart: boolean;
  /** Those of the configuration. */
  readonly sections: object;
}

/** Without a configuration, a quick start's requests have the name of the program that sent them as a tag. */
export function nameClients({ quickstart, sections }: QuickStart, settings: Settings): Settings {
  if (!quickstart || Object.keys(sections).length > 0) return settings;
  return { ...settings, tagsFrom: [{ tag: "client", header: "user-agent" }] };
}
