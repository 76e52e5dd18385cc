// The files of a running gateway, with the task that sweeps them.
import type { FileRules } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { type FileUsers, NO_FILE_USERS } from "../files/files-ports.ts";
import { KeptFiles } from "../files/kept-files.ts";
import { makeSweep } from "../files/sweep.ts";
import type { OpenedStore } from "./start/open-store.ts";
import { clock } from "./world.ts";

/** `users` are batches, which read files and keep objects of their own. */
export function createFiles(
  { contentVault }: Pick<OpenedStore, "contentVault">,
  store: Store,
  rules: () => FileRules,
  users: FileUsers = NO_FILE_USERS,
) {
  const ports = { store, vault: contentVault, clock, rules, users };
  return { files: new KeptFiles(ports), sweepFiles: makeSweep(ports) };
}
