// The store and the master key belong together: the first start binds them, every later one proves it.
import type { Store } from "../core/store.ts";
import { deriveCheckValue, type MasterKeySources, readMasterKey } from "../keys/master.ts";
import { isSameDigest } from "../keys/secret.ts";

/**
 * The store's master key, found or (for a new store) made. Throws an Error for the operator when it is malformed,
 * missing, or not the one that the store was made with: under another key no secret would be known.
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
  throw new Error(`This store was made with another master key. Give that one in ${places}.`);
}
