// The ports of files: the store, the vault, the settings, and the batches that use them.
import type { FileStore, FileUse, StoredObject } from "../core/batches/file.ts";
import type { FileRules } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { ByteVault, Clock, Log } from "../core/world/world.ts";

/** Tells which files and objects batches use. */
export interface FileUsers extends FileUse {
  /** The objects of batches, which no file names. */
  listLiveObjects(): Promise<readonly StoredObject[]>;
  /** The bytes of those of an account, or of all. */
  countBytes(accountId: string | null): Promise<number>;
}

export interface FilesPorts {
  readonly store: Pick<Store, "durable" | "node" | "listDead" | "batches"> & { readonly files: FileStore };
  readonly vault: ByteVault;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  readonly rules: () => FileRules;
  readonly users: FileUsers;
}
