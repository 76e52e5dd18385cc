// The live configuration: the settings that were loaded last, with the credentials that were added at run time.
import { buildCatalogue } from "../catalogue/catalogue.ts";
import type { Settings } from "../core/settings.ts";
import type { Log } from "../core/world.ts";
import { makeUpstream, type Upstream } from "../gateway/upstream.ts";
import type { Health } from "../health/health.ts";
import type { Snapshot } from "../http/ports.ts";
import { PROVIDERS } from "../providers/index.ts";
import { AddedCredentials } from "./added-credentials.ts";
import { chooseDialects } from "./dialects.ts";
import type { OpenedStore } from "./open-store.ts";

export class LiveConfiguration {
  readonly credentials: AddedCredentials;
  readonly #health: Health;
  /** The settings without the added credentials. */
  configured: Settings;
  settings: Settings;
  snapshot: Snapshot;
  #listed: ReadonlySet<string>;

  constructor(first: Settings, { store, credentialVault }: OpenedStore, health: Health, log: Log) {
    this.#health = health;
    this.configured = first;
    this.settings = first;
    this.snapshot = buildSnapshot(first);
    this.#listed = listIds(this.snapshot);
    this.credentials = new AddedCredentials(store, credentialVault, log, () => this.put(this.configured));
    health.configured(first.providers);
  }

  /** Puts other settings in force. Requests under way keep those that they began with. */
  put(next: Settings): void {
    this.configured = next;
    this.settings = this.credentials.addTo(next, PROVIDERS);
    this.snapshot = buildSnapshot(this.settings);
    this.#listed = listIds(this.snapshot);
    this.#health.configured(this.settings.providers);
  }

  /** True if the live catalogue has a model of that id. */
  isListed(id: string): boolean {
    return this.#listed.has(id);
  }
}

function listIds({ catalogue }: Snapshot): ReadonlySet<string> {
  return new Set(catalogue.list().map(({ id }) => id));
}

function buildSnapshot(settings: Settings): Snapshot {
  const { providers, overlay, ownModels, aliases, limits, router, billing } = settings;
  return {
    catalogue: buildCatalogue({ providers, overlay, ownModels, aliases }),
    upstreams: new Map(
      providers.map((setup): [string, Upstream] => [setup.name, makeUpstream(setup, chooseDialects(setup))]),
    ),
    limits,
    rules: router,
    billing,
  };
}
