// Pieces as they lie in the store: each sealed for its account, object and number.

import type { PieceStore } from "../core/batches/file.ts";
import { freeBytes } from "../core/world/free-bytes.ts";
import type { ByteVault } from "../core/world/world.ts";
import type { MissingPieces } from "./missing-pieces.ts";
import { FileMissing, type Pieces } from "./port.ts";

export class SealedPieces implements Pieces {
  readonly #store: PieceStore;
  readonly #vault: ByteVault;
  readonly #missing: MissingPieces;

  constructor(store: PieceStore, vault: ByteVault, missing: MissingPieces) {
    this.#store = store;
    this.#vault = vault;
    this.#missing = missing;
  }

  async write(accountId: string, object: string, number: number, bytes: Uint8Array): Promise<void> {
    const sealed = this.#vault.sealBytes(bytes, makeUse(accountId, object, number));
    await this.#store.write(accountId, object, number, sealed);
    freeBytes(sealed);
  }

  async read(accountId: string, object: string, number: number): Promise<Uint8Array> {
    const sealed = await this.#store.read(accountId, object, number);
    if (sealed === null) throw new FileMissing(object, number);
    try {
      return this.#vault.openBytes(sealed, makeUse(accountId, object, number));
    } catch (cause) {
      throw new FileMissing(object, number, { cause });
    } finally {
      freeBytes(sealed);
    }
  }

  remove(accountId: string, object: string, numbers?: readonly number[]): Promise<void> {
    if (numbers === undefined) this.#missing.forget({ accountId, object });
    return this.#store.remove(accountId, object, numbers);
  }
}

/** A piece of another account, of another object, or from another place in it doesn't open. */
function makeUse(accountId: string, object: string, number: number): string {
  return `file piece ${JSON.stringify([accountId, object, number])}`;
}
