// Names of the accounts that an import makes, each of its own: the other gateway may have several of one name.
import type { Store } from "../core/store.ts";
import { NAME_CHARACTERS_MAX } from "./columns.ts";
import type { PlannedAccount } from "./plan.ts";

export class AccountNames {
  readonly #store: Pick<Store, "accountsNamed">;
  /** The number of planned accounts with a name. */
  readonly #counts = new Map<string, number>();

  constructor(store: Pick<Store, "accountsNamed">, accounts: readonly PlannedAccount[]) {
    this.#store = store;
    for (const { account } of accounts)
      this.#counts.set(account.name, (this.#counts.get(account.name) ?? 0) + 1);
  }

  /** Returns the name, with the other gateway's id if another account has or gets the same name. */
  async choose({ account: { name }, foreignId }: PlannedAccount): Promise<string> {
    const isShared = (this.#counts.get(name) ?? 0) > 1 || (await this.#store.accountsNamed(name)).length > 0;
    if (!isShared) return name;
    const suffix = ` (${foreignId})`;
    const head = [...name].slice(0, Math.max(0, NAME_CHARACTERS_MAX - suffix.length)).join("");
    return [...`${head.trim()}${suffix}`].slice(0, NAME_CHARACTERS_MAX).join("").trim();
  }
}
