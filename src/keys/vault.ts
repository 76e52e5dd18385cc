// Encrypts texts and bytes for the store: AES-256-GCM under a key derived from the master key.
import { createCipheriv, createDecipheriv } from "node:crypto";
import { freeBytes } from "../core/world/free-bytes.ts";
import type { ByteVault, Random, Sealer, Vault } from "../core/world/world.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text is the base64 of nonce, tag and ciphertext. `open` throws if it was changed, too. */
export function createVault(key: Uint8Array, random: Random): Vault & ByteVault {
  const digestKey = new Bun.CryptoHasher("sha256", key).update("digest").digest();
  const sealBytes = (bytes: Uint8Array, use: string): Buffer => {
    const nonce = random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce);
    cipher.setAAD(Buffer.from(use));
    const sealed = cipher.update(bytes);
    const rest = cipher.final();
    const whole = Buffer.concat([nonce, cipher.getAuthTag(), sealed, rest]);
    freeBytes(sealed);
    return whole;
  };
  const openBytes = (bytes: Uint8Array, use: string): Buffer => {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(use));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    const rest = decipher.final();
    return rest.length === 0 ? opened : Buffer.concat([opened, rest]);
  };
  return {
    sealBytes,
    openBytes,
    seal: (text, use) => sealBytes(Buffer.from(text), use).toString("base64"),
    open: (sealed, use) => openBytes(Buffer.from(sealed, "base64"), use).toString("utf8"),
    /** Returns the HMAC-SHA256 in hex. */
    digest: (text) => new Bun.CryptoHasher("sha256", digestKey).update(text).digest("hex"),
  };
}

/** Makes a sealer for one account. The account's id is part of the use, so another account's text doesn't open. */
export function createSealer(vault: Pick<Vault, "seal" | "open">, accountId: string): Sealer {
  return new AccountSealer(vault, accountId);
}

/** Each request has one, and few use it. */
class AccountSealer implements Sealer {
  readonly #vault: Pick<Vault, "seal" | "open">;
  readonly #accountId: string;

  constructor(vault: Pick<Vault, "seal" | "open">, accountId: string) {
    this.#vault = vault;
    this.#accountId = accountId;
  }

  get #use(): string {
    return `surface ${this.#accountId}`;
  }

  seal(text: string): string {
    return this.#vault.seal(text, this.#use);
  }

  open(sealed: string): string | null {
    try {
      return this.#vault.open(sealed, this.#use);
    } catch {
      return null;
    }
  }
}
