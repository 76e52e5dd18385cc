// The configuration in force: what was loaded last, with the credentials that were added at run time laid over it.
import { buildCatalogue } from "../catalogue/catalogue.ts";
import type { Settings } from "../core/settings.ts";
import type { Log } from "../core/world.ts";
import { makeUpstream, type Upstream } from "../gateway/upstream.ts";
import type { Health } from "../health/health.ts";
import type { Snapshot } from "../http/ports.ts";
import { PROVIDERS } from "../providers/index.ts";
import { AddedCredentials } from "./credentials.ts";
import { dialectOf } from "./dialect-of.ts";
import type { OpenedStore } from "./opened-store.ts";

export class InForce {
  readonly credentials: AddedCredentials;
  readonly #health: Health;
  /** Without what was added. */
  configured: Settings;
  settings: Settings;
  snapshot: Snapshot;
  #listed: ReadonlySet<string>;

  constructor(first: Settings, { store, credentialVault }: OpenedStore, health: Health, log: Log) {
    this.#health = health;
    this.configured = first;
    this.settings = first;
    this.snapshot = snapshotOf(first);
    this.#listed = listIds(this.snapshot);
    this.credentials = new AddedCredentials(store, credentialVault, log, () => this.put(this.configured));
    health.configured(first.providers);
  }

  /** Requests under way keep what they began with. */
  put(next: Settings): void {
    this.configured = next;
    this.settings = this.credentials.over(next, PROVIDERS);
    this.snapshot = snapshotOf(this.settings);
    this.#listed = listIds(this.snapshot);
    this.#health.configured(this.settings.providers);
  }

  /** True if the catalogue in force holds the model, by id. */
  isListed(id: string): boolean {
    return this.#listed.has(id);
  }
}

function listIds({ catalogue }: Snapshot): ReadonlySet<string> {
  return new Set(catalogue.list().map(({ id }) => id));
}

function snapshotOf(settings: Settings): Snapshot {
  const { providers, overlay, ownModels, aliases, limits, router, billing } = settings;
  return {
    catalogue: buildCatalogue({ providers, overlay, ownModels, aliases }),
    upstreams: new Map(
      providers.map((setup): [string, Upstream] => [setup.name, makeUpstream(setup, dialectOf(setup))]),
    ),
    limits,
    rules: router,
    billing,
  };
}
