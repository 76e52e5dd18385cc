// Connects the operator's provider routes with the live configuration, health and the store.
import { type Fillable, makeConfiguredId } from "../../admin/models/credentials.ts";
import type { TestResult } from "../../admin/models/providers.ts";
import type { ProviderPorts } from "../../admin/things/credentials.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Credential, ProviderSetup, Settings } from "../../core/settings.ts";
import type { Deadlines, Fetch } from "../../core/world/world.ts";
import type { Health } from "../../health/health.ts";
import { buildReport } from "../../health/report.ts";
import { PROVIDERS } from "../../providers/index.ts";
import { canStandAlone, createBareSetup, toCredential } from "../start/added.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock, random } from "../world.ts";
import { testCredential } from "./probe.ts";

interface ProviderPortsParts {
  readonly live: LiveConfiguration;
  readonly opened: OpenedStore;
  readonly health: Health;
  readonly deadlines: Deadlines;
  readonly fetch: Fetch;
}

export function createProviderPorts(parts: ProviderPortsParts): ProviderPorts {
  const { live, opened, health, deadlines } = parts;
  const { credentials } = live;
  return {
    store: opened.store,
    clock,
    random,
    vault: opened.credentialVault,
    fillable: () => listFillable(live),
    refresh: () => credentials.refresh(),
    added: () => credentials.all,
    switchedOff: () => credentials.listIdle(live.configured),
    health: () =>
      buildReport({
        health,
        providers: live.settings.providers,
        cards: live.snapshot.catalogue.list(),
        nowMs: deadlines.nowMs(),
        wallMs: clock.nowMs(),
      }),
    test: (provider, credentialId) => runTest(parts, provider, credentialId),
  };
}

function listFillable({ configured }: LiveConfiguration): readonly Fillable[] {
  const own = configured.providers.map(({ name, baseUrl, credentials }) => ({
    name,
    baseUrl,
    secrets: credentials.map(({ secret }) => secret),
  }));
  const others = PROVIDERS.filter((row) => canStandAlone(row) && !own.some((one) => one.name === row.name));
  return [...own, ...others.map(({ name, baseUrl }) => ({ name, baseUrl, secrets: [] }))];
}

/** Tests a credential, even if it is disabled. */
async function runTest(
  { live, fetch, opened }: ProviderPortsParts,
  name: string,
  credentialId: string | null,
): Promise<TestResult> {
  const { settings, credentials, configured } = live;
  const own = findSetup(configured, name);
  const all: readonly Credential[] = [
    ...own.credentials.map((one, at) => ({ ...one, id: makeConfiguredId(at + 1) })),
    ...credentials.all.filter(({ provider }) => provider === name).map(toCredential),
  ];
  const credential = credentialId === null ? all[0] : all.find(({ id }) => id === credentialId);
  if (!credential) throw new Fault("not_found", "The provider has no credential with that id.");
  // Those that are off are in it too, so that no answer shows a secret that it repeats.
  const setup = { ...own, credentials: all };
  const cards = buildCatalogue({ ...settings, providers: [setup] }).list();
  return testCredential(setup, credential, cards, fetch, (call) => opened.store.providerCalls.add([call]));
}

function findSetup({ providers }: Settings, name: string): ProviderSetup {
  const configured = providers.find((one) => one.name === name);
  const known = PROVIDERS.find((one) => one.name === name);
  if (configured) return configured;
  if (known && canStandAlone(known)) return createBareSetup(known);
  throw new Fault("not_found", "There is no provider with that name.");
}
