// A key's move to another account: what is counted of it, and how that follows.

import type { Meter, OwnerState, Place, Spend } from "../rows.ts";
import type { GatewayKey } from "./key.ts";
import type { KeyChange, Revision } from "./key-change.ts";
import type { KeyMaking } from "./key-making.ts";

/** One account's counts of a key: of its limits, its days and its charges. */
export interface KeyCounts {
  readonly accountId: string;
  readonly keyId: string;
  /** Null if nothing is counted. */
  readonly state: OwnerState | null;
  readonly meters: readonly Meter[];
  readonly spend: Spend | null;
  /** The places of its requests in flight, which are settled here. */
  readonly open: readonly Place[];
}

/**
 * Moves a key's counts from one account to the other. Those of requests in flight stay where the requests are settled.
 * Pure: it may be called more than once.
 */
export type Carry = (from: KeyCounts, to: KeyCounts) => { readonly from: KeyCounts; readonly to: KeyCounts };

export interface KeyMove {
  readonly accountId: string;
  readonly revision: Revision<GatewayKey, KeyChange>;
  readonly carry: Carry;
  /** A person's key is counted where it arrives, but not as a making. Missing or null for no check. */
  readonly making?: KeyMaking | null;
}

export interface MovingStore {
  /**
   * Carries home what requests still counted where their key was when they began, up to this many keys. Returns the number
   * of keys that may have more.
   */
  carryHome(carry: Carry, most: number): Promise<number>;
}
