// The aliases that were made at run time: read from the store every second and laid under those of the file.
import { readStoredAliases } from "../admin/stored-aliases.ts";
import type { Alias } from "../core/alias.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";

export class AddedAliases {
  readonly #store: Pick<Store, "setting">;
  readonly #onChange: () => void;
  #seen: string | null = null;
  #all: Readonly<Record<string, Alias>> = {};
  #last: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, "setting">, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** Reads them again and reports a change. One read follows the other, so that an older result never replaces a newer one. */
  refresh(): Promise<void> {
    this.#last = this.#last.catch(() => {}).then(() => this.#read());
    return this.#last;
  }

  async #read(): Promise<void> {
    const stored = await this.#store.setting("aliases");
    if (stored === this.#seen) return;
    this.#seen = stored;
    this.#all = Object.fromEntries(readStoredAliases(stored).map(({ name, target }) => [name, target]));
    this.#onChange();
  }

  /** Returns the settings with these aliases added. Those of the file go before, also where a pattern of theirs fits. */
  addTo(settings: Settings): Settings {
    const more = Object.entries(this.#all).filter(([name]) => !Object.hasOwn(settings.aliases, name));
    if (more.length === 0) return settings;
    return { ...settings, aliases: { ...settings.aliases, ...Object.fromEntries(more) } };
  }
}
