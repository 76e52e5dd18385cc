// Repeats of an operator's request with an Idempotency-Key: what makes a thing leaves a record in the same transaction.

/** The record that a change leaves, by which its repeat is recognised. */
export interface RepeatClaim {
  /** A digest of the sender, the route and the Idempotency-Key. */
  readonly id: string;
  /** The sender, whose oldest records go beyond a number. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** A digest of the body. Another one under the same id isn't a repeat. */
  readonly bodyDigest: string;
  /** Random: a transaction that runs again knows its own record by it. */
  readonly token: string;
}

export interface RepeatRecord extends RepeatClaim {
  /** The encrypted answer, without its secret. Null until the request is answered. */
  readonly answer: string | null;
  /** The encrypted secret of the answer. Null if it has none, or no longer. */
  readonly secret: string | null;
}

/** A repeat is recognised for this long. */
export const REPEAT_KEPT_MS = 24 * 3_600_000;
/** Its answer shows the secret for this long. */
export const REPEAT_SECRET_MS = 10 * 60_000;
/** The records kept for one sender. */
export const REPEATS_OF_ACTOR = 10_000;

/** Thrown by a change whose claim an earlier request has: nothing was written. */
export class EarlierRequest extends Error {
  readonly earlier: RepeatRecord;

  constructor(earlier: RepeatRecord) {
    super("A request with this Idempotency-Key came before.");
    this.name = "EarlierRequest";
    this.earlier = earlier;
  }
}

export interface RepeatStore {
  /** Returns the record with this id that was made since a time (Unix milliseconds). */
  find(id: string, sinceMs: number): Promise<RepeatRecord | null>;
  /** Makes the record of a change that has no transaction of its own. Throws `EarlierRequest`. */
  claim(claim: RepeatClaim): Promise<void>;
  /** Keeps the answer of a claim, if that was written. */
  keepAnswer(claim: RepeatClaim, answer: Pick<RepeatRecord, "answer" | "secret">): Promise<void>;
  /** Deletes the records, and the secrets, whose time is over. */
  prune(nowMs: number): Promise<void>;
}
