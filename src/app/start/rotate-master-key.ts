// Replaces a store's master key in two steps, while gateways run on it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { addNewMasterKey, endOldMasterKeys, type MasterKeys } from "../../admin/master-key.ts";
import type { Act } from "../../core/people/people.ts";
import { readFingerprint } from "../../keys/data-keys.ts";
import { deriveCheckValue, makeMasterKeyText, parseMasterKey } from "../../keys/master.ts";
import { keyFile } from "../../store/sqlite/master-key-file.ts";
import { random } from "../world.ts";
import { addKeys, openWithKeys, type StoreWithKeys } from "./open-store.ts";
import { readKeyFile } from "./restore-store.ts";

interface Rotation {
  readonly address: string;
  /** The value of `POUNDKEY_MASTER_KEY`. */
  readonly variable: string | undefined;
  readonly act: Act;
}

interface RotationStart {
  /** True if the new key's file was made. */
  readonly isMade: boolean;
  /** The fingerprints of the master keys that open the store, the new one last. */
  readonly masterKeys: MasterKeys;
  /** The file that holds the new master key for gateways. Null if they have theirs from the environment. */
  readonly file: string | null;
  /** The file that keeps the old one. Null if nothing was replaced. */
  readonly oldFile: string | null;
}

/** Makes a file with a new master key, unless it exists. Returns true if it did. */
function makeKeyFile(name: string): boolean {
  if (existsSync(resolve(name))) return false;
  keyFile(resolve(name)).make(makeMasterKeyText(random));
  return true;
}

/** If it is stopped between its two steps, either key opens the store, and the same call completes it. */
export async function beginRotation(rotation: Rotation, newKeyFile: string): Promise<RotationStart> {
  const opened = await openWithKeys(rotation.address, { text: rotation.variable }, "find");
  try {
    const isMade = makeKeyFile(newKeyFile);
    const { text, textSource = newKeyFile } = readKeyFile(newKeyFile);
    const world = makeActing(opened, rotation);
    const masterKeys = await addNewMasterKey(world, opened.keys, parseMasterKey(text, textSource));
    const oldFile = putInPlace(opened, rotation, text);
    return { isMade, masterKeys, oldFile, file: rotation.variable ? null : (opened.file?.path ?? null) };
  } finally {
    await opened.store.close();
  }
}

/** The new key must be in place, or in the file: without it, nobody could open the store again. */
export async function finishRotation(rotation: Rotation, newKeyFile: string | undefined) {
  const given = newKeyFile === undefined ? { text: rotation.variable } : readKeyFile(newKeyFile);
  const opened = await openWithKeys(rotation.address, given, "find");
  const { text } = given;
  try {
    return await endOldMasterKeys(makeActing(opened, rotation), opened.keys.masterKey, () => {
      if (newKeyFile !== undefined && text) putInPlace(opened, rotation, text);
    });
  } finally {
    await opened.store.close();
  }
}

function makeActing({ store, keys }: StoreWithKeys, { act }: Rotation) {
  return actAs(addKeys(store, keys.dataKeys).world, act);
}

/** Returns the file that keeps the old key. Null if the key in place isn't a file's, or is the new one already. */
function putInPlace({ file }: StoreWithKeys, { variable }: Rotation, text: string): string | null {
  if (file === null || variable) return null;
  const old = file.read();
  if (old === null || old.trim() === text.trim()) return null;
  const fingerprint = readFingerprint({ check: deriveCheckValue(parseMasterKey(old, file.path)) });
  return file.replace(`${text.trim()}\n`, `.old-${fingerprint}`);
}
