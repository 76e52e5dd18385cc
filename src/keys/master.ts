// The master key: where it comes from, and the keys derived from it, one for each use.
import type { Random } from "../core/world.ts";

const MASTER_KEY_BYTES = 32;
const BASE64_SHAPE = /^[A-Za-z0-9+/]{43}=?$/;

/** The file that keeps the master key where the environment gives none. */
export interface MasterKeyFile {
  /** For messages. */
  readonly path: string;
  /** The file's text; null when there is no file. */
  read(): string | null;
  /** Makes the file, for its owner's eyes only, unless there is one; gives the text that it holds then. */
  make(text: string): string;
}

export interface MasterKeySources {
  /** `POUNDKEY_MASTER_KEY`; undefined or empty: not set. */
  readonly text: string | undefined;
  /** null: the environment alone may give it. */
  readonly file: MasterKeyFile | null;
  /** True if the store was made under a master key before: then a new one could only be the wrong one. */
  readonly inUse: boolean;
  readonly random: Random;
}

/** The master key from the environment, else from its file, which is made for a new store. Throws an Error naming the source. */
export function masterKeyFrom({ text, file, inUse, random }: MasterKeySources): Uint8Array {
  if (text) return parseMasterKey(text, "POUNDKEY_MASTER_KEY");
  if (file === null) throw new Error("POUNDKEY_MASTER_KEY is not set.");
  const kept = file.read();
  if (kept !== null) return parseMasterKey(kept, file.path);
  if (inUse) {
    throw new Error(
      `The master key of this store is missing: neither POUNDKEY_MASTER_KEY nor ${file.path} holds it. Without it no key works.`,
    );
  }
  const made = Buffer.from(random.bytes(MASTER_KEY_BYTES)).toString("base64");
  return parseMasterKey(file.make(`${made}\n`), file.path);
}

/** 32 bytes from their base64 form. Throws an Error that names the source and never shows the text. */
export function parseMasterKey(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = BASE64_SHAPE.test(trimmed) ? Buffer.from(trimmed, "base64") : null;
  if (bytes?.length === MASTER_KEY_BYTES) return new Uint8Array(bytes);
  throw new Error(
    `${source} must be ${MASTER_KEY_BYTES} bytes in base64, as \`openssl rand -base64 32\` prints them.`,
  );
}

/** HKDF (RFC 5869) with SHA-256, without salt, of one block. `node:crypto` has it, and takes 2 ms of each start to load. */
function derive(masterKey: Uint8Array, use: string): Uint8Array {
  const extracted = new Bun.CryptoHasher("sha256", new Uint8Array(MASTER_KEY_BYTES))
    .update(masterKey)
    .digest();
  const expanded = new Bun.CryptoHasher("sha256", extracted).update(`poundkey ${use} v1\x01`).digest();
  return new Uint8Array(expanded);
}

/** The key of the digests of secrets. */
export function pepperOf(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "secret digest");
}

/** The key that kept replies are sealed under. */
export function replyKeyOf(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "kept reply");
}

/** The key that providers' credentials are sealed under. */
export function credentialKeyOf(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "provider credential");
}

/** The key that logged prompts and answers are sealed under. */
export function contentKeyOf(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "logged content");
}

/** The text by which the store knows the master key again; it gives nothing of the key away. */
export function checkValueOf(masterKey: Uint8Array): string {
  return Buffer.from(derive(masterKey, "master key check")).toString("hex");
}
