// Opens a temporary copy of a store, so that a dry run takes the same steps as the real one and changes nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMasterKey } from "../../admin/master-key.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { decide } from "../../ledger/decide.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { copyDatabase, measureDatabase, nameDraft } from "../../store/sqlite/copy.ts";
import { masterKeyFile } from "../../store/sqlite/master-key-file.ts";
import { showProgress } from "../workers/progress.ts";
import { random } from "../world.ts";
import { addKeys, findDatabaseFile, openEmptyStore, openWithKeys, storeExists } from "./open-store.ts";

interface StoreCopy {
  readonly world: AdminWorld;
  /** Closes and deletes it. */
  remove(): Promise<void>;
}

/** An empty store in memory if there is none at the address. */
export async function openCopy(address: string, masterKeyText: string | undefined): Promise<StoreCopy> {
  const path = findDatabaseFile(address);
  try {
    if (path === null) return await copyPostgres(address, masterKeyText);
    if (storeExists(path)) return await copySqlite(path, masterKeyText);
  } catch (error) {
    if (!(error instanceof NoStoreError)) throw error;
  }
  const { world, store } = await openEmptyStore();
  return { world, remove: () => store.close() };
}

/** In the system's folder for temporary files, which only this user can read. */
async function copySqlite(path: string, masterKeyText: string | undefined): Promise<StoreCopy> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-copy-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "poundkey.db");
    const work = {
      what: "copying the store",
      all: measureDatabase(path),
      file: nameDraft(copy),
      finishing: "checking the copy",
    };
    await showProgress(work, () => copyDatabase(path, copy));
    const { store, keys } = await openWithKeys(`sqlite:${copy}`, readKey(path, masterKeyText), "prove");
    const remove = async () => {
      await store.close();
      removeFolder();
    };
    return { world: addKeys(store, keys.dataKeys).world, remove };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

function readKey(path: string, masterKeyText: string | undefined) {
  if (masterKeyText) return { text: masterKeyText };
  const file = masterKeyFile(path);
  const text = file.read();
  if (text !== null) return { text, textSource: file.path };
  throw new Error(`The store ${path} can't be read without its master key, which isn't at ${file.path}.`);
}

async function copyPostgres(address: string, masterKeyText: string | undefined): Promise<StoreCopy> {
  const [{ copyToSchema }, { openPostgresStore }] = await Promise.all([
    import("../../store/postgres/copy.ts"),
    import("../../store/postgres/store.ts"),
  ]);
  const { searchPath, remove } = await copyToSchema(address);
  try {
    const store = await openPostgresStore({ url: address, decide, create: false, searchPath });
    const end = async () => {
      await store.close();
      await remove();
    };
    try {
      const keys = await openMasterKey(store, { text: masterKeyText, file: null, random });
      return { world: addKeys(store, keys.dataKeys).world, remove: end };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}
