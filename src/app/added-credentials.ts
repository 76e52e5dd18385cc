// The credentials that were added at run time: read from the store every second and laid over the settings.
import { type AddedCredential, openCredential } from "../admin/credentials.ts";
import { TIMEOUTS } from "../config/providers.ts";
import type { Credential, KnownProvider, ProviderSetup, Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Log } from "../core/world.ts";
import type { Vault } from "../gateway/idempotency.ts";

export class AddedCredentials {
  readonly #store: Pick<Store, "credentials">;
  readonly #vault: Pick<Vault, "open">;
  readonly #log: Log;
  readonly #onChange: () => void;
  #seen = "[]";
  #all: readonly AddedCredential[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, "credentials">, vault: Pick<Vault, "open">, log: Log, onChange: () => void) {
    this.#store = store;
    this.#vault = vault;
    this.#log = log;
    this.#onChange = onChange;
  }

  get all(): readonly AddedCredential[] {
    return this.#all;
  }

  /** Reads them again and reports a change. One read follows the other, so that an older result never replaces a newer one. */
  refresh(): Promise<void> {
    this.#last = this.#last.catch(() => {}).then(() => this.#read());
    return this.#last;
  }

  async #read(): Promise<void> {
    const stored = await this.#store.credentials();
    const seen = JSON.stringify(stored);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#all = stored.flatMap((one) => {
      const secret = openCredential(this.#vault, one);
      if (secret === null)
        this.#log({ event: "credential_unreadable", level: "error", provider: one.provider });
      const { sealed: _sealed, createdAtMs: _createdAtMs, ...known } = one;
      return secret === null ? [] : [{ ...known, secret }];
    });
    this.#onChange();
  }

  /** Returns the settings with these credentials added. A single credential turns a known provider on. */
  addTo(settings: Settings, known: readonly KnownProvider[]): Settings {
    const enabled = this.#all.filter((one) => one.enabled);
    const providers = settings.providers.map((setup) => addCredentials(setup, enabled));
    const names = new Set(settings.providers.map(({ name }) => name));
    const more = known
      .filter((row) => canStandAlone(row) && !names.has(row.name))
      .filter(({ name }) => enabled.some(({ provider }) => provider === name))
      .map((row) => addCredentials(createBareSetup(row), enabled));
    return { ...settings, providers: [...providers, ...more] };
  }
}

/** A credential that the configuration already has isn't added again. */
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

/** Returns it as the settings have it. */
export function toCredential(added: AddedCredential): Credential {
  const { id, secret, weight, requestsPerMinute, tokensPerMinute } = added;
  return {
    ...{ id, secret, weight },
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === null ? {} : { tokensPerMinute }),
  };
}

/** Returns the setup of a known provider that the configuration doesn't mention. */
export function createBareSetup({ name, baseUrl, discovers }: KnownProvider): ProviderSetup {
  return {
    name,
    dialect: null,
    baseUrl,
    credentials: [],
    headers: {},
    timeouts: TIMEOUTS,
    unlistedModels: false,
    ...(discovers ? { discovers } : {}),
  };
}
