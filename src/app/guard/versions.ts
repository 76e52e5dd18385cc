// The versions of the guard's rules by node: operators see where they differ.
import { asObject, parseJson } from "../../core/json/json.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Store } from "../../core/store.ts";
import type { Vault } from "../../core/world/world.ts";

const SETTING = "guard_versions";
const VERSION_DIGITS = 16;

interface VersionPorts {
  readonly store: Pick<Store, "node" | "setting" | "changeSetting" | "listDead">;
  /** The vault of kept replies: the same on each node of a store. */
  readonly vault: Pick<Vault, "digest">;
  /** The rules in force here. Undefined if there are none. */
  readonly guard: () => GuardSettings | undefined;
}

/** Null stands for no rules. */
type Version = string | null;

export class GuardVersions {
  readonly #ports: VersionPorts;

  constructor(ports: VersionPorts) {
    this.#ports = ports;
  }

  /** The version here. Keyed, since who sees it could try words: a plain digest would tell which are listed. */
  get own(): Version {
    const guard = this.#ports.guard();
    if (guard === undefined) return null;
    return this.#ports.vault.digest(`guard version ${guard.version}`).slice(0, VERSION_DIGITS);
  }

  /** Shares this node's version. Nothing is written as long as no node has rules. */
  async refresh(): Promise<void> {
    const { store } = this.#ports;
    const { own } = this;
    const known = await this.#read();
    if (known.has(store.node) ? known.get(store.node) === own : known.size === 0 && own === null) return;
    const dead = await store.listDead([...known.keys()].filter((node) => node !== store.node));
    await store.changeSetting(SETTING, (stored) => {
      const all = parseVersions(stored).set(store.node, own);
      for (const node of dead) all.delete(node);
      return JSON.stringify(Object.fromEntries(all));
    });
  }

  /** Returns the other live nodes that have another version. */
  async listOthers(): Promise<readonly { readonly id: string; readonly version: Version }[]> {
    const { store } = this.#ports;
    const { own } = this;
    const others = [...(await this.#read())].filter(([id, version]) => id !== store.node && version !== own);
    if (others.length === 0) return [];
    const dead = new Set(await store.listDead(others.map(([id]) => id)));
    return others.filter(([id]) => !dead.has(id)).map(([id, version]) => ({ id, version }));
  }

  async #read(): Promise<Map<string, Version>> {
    return parseVersions(await this.#ports.store.setting(SETTING));
  }
}

function parseVersions(stored: string | null): Map<string, Version> {
  const all = Object.entries(asObject(parseJson(stored ?? "{}")));
  return new Map(all.map(([node, version]) => [node, typeof version === "string" ? version : null]));
}
