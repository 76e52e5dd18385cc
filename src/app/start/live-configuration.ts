// The live configuration: the last loaded settings, with the credentials and aliases added at run time.
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Settings } from "../../core/settings.ts";
import type { Clock, Deadlines, Fetch, Log } from "../../core/world/world.ts";
import { makeUpstream, type Upstream } from "../../gateway/plan/upstream.ts";
import type { Health } from "../../health/health.ts";
import type { Snapshot } from "../../http/ports.ts";
import { PROVIDERS } from "../../providers/index.ts";
import { GuardVersions } from "../guard/versions.ts";
import { chooseDialects, DOCUMENTED_FIELDS, findDocumented } from "../models/dialects.ts";
import { Discovery } from "../models/discovery.ts";
import { KeyProofs } from "../models/key-proofs.ts";
import { SharedRefusals } from "../models/shared-refusals.ts";
import { AddedAliases, AddedCredentials, AddedModelRules, AddedSecrets } from "./added.ts";
import { warnOfClosedEntries } from "./closed-entries.ts";
import { noteEndingKeys } from "./ending-keys.ts";
import type { OpenedStore } from "./open-store.ts";
import { UnservedAliases } from "./unserved.ts";

const MS_PER_SECOND = 1000;

export class LiveConfiguration {
  readonly credentials: AddedCredentials;
  readonly discovery: Discovery;
  readonly #proofs: KeyProofs;
  readonly aliases: AddedAliases;
  readonly modelRules: AddedModelRules;
  readonly foreign: AddedSecrets;
  readonly guardVersions: GuardVersions;
  readonly refusalLessons: SharedRefusals;
  readonly #health: Health;
  readonly #clock: LiveConfigurationPorts["clock"];
  /** The settings without the added credentials and aliases. */
  configured: Settings;
  settings: Settings;
  readonly #unserved: UnservedAliases;
  /** False until everything that was added at run time has been read. */
  #isRead = false;
  readonly #store: OpenedStore["store"];
  readonly #log: Log;
  #snapshot: Snapshot;
  #listed: ReadonlySet<string>;

  constructor(first: Settings, opened: OpenedStore, ports: LiveConfigurationPorts) {
    const { health, log, fetch, clock } = ports;
    const { store, credentialVault, vault } = opened;
    const onChange = () => this.#renewProviders();
    this.#health = health;
    this.configured = first;
    this.settings = first;
    this.#unserved = new UnservedAliases(log);
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#snapshot = buildSnapshot(first, [], clock.nowMs());
    this.#listed = listIds(this.#snapshot);
    this.credentials = new AddedCredentials(store, credentialVault, log, onChange);
    this.aliases = new AddedAliases(store, () => this.#renew());
    this.modelRules = new AddedModelRules(store, () => this.#renew());
    this.foreign = new AddedSecrets(store);
    this.guardVersions = new GuardVersions({ store, vault, guard: () => this.settings.guard });
    this.discovery = new Discovery({ fetch, log, onChange });
    this.discovery.expect(first.providers);
    this.#proofs = createProofs(ports);
    this.#proofs.follow(first.providers);
    health.prover = this.#proofs;
    health.configured(first.providers);
    const cards = () => this.#snapshot.catalogue.list();
    this.refusalLessons = new SharedRefusals({ ...ports, store, refusals: health.refusals, cards });
  }

  /** Asks the providers that have yet to answer for their lists of models. Never rejects. */
  askLists(): Promise<void> {
    void this.#proofs.refresh();
    return this.discovery.refresh();
  }

  /** Reads what was added at run time. Called before the first request. */
  async readAdded(): Promise<void> {
    await this.credentials.refresh();
    await this.aliases.refresh();
    await this.modelRules.refresh();
    await this.foreign.refresh();
    await this.refusalLessons.refresh();
    this.#isRead = true;
    this.#checkAliases();
    await warnOfClosedEntries(this.#store, this.settings, this.#clock, this.#log);
    const cards = this.#snapshot.catalogue.listWithEnded();
    await noteEndingKeys(this.#store, cards, this.#log, this.#clock.nowMs());
  }

  /** Applies other settings. Running requests keep those that they began with. */
  put(next: Settings): void {
    this.configured = next;
    this.discovery.expect(next.providers);
    this.#renewProviders();
    void this.askLists();
  }

  #renew(): void {
    const open = this.credentials.addTo(this.configured, PROVIDERS);
    this.settings = this.modelRules.addTo(this.aliases.addTo(open));
    this.discovery.follow(this.settings.providers);
    this.#snapshot = this.#buildSnapshot();
    this.#listed = listIds(this.#snapshot);
    if (this.#isRead) this.#checkAliases();
  }

  #checkAliases(): void {
    this.#unserved.check(this.settings, this.configured, this.#snapshot.catalogue);
  }

  /** Also brings back refused credentials, because one of them may have been fixed. */
  #renewProviders(): void {
    this.#renew();
    this.#proofs.follow(this.settings.providers);
    this.#health.configured(this.settings.providers);
  }

  /** Running requests keep the prices that they began with. */
  get snapshot(): Snapshot {
    if (this.#clock.nowMs() >= this.#snapshot.catalogue.changesAtMs) this.#snapshot = this.#buildSnapshot();
    return this.#snapshot;
  }

  #buildSnapshot(): Snapshot {
    return buildSnapshot(this.settings, this.discovery.cards, this.#clock.nowMs());
  }

  /** Returns the Unix seconds at which each enabled model ends whose end its provider has announced. */
  findEnds(): ReadonlyMap<string, number> {
    const ends = this.snapshot.catalogue
      .listWithEnded()
      .flatMap(({ id, shutdownDate }): [string, number][] =>
        shutdownDate === undefined ? [] : [[id, Date.parse(shutdownDate) / MS_PER_SECOND]],
      );
    return new Map(ends);
  }

  /** True if the live catalogue has a model with that id. */
  isListed(id: string): boolean {
    return this.#listed.has(id);
  }
}

interface LiveConfigurationPorts {
  readonly health: Health;
  readonly log: Log;
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, "nowMs">;
  readonly deadlines: Pick<Deadlines, "nowMs">;
}

function createProofs({ health, fetch, deadlines }: LiveConfigurationPorts): KeyProofs {
  const nowMs = () => deadlines.nowMs();
  return new KeyProofs({
    fetch,
    nowMs,
    onRefused: (provider, credential, status) => health.recordProof(provider, credential, nowMs(), status),
  });
}

function listIds({ catalogue }: Snapshot): ReadonlySet<string> {
  return new Set(catalogue.list().map(({ id }) => id));
}

/** The operator's own entry for a model overrides what the model's server reports. */
function buildSnapshot(settings: Settings, discovered: readonly ModelCard[], nowMs: number): Snapshot {
  const { providers, limits, router, billing, hooks, guard, newerModels = [] } = settings;
  const found = new Set(discovered.map(({ id }) => id));
  const restated = newerModels.filter(({ id }) => found.has(id));
  const operatorModels = [...discovered, ...restated, ...settings.operatorModels];
  return {
    catalogue: buildCatalogue({ ...settings, operatorModels, nowMs }),
    upstreams: new Map(
      providers.map((setup): [string, Upstream] => [
        setup.name,
        makeUpstream(setup, chooseDialects(setup), findDocumented(setup)),
      ]),
    ),
    limits,
    rules: router,
    billing,
    guardrailNames: new Set([...hooks, ...(guard?.rules ?? [])].map(({ name }) => name)),
    documentedFields: DOCUMENTED_FIELDS,
  };
}
