// The parts of a running gateway that keep something for clients: answers in the cache, and files with the task that sweeps
// them.
import type { Store } from "../core/store.ts";
import type { Log } from "../core/world/world.ts";
import { KeptFiles } from "../files/kept-files.ts";
import { makeSweep } from "../files/sweep.ts";
import type { FilePorts } from "../http/ports.ts";
import { makeFileUsers } from "../jobs/file-users.ts";
import { Cache } from "../steps/cache/cache.ts";
import type { LiveConfiguration } from "./start/live-configuration.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { clock } from "./world.ts";

interface KeeperParts {
  readonly store: Store;
  readonly log: Log;
  readonly live: LiveConfiguration;
}

export function createKeepers(
  { vault, contentVault }: Pick<OpenedStore, "vault" | "contentVault">,
  { store, log, live }: KeeperParts,
) {
  const files = {
    store,
    vault: contentVault,
    clock,
    log,
    rules: () => live.settings.files,
    users: makeFileUsers({ store }),
  };
  const filePorts: FilePorts = {
    files: new KeptFiles(files),
    fileRules: files.rules,
    batchRules: () => live.settings.batches,
  };
  return {
    cache: new Cache({ store: store.cache, vault, clock, log, rules: () => live.settings.cache }),
    filePorts,
    sweepFiles: makeSweep(files),
  };
}
