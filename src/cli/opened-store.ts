// Opening the store that the settings name, with the keys that belong to it.
import { openMasterKey } from "../admin/master-key.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Store } from "../core/store.ts";
import type { Vault } from "../gateway/idempotency.ts";
import { contentKeyOf, credentialKeyOf, type MasterKeyFile, pepperOf, replyKeyOf } from "../keys/master.ts";
import { createVault } from "../keys/vault.ts";
import { decide } from "../ledger/decide.ts";
import { masterKeyFile } from "../store/sqlite/master-key-file.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { clock, random } from "./world.ts";

/** A store that is open, with what its administration and its kept replies take. */
export interface OpenedStore {
  readonly store: Store;
  readonly world: AdminWorld;
  readonly vault: Vault;
  /** For providers' credentials. */
  readonly credentialVault: Vault;
  /** For logged prompts and answers. */
  readonly contentVault: Vault;
}

/** Opens the store that the settings name. Throws an Error for the operator when it can't be. */
export async function openStore(address: string, masterKeyText: string | undefined): Promise<OpenedStore> {
  const { store, file } = await openEngine(address, masterKeyText);
  try {
    const masterKey = await openMasterKey(store, { text: masterKeyText, file, random });
    return {
      store,
      world: { store, clock, random, pepper: pepperOf(masterKey) },
      vault: createVault(replyKeyOf(masterKey), random),
      credentialVault: createVault(credentialKeyOf(masterKey), random),
      contentVault: createVault(contentKeyOf(masterKey), random),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Engine {
  readonly store: Store;
  /** Where the master key may be kept; null where nodes share the store, not their disks: each would make another one. */
  readonly file: MasterKeyFile | null;
}

async function openEngine(address: string, masterKeyText: string | undefined): Promise<Engine> {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) {
    return { store: await openSqliteStore({ path, decide }), file: masterKeyFile(path) };
  }
  if (!/^postgres(ql)?:\/\//.test(address)) {
    throw new Error("The store's address is not supported: use sqlite:PATH or postgres://….");
  }
  if (!masterKeyText) {
    throw new Error(
      "A postgres:// store needs POUNDKEY_MASTER_KEY, the same for every node: 32 bytes in base64, as `openssl rand -base64 32` prints them.",
    );
  }
  // Loaded for those who have it: a gateway on SQLite starts sooner without.
  const { openPostgresStore } = await import("../store/postgres/store.ts");
  return { store: await openPostgresStore({ url: address, decide }), file: null };
}
