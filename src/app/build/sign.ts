// Signs the digests of a release, so that the public key is enough to check a download.
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** Writes the signature beside the file: 64 bytes, as `openssl pkeyutl` verifies them. Throws for a key of another kind. */
export function signFile(file: string, keyFile: string): void {
  const key = createPrivateKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error(`${keyFile} isn't an Ed25519 key: openssl genpkey -algorithm ed25519 makes one`);
  writeFileSync(`${file}.sig`, sign(null, readFileSync(file), key));
}
