// The ports of the operator's routes on providers.
import type { Fillable } from "../admin/credentials.ts";
import { buildCatalogue } from "../catalogue/catalogue.ts";
import { Fault } from "../core/fault.ts";
import type { Credential, ProviderSetup } from "../core/settings.ts";
import type { Fetch } from "../core/world.ts";
import type { Deadlines } from "../gateway/deadlines.ts";
import type { Health } from "../health/health.ts";
import { buildReport } from "../health/report.ts";
import type { ProviderPorts } from "../http/admin-providers.ts";
import { PROVIDERS } from "../providers/index.ts";
import { bareSetup } from "./credentials.ts";
import type { InForce } from "./in-force.ts";
import type { OpenedStore } from "./opened-store.ts";
import { type Tested, tested } from "./probe.ts";
import { clock, random } from "./world.ts";

export interface ProviderPortsParts {
  readonly inForce: InForce;
  readonly opened: OpenedStore;
  readonly health: Health;
  readonly deadlines: Deadlines;
  readonly fetch: Fetch;
}

export function providerPorts(parts: ProviderPortsParts): ProviderPorts {
  const { inForce, opened, health, deadlines } = parts;
  const { credentials } = inForce;
  return {
    store: opened.store,
    clock,
    random,
    vault: opened.credentialVault,
    fillable: () => fillableOf(inForce),
    refresh: () => credentials.refresh(),
    known: PROVIDERS,
    added: () => credentials.all,
    health: () =>
      buildReport({
        health,
        providers: inForce.settings.providers,
        cards: inForce.snapshot.catalogue.list(),
        nowMs: deadlines.nowMs(),
        wallMs: clock.nowMs(),
      }),
    test: (provider, credentialId) => testOf(parts, provider, credentialId),
  };
}

function fillableOf({ configured }: InForce): readonly Fillable[] {
  const own = configured.providers.map(({ name, credentials }) => ({
    name,
    secrets: credentials.map(({ secret }) => secret),
  }));
  const others = PROVIDERS.filter(({ name }) => !own.some((one) => one.name === name));
  return [...own, ...others.map(({ name }) => ({ name, secrets: [] }))];
}

/** A credential that is switched off can be tested too. */
async function testOf(
  { inForce, fetch }: ProviderPortsParts,
  name: string,
  credentialId: string | null,
): Promise<Tested> {
  const setup = setupOf(inForce, name);
  const { settings, credentials } = inForce;
  const configured = setup.credentials.filter(({ id }) => id === undefined);
  const all: readonly Credential[] = [
    ...configured.map((one, at) => ({ ...one, id: `configured:${at + 1}` })),
    ...credentials.all.filter(({ provider }) => provider === name),
  ];
  const credential = credentialId === null ? all[0] : all.find(({ id }) => id === credentialId);
  if (!credential) throw new Fault("not_found", "The provider has no credential with that id.");
  const cards = buildCatalogue({ ...settings, providers: [setup] }).list();
  return tested(setup, credential, cards, fetch);
}

function setupOf({ settings }: InForce, name: string): ProviderSetup {
  const on = settings.providers.find((one) => one.name === name);
  const known = PROVIDERS.find((one) => one.name === name);
  if (on) return on;
  if (known) return bareSetup(known);
  throw new Fault("not_found", "There is no provider of that name.");
}
