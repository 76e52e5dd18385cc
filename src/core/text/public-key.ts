// The text of a public key that signs lists of models and releases, as an operator writes it.

/** The bytes before the 32 of an Ed25519 key in its DER form. */
const DER_PREFIX = "302a300506032b6570032100";
const KEY_BYTES = 32;
const PEM = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

type ReadPublicKey =
  /** The key's 32 bytes in base64. */
  | { readonly key: string }
  /** As in "is a private key". */
  | { readonly wrong: string };

/** Reads PEM, or base64 of the 32 bytes. The reason of a refusal shows nothing of the text. */
export function readPublicKey(text: string): ReadPublicKey {
  if (text.includes("PRIVATE KEY"))
    return { wrong: "is a private key; only the public one belongs here: openssl pkey -in FILE -pubout" };
  const trimmed = text.trim();
  if (BASE64.test(trimmed)) return { key: Buffer.from(trimmed, "base64").toString("base64") };
  const [, body] = PEM.exec(text) ?? [];
  if (body === undefined) return { wrong: "is no public key: expected PEM, or base64 of 32 bytes" };
  const der = Buffer.from(body, "base64");
  const prefix = Buffer.from(DER_PREFIX, "hex");
  const isEd25519 = der.length === prefix.length + KEY_BYTES && der.subarray(0, prefix.length).equals(prefix);
  return isEd25519
    ? { key: der.subarray(prefix.length).toString("base64") }
    : { wrong: "isn't an Ed25519 key: openssl genpkey -algorithm ed25519 makes one" };
}
