// Entries in keys' lists of models that are spelt like an alias but were stored as an id or a pattern: they open nothing by the
// alias's name until the key is saved again.
import { canBeAliasName } from "../../core/models/alias-entry.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";

const KEYS_MAX = 100;

/** Warns of each alias that such entries are spelt like, with the keys. Earlier versions took only names with a `#`. */
export async function warnOfClosedEntries(
  store: Pick<Store, "keys">,
  { aliases }: Pick<Settings, "aliases">,
  clock: Pick<Clock, "nowMs">,
  log: Log,
): Promise<void> {
  for (const name of Object.keys(aliases)) {
    if (!name.includes("#") || !canBeAliasName(name)) continue;
    const modelsText = JSON.stringify(name).toLowerCase();
    const filter = { nowMs: clock.nowMs(), isRevoked: false, modelsText };
    const found = await store.keys({ limit: KEYS_MAX, after: null }, filter);
    const keys = found.filter(({ allowedModels }) => allowedModels?.includes(name)).map(({ id }) => id);
    if (keys.length > 0) log({ event: "alias_closed", level: "warn", name, keys });
  }
}
