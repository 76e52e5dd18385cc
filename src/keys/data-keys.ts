// The store's own keys, and the list of them that the store holds, sealed under each master key that opens it.
import { asArray, asObject, parseJson } from "../core/json/json.ts";
import type { Random } from "../core/world/world.ts";
import {
  deriveCheckValue,
  deriveContentKey,
  deriveCredentialKey,
  derivePepper,
  deriveReplyKey,
  deriveWrappingKey,
} from "./master.ts";
import { isSameDigest } from "./secret.ts";
import { createVault } from "./vault.ts";

/** Never change, whatever the master key does: digests can't be made again without the secrets. */
export interface DataKeys {
  /** The key of the digests of secrets. */
  readonly pepper: Uint8Array;
  /** These seal kept replies, providers' credentials, and logged prompts and answers. */
  readonly replies: Uint8Array;
  readonly credentials: Uint8Array;
  readonly contents: Uint8Array;
}

/** The data keys, sealed under one master key. */
interface Wrapping {
  /** Recognizes the master key. */
  readonly check: string;
  readonly sealed: string;
}

interface EndedKey {
  readonly check: string;
  readonly atMs: number;
}

export interface KeyRing {
  /** In the order in which the master keys were added. */
  readonly wrapped: readonly Wrapping[];
  /** Master keys that don't open the store any more, the latest last. */
  readonly ended: readonly EndedKey[];
}

/** A bound on the store's row. */
export const MASTER_KEYS_MAX = 4;
const ENDED_MAX = 16;
/** Enough to tell an operator's few keys apart. */
const FINGERPRINT_DIGITS = 8;

/** A store's first data keys are derived from its first master key, so it needs no list until that changes. */
export function deriveDataKeys(masterKey: Uint8Array): DataKeys {
  return {
    pepper: derivePepper(masterKey),
    replies: deriveReplyKey(masterKey),
    credentials: deriveCredentialKey(masterKey),
    contents: deriveContentKey(masterKey),
  };
}

/** Throws an Error if the text isn't a list that this program wrote. */
export function parseKeyRing(text: string): KeyRing {
  const { wrapped, ended } = asObject(parseJson(text));
  const ring = {
    wrapped: asArray(wrapped).map((one) => {
      const { check, sealed } = asObject(one);
      return { check: String(check), sealed: String(sealed) };
    }),
    ended: asArray(ended).map((one) => {
      const { check, at_ms: atMs } = asObject(one);
      return { check: String(check), atMs: Number(atMs) };
    }),
  };
  if (ring.wrapped.length === 0) throw new Error("The store's row data_keys is damaged.");
  return ring;
}

export function writeKeyRing({ wrapped, ended }: KeyRing): string {
  return JSON.stringify({ wrapped, ended: ended.map(({ check, atMs }) => ({ check, at_ms: atMs })) });
}

/** Returns the data keys, null if they aren't sealed under this master key. Throws if the row was changed. */
export function unwrapDataKeys({ wrapped }: KeyRing, masterKey: Uint8Array, random: Random): DataKeys | null {
  const check = deriveCheckValue(masterKey);
  const found = wrapped.find((one) => isSameDigest(one.check, check));
  if (found === undefined) return null;
  const vault = createVault(deriveWrappingKey(masterKey), random);
  const keys = asObject(parseJson(vault.open(found.sealed, makeUse(check))));
  const read = (name: keyof DataKeys) => new Uint8Array(Buffer.from(String(keys[name]), "base64"));
  return {
    pepper: read("pepper"),
    replies: read("replies"),
    credentials: read("credentials"),
    contents: read("contents"),
  };
}

/** Adds a master key as the newest, or makes it the newest. */
export function addMasterKey(ring: KeyRing, keys: DataKeys, masterKey: Uint8Array, random: Random): KeyRing {
  const wrapping = wrapDataKeys(keys, masterKey, random);
  const others = ring.wrapped.filter(({ check }) => check !== wrapping.check);
  const newest = ring.wrapped.at(-1);
  if (newest?.check === wrapping.check) return ring;
  return {
    wrapped: [...others, wrapping],
    ended: ring.ended.filter(({ check }) => check !== wrapping.check),
  };
}

function wrapDataKeys(keys: DataKeys, masterKey: Uint8Array, random: Random): Wrapping {
  const check = deriveCheckValue(masterKey);
  const texts = Object.entries(keys).map(([name, key]) => [name, Buffer.from(key).toString("base64")]);
  const text = JSON.stringify(Object.fromEntries(texts));
  return { check, sealed: createVault(deriveWrappingKey(masterKey), random).seal(text, makeUse(check)) };
}

/** Ends all master keys but the newest. */
export function endOlderKeys({ wrapped, ended }: KeyRing, nowMs: number): KeyRing {
  const older = wrapped.slice(0, -1).map(({ check }) => ({ check, atMs: nowMs }));
  return { wrapped: wrapped.slice(-1), ended: [...ended, ...older].slice(-ENDED_MAX) };
}

/** A sealed row can't be moved to another master key's place. */
function makeUse(check: string): string {
  return `data keys ${check}`;
}

/** Names a master key to its operator. Reveals nothing of it. */
export function readFingerprint({ check }: Pick<Wrapping, "check">): string {
  return check.slice(0, FINGERPRINT_DIGITS);
}
