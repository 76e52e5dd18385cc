// Changes to keys and accounts, as the store makes them.
import type { ACCOUNT_FIELDS } from "../fields/account.ts";
import type { ChangeOf } from "../fields/field.ts";
import type { KEY_FIELDS } from "../fields/key.ts";
import type { Scope } from "../people/people.ts";
import type { Account, GatewayKey } from "./key.ts";
import type { KeyMaking } from "./key-making.ts";

/** Undefined fields are left unchanged. */
export type KeyChange = ChangeOf<typeof KEY_FIELDS> & Partial<Pick<GatewayKey, "pausedBy">>;

export type AccountChange = ChangeOf<typeof ACCOUNT_FIELDS> & Partial<Pick<Account, "pausedBy">>;

/** A change, or how it follows from the row as it is. Pure: it may be called more than once. */
export type Revision<Row, Change> = Change | ((before: Row) => Change);

export function readRevision<Row, Change extends object>(
  revision: Revision<Row, Change>,
  before: Row,
): Change {
  return typeof revision === "function" ? revision(before) : revision;
}

/**
 * Makes a row, or changes the one of that name, in a transaction for which other PUTs of the name wait. The functions are
 * pure, may be called more than once, and throw a Fault to refuse.
 */
interface NamedPut<Row, Change> {
  readonly fresh: Row;
  /** Returns the row that the name means, of those that aren't revoked. Null to make one. */
  readonly choose: (found: readonly Row[]) => Row | null;
  readonly revise: (before: Row) => Change;
}

export type AccountPut = NamedPut<Account, AccountChange>;

export interface KeyPut extends NamedPut<GatewayKey, KeyChange> {
  /** The digest of the fresh key's secret. */
  readonly digest: string;
  /** If it makes a key, the person's others are counted first. Missing or null for no check, as for service keys. */
  readonly making?: KeyMaking | null;
  /** Other keys of the name don't count. */
  readonly scope?: Scope;
}

/** Accounts by name. */
export interface NamedStore {
  /** Up to a few accounts of that name, oldest first. */
  accountsNamed(name: string, scope?: Scope): Promise<readonly Account[]>;
}

/** A key's next secret. */
export interface NewSecret extends Pick<GatewayKey, "last4" | "oldSecretUntilMs"> {
  readonly digest: string;
  /** The person's makings are counted first. Missing or null for no check. */
  readonly making?: KeyMaking | null;
}
