// The hash for AWS's signer, which has none of its own.
import { createHash, createHmac } from "node:crypto";

type Secret = string | ArrayBuffer | ArrayBufferView;

export class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;
  constructor(secret?: Secret) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", toBytes(secret));
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  reset(): void {}
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function toBytes(secret: Secret): Buffer {
  if (typeof secret === "string") return Buffer.from(secret);
  return ArrayBuffer.isView(secret)
    ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
    : Buffer.from(secret);
}
