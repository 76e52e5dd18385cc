// Binds the store to its master key at the first start, checks the key at every later one, and changes it.
import { LastingError } from "../core/faults/lasting-error.ts";
import type { Store } from "../core/store.ts";
import {
  addMasterKey,
  type DataKeys,
  deriveDataKeys,
  endOlderKeys,
  type KeyRing,
  MASTER_KEYS_MAX,
  parseKeyRing,
  readFingerprint,
  unwrapDataKeys,
  writeKeyRing,
} from "../keys/data-keys.ts";
import {
  deriveCheckValue,
  MASTER_KEY_VARIABLE,
  type MasterKeySources,
  nameSource,
  readMasterKey,
} from "../keys/master.ts";
import { isSameDigest } from "../keys/secret.ts";
import type { ActingWorld } from "./world.ts";

/** The master key that opened the store, and the keys that it opened. */
export interface OpenedKeys {
  readonly masterKey: Uint8Array;
  readonly dataKeys: DataKeys;
}

type Sources = Omit<MasterKeySources, "inUse">;

/**
 * No program from before master keys could be changed opens the store with this value: it would derive other data keys
 * from the new one.
 */
const CHANGED = "changed";

/**
 * Opens the store's keys, or makes a master key for a new store. Throws a LastingError for the operator if the master key is
 * malformed, missing, or none of the store's, since no secret could be recognised with it.
 */
export async function openMasterKey(store: Store, sources: Sources): Promise<OpenedKeys> {
  const ring = await readRing(store);
  const inUse = ring !== null || (await store.setting("master_key_check")) !== null;
  const masterKey = readMasterKey({ ...sources, inUse });
  if (ring !== null) return { masterKey, dataKeys: openRing(ring, masterKey, sources) };
  const check = deriveCheckValue(masterKey);
  if (isSameDigest(await store.keepSetting("master_key_check", check), check))
    return { masterKey, dataKeys: deriveDataKeys(masterKey) };
  throw refuse(
    `This store was created with a different master key than the one in ${nameSource(sources)}.`,
    sources,
  );
}

/** Null for a store whose data keys are still derived from its first master key. */
async function readRing(store: Pick<Store, "setting">): Promise<KeyRing | null> {
  const text = await store.setting("data_keys");
  return text ? parseKeyRing(text) : null;
}

function openRing(ring: KeyRing, masterKey: Uint8Array, sources: Sources): DataKeys {
  const keys = unwrapDataKeys(ring, masterKey, sources.random);
  if (keys !== null) return keys;
  const check = deriveCheckValue(masterKey);
  const ended = ring.ended.find((one) => isSameDigest(one.check, check));
  const source = nameSource(sources);
  if (ended === undefined)
    throw refuse(`This store has a different master key than the one in ${source}.`, sources);
  const day = new Date(ended.atMs).toISOString().slice(0, 10);
  throw refuse(`The master key in ${source} was replaced on ${day} and no longer opens this store.`, sources);
}

function refuse(message: string, { file, textSource }: Sources): LastingError {
  if (textSource) return new LastingError(`${message} Provide the one that belongs to it.`);
  const places = [MASTER_KEY_VARIABLE, ...(file ? [file.path] : [])].join(" or in ");
  return new LastingError(`${message} Provide the one that belongs to it in ${places}.`);
}

/** The ports of a change of the master key. */
interface MasterKeyWorld extends Pick<ActingWorld, "changes" | "clock" | "random"> {
  readonly store: Pick<Store, "setting" | "setSetting">;
}

/** The fingerprints of the master keys that open the store, the newest last. */
export type MasterKeys = readonly string[];

/** Seals the data keys under a further master key, in one transaction. Doing it again changes nothing. */
export async function addNewMasterKey(
  { changes, random }: MasterKeyWorld,
  { masterKey, dataKeys }: OpenedKeys,
  next: Uint8Array,
): Promise<MasterKeys> {
  const none: KeyRing = { wrapped: [], ended: [] };
  const isCurrent = isSameDigest(deriveCheckValue(masterKey), deriveCheckValue(next));
  const text = await changes.changeOperatorSetting("data_keys", (value) => {
    if (!value && isCurrent) throw new Error("The store has this master key already.");
    const ring = value ? parseKeyRing(value) : addMasterKey(none, dataKeys, masterKey, random);
    if (ring.wrapped.length >= MASTER_KEYS_MAX && unwrapDataKeys(ring, next, random) === null)
      throw new Error(`The store has ${MASTER_KEYS_MAX} master keys. End the older ones first, by --finish.`);
    return writeKeyRing(addMasterKey(ring, dataKeys, next, random));
  });
  return parseKeyRing(text).wrapped.map(readFingerprint);
}

/**
 * Ends all master keys but the newest, which must be the given one: somebody who lacks it would lock everybody out.
 * `onProven` runs before anything ends. Returns the fingerprints of those that ended.
 */
export async function endOldMasterKeys(
  { changes, store, clock }: MasterKeyWorld,
  masterKey: Uint8Array,
  onProven: () => void = () => {},
): Promise<{ readonly kept: string; readonly ended: MasterKeys }> {
  const ring = await readRing(store);
  const newest = ring?.wrapped.at(-1);
  if (ring === null || newest === undefined)
    throw new Error("No change of the master key is under way. Begin one with --new FILE.");
  if (!isSameDigest(newest.check, deriveCheckValue(masterKey))) {
    throw new Error(
      `The new master key (${readFingerprint(newest)}) isn't in place here yet: this is an older one (${readFingerprint({ check: deriveCheckValue(masterKey) })}). Put it in place, or name its file by --new.`,
    );
  }
  onProven();
  // Before the older ones end, so that there is no moment in which a program from before could misread the store.
  await store.setSetting("master_key_check", CHANGED);
  await changes.changeOperatorSetting("data_keys", (value) => {
    const current = value ? parseKeyRing(value) : ring;
    const isNewest = current.wrapped.at(-1)?.check === newest.check;
    if (!isNewest) throw new Error("Another master key was added meanwhile.");
    return writeKeyRing(endOlderKeys(current, clock.nowMs()));
  });
  return { kept: readFingerprint(newest), ended: ring.wrapped.slice(0, -1).map(readFingerprint) };
}
