// Finds out by a provider's list of models, in the background, whether it refuses a credential to everybody.
import {
  type Credential,
  identifyCredential,
  type KeyList,
  type ProviderSetup,
} from "../../core/settings.ts";
import type { Fetch } from "../../core/world/world.ts";
import type { KeyProver } from "../../health/credential.ts";
import { PROVIDERS } from "../../providers/index.ts";

const LIST_MS = 5000;
/** A proof is asked for at most once in this time for each credential. */
const AGAIN_MS = 60_000;
const OK = 200;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

const BEARER: KeyList = { path: "/models", keyHeader: "authorization" };

interface KeyProofPorts {
  readonly fetch: Fetch;
  /** On the monotonic clock. */
  readonly nowMs: () => number;
  /** The list is refused to a credential to which it was shown before. */
  readonly onRefused: (provider: string, credential: Credential, status: number) => void;
}

/** A provider's list, and its credentials by their secrets. */
interface ProviderList {
  setup: ProviderSetup;
  readonly list: KeyList;
  /** True if it is shown without a credential, so that it proves nothing. Null if unknown. */
  isOpen: boolean | null;
  keys: ReadonlyMap<string, ListedKey>;
}

interface ListedKey {
  readonly credential: Credential;
  isAsked: boolean;
  /** The time of the last demand for a proof. Null if there was none. */
  provedMs: number | null;
  /** True once the list was shown to it. */
  isGood: boolean;
}

export class KeyProofs implements KeyProver {
  readonly #ports: KeyProofPorts;
  #providers: ReadonlyMap<string, ProviderList> = new Map();
  #isAsking = false;

  constructor(ports: KeyProofPorts) {
    this.#ports = ports;
  }

  /** Sets the enabled providers. Their new credentials are asked about at the next `refresh`. */
  follow(providers: readonly ProviderSetup[]): void {
    const followed = providers.flatMap((setup): [string, ProviderList][] => {
      const list = findKeyList(setup);
      return list === null ? [] : [[setup.name, followKeys(setup, list, this.#providers.get(setup.name))]];
    });
    this.#providers = new Map(followed);
  }

  /** Asks once with each credential that hasn't been asked about, one after the other at each provider. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    await Promise.all(this.#providers.values().map((listed) => this.#askFirst(listed)));
    this.#isAsking = false;
  }

  async #askFirst(listed: ProviderList): Promise<void> {
    const due = [...listed.keys.values()].filter(({ isAsked }) => !isAsked);
    for (const key of due) {
      if (await this.#isOpenList(listed)) return;
      // A reload may have removed it, or a request's failure have asked, in the meantime.
      if (this.#findKey(listed.setup.name, key.credential) !== key || key.isAsked) continue;
      await this.#askWith(listed, key);
    }
  }

  #findKey(provider: string, credential: Credential): ListedKey | undefined {
    return this.#providers.get(provider)?.keys.get(identifyCredential(credential));
  }

  /** Never rejects. */
  async suspect(provider: string, credential: Credential): Promise<void> {
    const listed = this.#providers.get(provider);
    const key = this.#findKey(provider, credential);
    if (listed === undefined || key === undefined || listed.isOpen === true) return;
    const nowMs = this.#ports.nowMs();
    if (key.provedMs !== null && nowMs - key.provedMs < AGAIN_MS) return;
    key.provedMs = nowMs;
    await this.#prove(listed, key);
  }

  async #prove(listed: ProviderList, key: ListedKey): Promise<void> {
    const wasGood = key.isGood;
    const status = await this.#askWith(listed, key);
    if (!wasGood || !isRefusal(status)) return;
    await this.#isOpenList(listed);
    if (listed.isOpen === false) this.#ports.onRefused(listed.setup.name, key.credential, status);
  }

  async #askWith(listed: ProviderList, key: ListedKey): Promise<number | null> {
    key.isAsked = true;
    const status = await this.#ask(listed, key.credential.secret);
    if (status === OK) key.isGood = true;
    return status;
  }

  async #isOpenList(listed: ProviderList): Promise<boolean> {
    if (listed.isOpen === null) {
      const status = await this.#ask(listed, null);
      // A server that is failing, or not reached, may show it to anybody once it is well.
      if (status === OK || isRefusal(status)) listed.isOpen = status === OK;
    }
    return listed.isOpen === true;
  }

  /** Returns the status. Null if none came. */
  async #ask({ setup, list }: ProviderList, secret: string | null): Promise<number | null> {
    const value = list.keyHeader === "authorization" ? `Bearer ${secret}` : secret;
    try {
      const response = await this.#ports.fetch(`${setup.baseUrl}${list.path}`, {
        headers: {
          ...list.headers,
          ...(value === null || secret === null ? {} : { [list.keyHeader]: value }),
          ...lower(setup.headers),
        },
        redirect: "manual",
        signal: AbortSignal.timeout(LIST_MS),
        network: setup.network,
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  }
}

function isRefusal(status: number | null): status is typeof UNAUTHORIZED | typeof FORBIDDEN {
  return status === UNAUTHORIZED || status === FORBIDDEN;
}

/** Keeps what is known of a provider at the same address. Credentials that aren't plain secrets have no list. */
function followKeys(setup: ProviderSetup, list: KeyList, before: ProviderList | undefined): ProviderList {
  const isSame = before !== undefined && before.setup.baseUrl === setup.baseUrl && before.list === list;
  const listed = isSame ? before : { setup, list, isOpen: null, keys: new Map<string, ListedKey>() };
  const keys = setup.credentials
    .filter(({ secret, proof }) => secret !== null && proof === undefined)
    .map((credential): [string, ListedKey] => {
      const own = identifyCredential(credential);
      return [own, listed.keys.get(own) ?? { credential, isAsked: false, provedMs: null, isGood: false }];
    });
  listed.setup = setup;
  listed.keys = new Map(keys);
  return listed;
}

function lower(headers: ProviderSetup["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns the list that tells whether a provider accepts a credential: that of a known provider at its own address, or of
 * the server's dialect where the operator says that there is one. Null if there is none.
 */
function findKeyList(setup: ProviderSetup): KeyList | null {
  const { checksKeys, baseUrl, dialect, platform } = setup;
  if (checksKeys === false || platform !== undefined) return null;
  const host = URL.parse(baseUrl)?.host ?? "";
  const isAt = (known: string) => host === known || host.endsWith(`.${known}`);
  const at = PROVIDERS.find(({ baseUrl: own }) => isAt(URL.parse(own)?.host ?? " "));
  const row = PROVIDERS.find(({ name }) => name === setup.name);
  if (at !== undefined && !at.discovers) return at.keyList ?? null;
  if (checksKeys !== true) return null;
  const spoken = dialect ?? row?.dialects[0]?.name;
  const speaker = PROVIDERS.find(
    ({ dialects, keyList }) => keyList !== undefined && dialects[0]?.name === spoken,
  );
  return row?.keyList ?? speaker?.keyList ?? BEARER;
}
