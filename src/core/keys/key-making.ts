// A person's keys and how often they are made, as the transaction that makes one more finds them.
import type { Scope } from "../people/people.ts";

/** The time for which a making counts. */
export const MAKING_COUNTS_MS = 3_600_000;

/** A person's keys before one more is made. */
export interface HeldKeys {
  /** Those within the scope that aren't revoked. */
  readonly inScope: number;
  /** Those in the account that aren't revoked. */
  readonly inAccount: number;
  /** The times of the makings and rotations that still count, in Unix milliseconds, oldest first. */
  readonly makings: readonly number[];
}

/** A change that gives a person one more key or secret. All of one person's wait for each other, on every node. */
export interface KeyMaking {
  readonly memberId: string;
  /** The account in which the key is to be. */
  readonly accountId: string;
  /** The keys that count for the person's own bound. */
  readonly scope: Scope;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** Throws the Fault with which it is refused. Pure: it may be called more than once. */
  readonly check: (held: HeldKeys) => void;
}
