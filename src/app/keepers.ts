// Answers of the cache and files: what a running gateway keeps beside its books.
import type { Store } from "../core/store.ts";
import type { Log } from "../core/world/world.ts";
import { makeFileUsers } from "../jobs/file-users.ts";
import { Cache } from "../steps/cache/cache.ts";
import { createFiles } from "./files.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { clock } from "./world.ts";

export function createKeepers(
  opened: OpenedStore,
  { store, log, live }: { readonly store: Store; readonly log: Log; readonly live: LiveConfiguration },
) {
  const rules = () => live.settings.cache;
  return {
    cache: new Cache({ store: store.cache, vault: opened.vault, clock, log, rules }),
    ...createFiles(opened, store, () => live.settings.files, makeFileUsers({ store })),
  };
}
