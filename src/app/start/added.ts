// Credentials, aliases and secrets of other gateways, added at run time and read from the store every second.

import { readStoredAliases } from "../../admin/models/aliases.ts";
import { type AddedCredential, makeConfiguredId, openCredential } from "../../admin/models/credentials.ts";
import { parseRules, readStoredRules } from "../../admin/models/model-rules.ts";
import type { IdleCredential } from "../../admin/models/providers.ts";
import { CREDENTIALS_OFF, digestCredential, readSwitchedOff } from "../../admin/models/switched-off.ts";
import { readRegions, readTier } from "../../config/providers/pricing.ts";
import { TIMEOUTS } from "../../config/providers/providers.ts";
import { omitUndefined } from "../../core/json/json.ts";
import { FOREIGN_SECRETS, readForeignUntil } from "../../core/keys/foreign-secret.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { Alias } from "../../core/models/alias.ts";
import type { RefusalRules } from "../../core/models/refusals.ts";
import type { StoredCredential } from "../../core/rows.ts";
import type { Credential, KnownProvider, ProviderSetup, Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Log, Vault } from "../../core/world/world.ts";

/**
 * Returns a function that reads a value again, and passes it to `take` if it has changed. Reads run one at a time, so
 * that an older result never replaces a newer one.
 */
function createRefresh<Stored>(
  first: Stored,
  read: () => Promise<Stored>,
  onChange: (stored: Stored) => void,
): () => Promise<void> {
  let seen = JSON.stringify(first);
  let last: Promise<void> = Promise.resolve();
  const refresh = async () => {
    const stored = await read();
    const now = JSON.stringify(stored);
    if (now === seen) return;
    seen = now;
    onChange(stored);
  };
  return () => {
    last = last.catch(() => {}).then(refresh);
    return last;
  };
}

export class AddedAliases {
  /** Reads the aliases again and reports a change. */
  readonly refresh: () => Promise<void>;
  #all: Readonly<Record<string, Alias>> = {};
  #times: Readonly<Record<string, number>> = {};

  constructor(store: Pick<Store, "setting">, onChange: () => void) {
    const take = (stored: string | null) => {
      const all = readStoredAliases(stored);
      this.#all = Object.fromEntries(all.map(({ name, target }) => [name, target]));
      this.#times = Object.fromEntries(all.map(({ name, createdAtMs }) => [name, createdAtMs]));
      onChange();
    };
    this.refresh = createRefresh(null, () => store.setting("aliases"), take);
  }

  /** Returns the settings with these aliases added. The file's take precedence, including its patterns. */
  addTo(settings: Settings): Settings {
    const more = Object.entries(this.#all).filter(([name]) => !Object.hasOwn(settings.aliases, name));
    if (more.length === 0) return settings;
    const aliasTimes = Object.fromEntries(more.map(([name]) => [name, this.#times[name] ?? 0]));
    return { ...settings, aliases: { ...settings.aliases, ...Object.fromEntries(more) }, aliasTimes };
  }
}

/** Words for what models refuse, set at run time. */
export class AddedModelRules {
  /** Reads the words again and reports a change. */
  readonly refresh: () => Promise<void>;
  #all: ReadonlyMap<string, RefusalRules> = new Map();

  constructor(store: Pick<Store, "setting">, onChange: () => void) {
    const take = (stored: string | null) => {
      const rules = readStoredRules(stored)
        .entries()
        .map(([id, words]) => [id, parseRules(words)] as const);
      this.#all = new Map(rules);
      onChange();
    };
    this.refresh = createRefresh(null, () => store.setting("model_rules"), take);
  }

  /** Returns the settings with these rules added to the changes of models. The file's words take precedence. */
  addTo(settings: Settings): Settings {
    if (this.#all.size === 0) return settings;
    const known = new Map(settings.overlay.map((change) => [change.id, change]));
    for (const [id, rules] of this.#all) {
      const { refuses, accepts, ...change } = known.get(id) ?? { id, disabled: false };
      const isConfigured = (refuses?.size ?? 0) + (accepts?.size ?? 0) > 0;
      if (!isConfigured) known.set(id, { ...change, ...rules });
    }
    return { ...settings, overlay: [...known.values()] };
  }
}

export class AddedCredentials {
  /** Reads the credentials again, and which of the configuration's are off, and reports a change. */
  readonly refresh: () => Promise<void>;
  readonly #vault: Pick<Vault, "open" | "digest">;
  #all: readonly AddedCredential[] = [];
  /** The digests of the configuration's credentials that are switched off. */
  #off: ReadonlySet<string> = new Set();

  constructor(
    store: Pick<Store, "credentials" | "setting">,
    vault: Pick<Vault, "open" | "digest">,
    log: Log,
    onChange: () => void,
  ) {
    this.#vault = vault;
    const open = (one: StoredCredential): readonly AddedCredential[] => {
      const secret = openCredential(vault, one);
      if (secret === null) log({ event: "credential_unreadable", level: "error", provider: one.provider });
      const { sealed: _sealed, createdAtMs: _createdAtMs, ...known } = one;
      return secret === null ? [] : [{ ...known, secret }];
    };
    const take = ([stored, off]: readonly [readonly StoredCredential[], string | null]) => {
      this.#all = stored.flatMap(open);
      this.#off = new Set(readSwitchedOff(off).map(({ digest }) => digest));
      onChange();
    };
    const read = async () => [await store.credentials(), await store.setting(CREDENTIALS_OFF)] as const;
    this.refresh = createRefresh([[], null] as const, read, take);
  }

  /** Returns the configuration's credentials that are switched off. */
  listIdle({ providers }: Settings): readonly IdleCredential[] {
    return providers.flatMap((setup) =>
      numberCredentials(setup)
        .filter((one) => this.#isOff(setup, one))
        .map((one) => toIdle(setup.name, one)),
    );
  }

  #isOff({ name }: ProviderSetup, { id, secret }: Credential): boolean {
    if (this.#off.size === 0 || id !== undefined) return false;
    return this.#off.has(digestCredential(this.#vault, name, secret));
  }

  /** Leaves out the configuration's credentials that are off, and a provider that is left without any. */
  #leaveOn(setup: ProviderSetup): readonly ProviderSetup[] {
    if (!setup.credentials.some((one) => this.#isOff(setup, one))) return [setup];
    const credentials = numberCredentials(setup).filter((one) => !this.#isOff(setup, one));
    return credentials.length === 0 ? [] : [{ ...setup, credentials }];
  }

  get all(): readonly AddedCredential[] {
    return this.#all;
  }

  /**
   * Returns the settings with these credentials added, and without the configuration's that are off. A single one enables a
   * known provider, and none disables any provider.
   */
  addTo(settings: Settings, known: readonly KnownProvider[]): Settings {
    const enabled = this.#all.filter((one) => one.enabled);
    const own = settings.providers.flatMap((setup) => this.#leaveOn(addCredentials(setup, enabled)));
    const names = new Set(settings.providers.map(({ name }) => name));
    const more = known
      .filter((row) => canStandAlone(row) && !names.has(row.name))
      .filter(({ name }) => enabled.some(({ provider }) => provider === name))
      .map((row) => addCredentials(createBareSetup(row), enabled));
    const providers = [...own, ...more];
    const on = new Set(providers.map(({ name }) => name));
    const hasCredential = (name: string) => names.has(name) || this.#all.some((one) => one.provider === name);
    const paused = [...settings.providers, ...known]
      .map(({ name }) => name)
      .filter((name) => !on.has(name) && hasCredential(name));
    return { ...settings, providers, ...(paused.length === 0 ? {} : { pausedProviders: paused }) };
  }
}

type NumberedCredential = Credential & { readonly position: number };

function numberCredentials({ credentials }: ProviderSetup): readonly NumberedCredential[] {
  return credentials.map((one, at) => ({ ...one, position: at + 1 }));
}

function toIdle(provider: string, credential: NumberedCredential): IdleCredential {
  const { position, secret, weight, priceFactor = 1 } = credential;
  const id = makeConfiguredId(position);
  const limits = mapLimits(MINUTE_LIMITS, "property", ({ property }) => credential[property] ?? null);
  return { id, provider, secret, weight, priceFactor, ...limits, enabled: false };
}

/** Adds the credentials that the configuration doesn't already have. */
function addCredentials(setup: ProviderSetup, enabled: readonly AddedCredential[]): ProviderSetup {
  const added = enabled.filter(
    ({ provider, secret }) =>
      provider === setup.name && !setup.credentials.some((one) => one.secret === secret),
  );
  if (added.length === 0) return setup;
  return { ...setup, credentials: [...setup.credentials, ...added.map(toCredential)] };
}

/** True if a credential is enough to use the provider. A cloud's address must come from the configuration. */
export function canStandAlone({ baseUrl }: KnownProvider): boolean {
  return baseUrl !== "";
}

export function toCredential(added: AddedCredential): Credential {
  const { id, secret, weight, priceFactor } = added;
  const limits = mapLimits(MINUTE_LIMITS, "property", ({ property }) => added[property] ?? undefined);
  const factor = priceFactor === 1 ? {} : { priceFactor };
  return { id, secret, weight, ...omitUndefined(limits), ...factor };
}

/** Returns the setup of a known provider that the configuration doesn't mention. */
export function createBareSetup(row: KnownProvider): ProviderSetup {
  const { name, baseUrl, discovers, reportsCost } = row;
  return {
    name,
    dialect: null,
    baseUrl,
    credentials: [],
    headers: {},
    timeouts: TIMEOUTS,
    unlistedModels: false,
    ...(discovers ? { discovers } : {}),
    ...(reportsCost ? { reportsCost } : {}),
    ...readTier({}, row),
    ...readRegions(row, [row], baseUrl),
  };
}

/** Keys that came from other gateways. */
export class AddedSecrets {
  /** Reads again whether there are any. */
  readonly refresh: () => Promise<void>;
  #untilMs: number | null = null;

  constructor(store: Pick<Store, "setting">) {
    const take = (stored: string | null) => {
      this.#untilMs = readForeignUntil(stored);
    };
    this.refresh = createRefresh(null, () => store.setting(FOREIGN_SECRETS), take);
  }

  /** The time until which digests of other gateways are looked up, in Unix milliseconds. Null without such keys. */
  get untilMs(): number | null {
    return this.#untilMs;
  }
}
