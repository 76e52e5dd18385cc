// Reads or makes the master key, and derives keys from it.
import { hkdfSync } from "node:crypto";
import { LastingError } from "../core/faults/lasting-error.ts";
import type { Random } from "../core/world/world.ts";

export const MASTER_KEY_VARIABLE = "POUNDKEY_MASTER_KEY";
export const MASTER_KEY_BYTES = 32;
const DERIVED_BYTES = 32;
const BASE64_SHAPE = /^[A-Za-z0-9+/]{43}=?$/;

/** The file that keeps the master key where the environment gives none. */
export interface MasterKeyFile {
  /** For messages. */
  readonly path: string;
  /** Returns the file's text, or null if there is no file. */
  read(): string | null;
  /** Makes the file, readable by its owner alone, unless there is one. Returns the text that it holds then. */
  make(text: string): string;
  /** Replaces the file's text at once, and keeps the earlier one in a file whose path ends in `suffix`, which it returns. */
  replace(text: string, suffix: string): string;
}

export interface MasterKeySources {
  /** The value of `POUNDKEY_MASTER_KEY`; undefined or empty if it isn't set. */
  readonly text: string | undefined;
  /** Where the text stands, if not in `POUNDKEY_MASTER_KEY`. */
  readonly textSource?: string;
  /** null if only the environment may give the key. */
  readonly file: MasterKeyFile | null;
  /** True if the store was made under a master key before, so that a new one could only be wrong. */
  readonly inUse: boolean;
  readonly random: Random;
}

/**
 * Returns the master key from the environment, or else from its file, which is made for a new store. Throws a LastingError that
 * names the source.
 */
export function readMasterKey(sources: MasterKeySources): Uint8Array {
  const { text, file, inUse, random } = sources;
  if (text) return parseMasterKey(text, nameSource(sources));
  if (file === null) throw new LastingError(`${MASTER_KEY_VARIABLE} is not set.`);
  const kept = file.read();
  if (kept !== null) return parseMasterKey(kept, file.path);
  if (inUse) {
    throw new LastingError(
      `The store's master key is missing: it is neither in ${MASTER_KEY_VARIABLE} nor in ${file.path}. Without it, no key works.`,
    );
  }
  return parseMasterKey(file.make(makeMasterKeyText(random)), file.path);
}

/** Names the place of the key that `readMasterKey` returns. */
export function nameSource({ text, textSource, file }: Omit<MasterKeySources, "inUse" | "random">): string {
  if (text || file === null) return textSource ?? MASTER_KEY_VARIABLE;
  return file.path;
}

/** Returns a new key as the text of a file. */
export function makeMasterKeyText(random: Random): string {
  return `${Buffer.from(random.bytes(MASTER_KEY_BYTES)).toString("base64")}\n`;
}

/** Decodes 32 bytes from base64. Throws a LastingError that names the source and never shows the text. */
export function parseMasterKey(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = BASE64_SHAPE.test(trimmed) ? Buffer.from(trimmed, "base64") : null;
  if (bytes?.length === MASTER_KEY_BYTES) return new Uint8Array(bytes);
  throw new LastingError(
    `${source} must be ${MASTER_KEY_BYTES} bytes in base64, as printed by \`openssl rand -base64 32\`.`,
  );
}

/** HKDF (RFC 5869) with SHA-256 and without salt. */
function derive(masterKey: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", `poundkey ${use} v1`, DERIVED_BYTES));
}

/** A store's first data keys. This one keys the digests of secrets. */
export const derivePepper = (masterKey: Uint8Array) => derive(masterKey, "secret digest");
/** These seal kept replies, providers' credentials, and logged prompts and answers. */
export const deriveReplyKey = (masterKey: Uint8Array) => derive(masterKey, "kept reply");
export const deriveCredentialKey = (masterKey: Uint8Array) => derive(masterKey, "provider credential");
export const deriveContentKey = (masterKey: Uint8Array) => derive(masterKey, "logged content");

/** Seals the data keys. */
export const deriveWrappingKey = (masterKey: Uint8Array) => derive(masterKey, "data keys");

/** Derives the text by which the store recognizes the master key. It reveals nothing of the key. */
export function deriveCheckValue(masterKey: Uint8Array): string {
  return Buffer.from(derive(masterKey, "master key check")).toString("hex");
}
