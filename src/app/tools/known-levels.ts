// The lists of which a tool has to pass every one, remembered with the keys that they are for.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { AllowedTools } from "../../core/limits/member-limits.ts";
import type { Store } from "../../core/store.ts";
import { listToolLevels, type ToolRights } from "../../core/tools/rights.ts";

type Levels = readonly AllowedTools[];

/** The levels of a key under these rights. */
interface KnownLevel {
  readonly rights: ToolRights;
  readonly levels: Levels;
}

const NO_TOOLS = { allowedTools: [] };

export class KnownLevels {
  readonly #store: Pick<Store, "account">;
  readonly #rights: () => ToolRights;
  /** A key that was found is the same object for half a second. Its account's list is remembered for as long. */
  readonly #known = new WeakMap<GatewayKey, KnownLevel>();

  constructor(store: Pick<Store, "account">, rights: () => ToolRights) {
    this.#store = store;
    this.#rights = rights;
  }

  /** Without a promise if the key's are remembered. */
  find(key: GatewayKey): Levels | Promise<Levels> {
    const rights = this.#rights();
    const known = this.#known.get(key);
    return known?.rights === rights ? known.levels : this.#find(key, rights);
  }

  async #find(key: GatewayKey, rights: ToolRights): Promise<Levels> {
    const account = (await this.#store.account(key.accountId)) ?? NO_TOOLS;
    const levels = listToolLevels(key, account, rights);
    this.#known.set(key, { rights, levels });
    return levels;
  }
}
