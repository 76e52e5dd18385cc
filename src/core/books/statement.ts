// Statements: what an account's months add up to.
import type { NanoUsd } from "../money/money.ts";
import type { MovementKind } from "./movement.ts";

/** The cost of a month's requests to a model, of a key and the person whose key it is. */
export interface StatementUse {
  readonly model: string;
  readonly keyId: string;
  /** Empty for service keys. */
  readonly member: string;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/** The cost of a month's requests with a tag. One with several tags is in the cost of each. */
export interface StatementTag {
  /** `team=search`, `other`, or empty for requests without tags. */
  readonly tag: string;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/** The change of the balance by a month's movements of a kind. */
export interface StatementMovement {
  readonly kind: MovementKind;
  readonly balanceNanoUsd: NanoUsd;
}

/** The sums of a month as of one moment. */
export interface StatementSums {
  readonly uses: readonly StatementUse[];
  readonly tags: readonly StatementTag[];
  readonly movements: readonly StatementMovement[];
  /** The balance at the month's end, with what requests held. */
  readonly closingNanoUsd: NanoUsd;
}

/** A month of statements. Movements from before their months were kept belong to it by their time. */
export interface StatementMonth {
  /** `2026-11` */
  readonly month: string;
  /** In the account's time zone, in Unix milliseconds. `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The same in UTC, by which hours are summed, with the halves of the months around it that may be at its edge. */
  readonly hours: {
    readonly beforeMs: number;
    readonly fromMs: number;
    readonly halfMs: number;
    readonly toMs: number;
    readonly afterMs: number;
  };
}

/** A closed statement as it is kept. `data` is JSON. */
export interface StoredStatement {
  readonly accountId: string;
  readonly month: string;
  readonly closedAtMs: number;
  readonly data: string;
}

/** Each method is one transaction, as in `Store`. */
export interface StatementStore {
  /** Null if there is no such account. */
  sumStatement(accountId: string, month: StatementMonth): Promise<StatementSums | null>;
  statement(accountId: string, month: string): Promise<StoredStatement | null>;
  /** Keeps a statement, unless there is one. Returns the one that is kept. */
  keepStatement(statement: StoredStatement): Promise<StoredStatement>;
}
