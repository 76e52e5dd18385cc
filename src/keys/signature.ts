// Signatures of releases and of lists of models: Ed25519 over the bytes as they are.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

const SIGNATURE_BYTES = 64;
const SHOWN_DIGITS = 8;

/** Returns the 64 bytes that `openssl pkeyutl -rawin` makes and verifies, too. */
export function signBytes(bytes: Uint8Array, key: KeyObject): Buffer {
  return sign(null, bytes, key);
}

/** Reads a private key in PEM. Throws an Error, as in "isn't an Ed25519 key", which shows nothing of it. */
export function readSigningKey(pem: string | Buffer): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error("is no private key in PEM");
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error("isn't an Ed25519 key: openssl genpkey -algorithm ed25519 makes one");
  return key;
}

/** Returns the first of the keys (32 bytes in base64) that has made the signature. Null if none has. */
export function findSigner(bytes: Uint8Array, signature: Uint8Array, keys: readonly string[]): string | null {
  if (signature.length !== SIGNATURE_BYTES) return null;
  return keys.find((key) => verify(null, bytes, importKey(key), signature)) ?? null;
}

function importKey(key: string): KeyObject {
  const x = Buffer.from(key, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** Returns the digits by which people tell public keys apart: the first of the SHA-256 of the key's bytes. */
export function nameKey(key: string): string {
  return createHash("sha256").update(Buffer.from(key, "base64")).digest("hex").slice(0, SHOWN_DIGITS);
}
