// Signs the digests of a release and lists of models, so that the public key is enough to check a download.
import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { readSigningKey, signBytes } from "../../keys/signature.ts";
import { writeWhole } from "../models/whole-file.ts";

const PUBLIC_MODE = 0o644;

/** Throws an Error that names the file, for a key that can't be read or is of another kind. */
export function readKeyFile(keyFile: string): KeyObject {
  const pem = readFileSync(keyFile);
  try {
    return readSigningKey(pem);
  } catch (error) {
    throw new Error(`${keyFile} ${error instanceof Error ? error.message : error}`);
  }
}

/** Writes the signature beside the file: 64 bytes, as `openssl pkeyutl` verifies them. */
export function signFile(file: string, key: KeyObject): void {
  writeWhole(`${file}.sig`, signBytes(readFileSync(file), key), PUBLIC_MODE);
}
