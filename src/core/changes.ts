// The changes that operators cause: each is put on record in its own transaction.

import type { StoredFile } from "./batches/file.ts";
import type { Checkout, UnpaidCheckouts } from "./books/checkout.ts";
import type { OutboxEvent } from "./events/events.ts";
import type { Arrival } from "./keys/foreign-secret.ts";
import type { Account, GatewayKey } from "./keys/key.ts";
import type { AccountChange, AccountPut, KeyChange, KeyPut, NewSecret, Revision } from "./keys/key-change.ts";
import type { KeyMaking } from "./keys/key-making.ts";
import type { KeyMove } from "./keys/key-move.ts";
import type { LiveNode } from "./live-nodes.ts";
import type { RefusalLesson } from "./models/learned/refusal-lesson.ts";
import type { DirectoryChanges, DirectoryGroup, DirectoryUser } from "./people/directory.ts";
import type { LimitRequest } from "./people/limit-request.ts";
import type { Act, Member, NamedToken } from "./people/people.ts";
import type { OwnerState, StoredCredential } from "./rows.ts";
import type { PlainEntity, PlainThing } from "./things/plain.ts";

interface EntityChange<Kind extends string, Row> {
  readonly kind: Kind;
  /** Null if it was created. */
  readonly before: Row | null;
  /** Null if it was removed. */
  readonly after: Row | null;
}

/** The operator's own settings, by name. */
export type OperatorSetting =
  | "admin_token_digest"
  | "aliases"
  | "credentials_off"
  | "data_keys"
  | "guard_acts"
  | "model_rules";

/** The row that a transaction changes. */
export type RowChange =
  | EntityChange<"account", Account>
  | EntityChange<"checkout", Checkout>
  | EntityChange<"file", StoredFile>
  | EntityChange<"credential", StoredCredential>
  | EntityChange<"key", GatewayKey>
  | EntityChange<"directory_user", DirectoryUser>
  /** With the ids of users who came and went, and of people who are without a role now. */
  | (EntityChange<"directory_group", DirectoryGroup> & {
      readonly came: readonly string[];
      readonly went: readonly string[];
      readonly left: readonly string[];
    })
  /** People are without a role now, by a part of a group's change that is on record. */
  | { readonly kind: "people_left"; readonly left: readonly string[] }
  | EntityChange<"limit_request", LimitRequest>
  | EntityChange<"member", Member>
  /** The sessions of a person ended, so many, with the person's access. */
  | { readonly kind: "sessions"; readonly memberId: string; readonly ended: number; readonly reason: string }
  | EntityChange<"token", NamedToken>
  | (EntityChange<"thing", PlainEntity> & { readonly thing: PlainThing })
  | (EntityChange<"setting", string> & { readonly name: OperatorSetting })
  /** All lessons were forgotten, or those of one model. */
  | { readonly kind: "lessons"; readonly model: string | null }
  /** A lesson on a refusal came from another gateway. */
  | { readonly kind: "refusal_lesson"; readonly lesson: RefusalLesson };

/**
 * Returns what a change causes, which is written in the same transaction: its entries of the audit log, none if nothing
 * changed that would be on record, and events. A transaction that has to be repeated calls it again.
 */
export type Trail = (change: RowChange) => readonly OutboxEvent[];

/** The conditions under which changes are made, as an act states them. */
export type ChangeTerms = Pick<Act, "claim" | "stopsOlder">;

/** The things that change with a person, so that a node that is killed leaves all of it done or nothing. */
export interface MemberReach {
  /** The person's sessions and agents' sign-ins end at this time. Missing if they go on. */
  readonly accessEndMs?: number;
  /** The reason that is on record for the end of sessions. Missing if only the person's change is. */
  readonly reason?: string;
  /** Returns one of the person's keys as it is afterwards: paused, resumed or revoked. Called for those that aren't revoked. */
  readonly changeKey?: (key: GatewayKey) => GatewayKey;
}

/**
 * Each method is one transaction, as in `Store`. A change that programs from before wouldn't keep throws the Fault
 * `older_nodes` while nodes of theirs run, unless the act stops them.
 */
export interface Changes extends DirectoryChanges {
  /** Returns the live nodes whose programs wouldn't keep such rows, and which the store supports until they are written. */
  listStopped(changes: readonly RowChange[]): Promise<readonly LiveNode[]>;

  /** A key from another gateway brings its foreign secrets and what was used of its budgets. */
  addKey(key: GatewayKey, digest: string, arrival?: Arrival): Promise<void>;
  /** Adds a person's key, unless their other keys are too many. */
  makeKey(key: GatewayKey, digest: string, making: KeyMaking): Promise<void>;
  /** Returns the changed key, or null if there is none. */
  changeKey(id: string, change: Revision<GatewayKey, KeyChange>): Promise<GatewayKey | null>;
  /** Like `changeKey`, for a change of the account: the key's counts are carried to the new one. */
  moveKey(id: string, move: KeyMove): Promise<GatewayKey | null>;
  /** Makes the key or changes the one of that name. Returns it. */
  putKey(put: KeyPut): Promise<GatewayKey>;
  /** Replaces a key's secret. Returns the key, which is unchanged if it is revoked, or null if there is none. */
  rotateKey(id: string, secret: NewSecret): Promise<GatewayKey | null>;
  /** Returns the revoked key. Revoking it again keeps the first time. */
  revokeKey(id: string, atMs: number): Promise<GatewayKey | null>;

  /** An account from another gateway brings what was used of its budgets. */
  addAccount(account: Account, opening?: OwnerState | null): Promise<void>;
  /** Returns the changed account, or null if there is none. */
  changeAccount(id: string, change: Revision<Account, AccountChange>): Promise<Account | null>;
  /** Makes the account or changes the one of that name. */
  putAccount(put: AccountPut): Promise<Account>;

  /** Joins a lesson to what is known, as when requests met it. */
  addRefusalLesson(lesson: RefusalLesson): Promise<void>;

  addToken(token: NamedToken, digest: string): Promise<void>;
  /**
   * Writes what `change` makes of the stored token, with the digest of another secret, and returns it. Null if there is
   * none. `change` must be pure: it may run more than once.
   */
  takeToken(
    id: string,
    change: (before: NamedToken) => NamedToken,
    digest: string,
  ): Promise<NamedToken | null>;
  /** Returns the revoked token, or null if there is none. Revoking it again keeps the first time. */
  revokeToken(id: string, atMs: number): Promise<NamedToken | null>;
  /**
   * Writes the member that `change` makes of the stored one (null if there is none) and returns it. Null from `change`
   * writes nothing. The things in `reach` change with it. Both must be pure: they may run more than once.
   */
  changeMember(
    id: string,
    change: (before: Member | null) => Member | null,
    reach?: MemberReach,
  ): Promise<Member | null>;

  /**
   * Adds a request for more with its event. `check` gets the person's requests that are open or were made after `sinceMs`,
   * and throws if this one may not be added. It must be pure: it may run more than once.
   */
  addLimitRequest(
    step: LimitRequestStep,
    sinceMs: number,
    check: (others: readonly LimitRequest[]) => void,
  ): Promise<void>;
  /** Writes what `decide` makes of a request, with its event. Null if there is none. It must be pure. */
  decideLimitRequest(
    of: Pick<LimitRequest, "accountId" | "id">,
    decide: (before: LimitRequest) => LimitRequestStep,
  ): Promise<LimitRequest | null>;

  /**
   * Adds a checkout, or returns the one of the same id. `check` gets the numbers of checkouts since a time (Unix
   * milliseconds) that nobody has paid, and throws if this one may not be added.
   */
  addCheckout(
    checkout: Checkout,
    sinceMs: number,
    check: (unpaid: UnpaidCheckouts) => void,
  ): Promise<Checkout>;

  /**
   * Writes the plain thing that `change` makes of the stored one (null if there is none) and returns it. `lasting` is how many
   * of them its account has that haven't ended. Null from `change` writes nothing. `change` must be pure: it may run more than
   * once.
   */
  changeThing(
    thing: PlainThing,
    place: Pick<PlainEntity, "accountId" | "id">,
    change: (before: PlainEntity | null, lasting: number) => PlainEntity | null,
  ): Promise<PlainEntity | null>;

  /** Returns the removed file, or null if there is none. Its pieces stay. */
  removeFile(accountId: string, id: string): Promise<StoredFile | null>;

  /** Adds a credential or replaces the one with the same id. */
  putCredential(credential: StoredCredential): Promise<void>;
  removeCredential(id: string): Promise<void>;

  /** Changes a value and returns it. `change` must be pure: it may run more than once. */
  changeOperatorSetting(name: OperatorSetting, change: (value: string | null) => string): Promise<string>;

  /** Deletes all scores, or those of one model. */
  forgetLessons(model?: string): Promise<void>;
}

/** A request that was made or decided, with the event that tells of it. */
export interface LimitRequestStep {
  readonly request: LimitRequest;
  readonly event: OutboxEvent;
}
