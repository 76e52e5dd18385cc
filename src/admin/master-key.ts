// Binds the store to its master key at the first start, and checks the key at every later one.
import type { Store } from "../core/store.ts";
import { deriveCheckValue, type MasterKeySources, readMasterKey } from "../keys/master.ts";
import { isSameDigest } from "../keys/secret.ts";

/**
 * Returns the store's master key, or makes one for a new store. Throws an Error for the operator if it is malformed,
 * missing, or not the one that the store was made with, since no secret could be recognised with it.
 */
export async function openMasterKey(
  store: Store,
  sources: Omit<MasterKeySources, "inUse">,
): Promise<Uint8Array> {
  const inUse = (await store.setting("master_key_check")) !== null;
  const masterKey = readMasterKey({ ...sources, inUse });
  const check = deriveCheckValue(masterKey);
  if (isSameDigest(await store.keepSetting("master_key_check", check), check)) return masterKey;
  const places = ["POUNDKEY_MASTER_KEY", ...(sources.file ? [sources.file.path] : [])].join(" or in ");
  throw new Error(`This store was created with a different master key. Provide that one in ${places}.`);
}
