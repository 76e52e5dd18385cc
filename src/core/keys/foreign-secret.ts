// Secrets of keys that came from other gateways, which don't have the form of our own.
import type { OwnerState } from "../rows.ts";

/** A secret that another gateway stored as a digest, until its first use here shows it. */
export interface ForeignSecret {
  /** SHA-256 of the whole secret, in hex. */
  readonly digest: string;
  /** The number of the key's rotations before this secret. */
  readonly rotation: number;
  /** Unix milliseconds. Unused until then, it no longer works. */
  readonly endsAtMs: number;
}

/** The part of a key's past at another gateway that counts here. */
export interface Arrival {
  readonly secrets: readonly ForeignSecret[];
  /** The use of its budgets there. Null if it had none. */
  readonly opening: OwnerState | null;
}

/** A secret at its first use. */
interface ForeignUse {
  readonly foreignDigest: string;
  /** Our own. */
  readonly digest: string;
  readonly nowMs: number;
}

/** The store's methods on foreign secrets. Each is one transaction. */
export interface ForeignStore {
  /**
   * Replaces a foreign digest by our own, which finds the key from then on. Does nothing if there is none, as after another
   * process has done the same.
   */
  adopt(use: ForeignUse): Promise<void>;
  /** Deletes foreign digests that ended by that time, up to this many. Returns how many. */
  end(nowMs: number, rowsMax: number): Promise<number>;
}

/** The setting that says until when foreign digests are looked up, in Unix milliseconds. Missing without such keys. */
export const FOREIGN_SECRETS = "foreign_secrets";

/** Returns the time in the setting. Null without keys from other gateways. */
export function readForeignUntil(value: string | null): number | null {
  return value === null || !/^\d{1,15}$/.test(value) ? null : Number(value);
}
