// The port to the store: the rows that decisions are made on, the demands that make them, and what a store promises.
import type { Fault } from "./fault.ts";
import type { Account, GatewayKey } from "./key.ts";
import type { NanoUsd } from "./money.ts";
import type { RequestLimits, RequestRecord, Tokens } from "./record.ts";
import type { BillingRules, QuotaRules } from "./settings.ts";

/** How many places of one day's allowance an owner has taken. The owner is a key or an account, by its id. */
export interface Meter {
  readonly owner: string;
  /** `2026-11-20`: the date on which the day began in the operator's time zone. */
  readonly day: string;
  readonly used: number;
  /** When the last of them was taken, Unix milliseconds. */
  readonly lastAtMs: number;
}

export interface SlotTaken {
  readonly atMs: number;
  /** The id of the request that took it. */
  readonly by: string;
}

/** The last slot that the throttle gave an owner; null: none, or it was given back. */
export interface Slot {
  readonly owner: string;
  readonly taken: SlotTaken | null;
}

/** What an admitted request occupies, with all that giving it back needs. */
export type Place =
  | { readonly kind: "allowance"; readonly owner: string; readonly day: string }
  | {
      readonly kind: "throttle";
      readonly owner: string;
      readonly taken: SlotTaken;
      readonly previous: SlotTaken | null;
    }
  | { readonly kind: "unlimited" };

/** The rows that a demand is decided on: the store reads them inside the transaction, without knowing what for. */
export interface Reads {
  readonly keyId: string | null;
  /** Whose slots, and with `days` whose meters. */
  readonly owners: readonly string[];
  readonly days: readonly string[];
  /** The request whose row would make the demand a repetition. */
  readonly requestId: string | null;
}

/** A request asks to be let in. */
export interface Admission {
  readonly kind: "admit";
  readonly id: string;
  readonly keyId: string;
  /** The one moment that the whole decision is about, Unix milliseconds. */
  readonly nowMs: number;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  readonly reads: Reads;
}

/** A request has ended. Repeating it changes nothing: the record's id makes it one. */
export interface Settlement {
  readonly kind: "settle";
  readonly record: RequestRecord;
  /** The place that the request did not use after all; null: none. */
  readonly giveBack: Place | null;
  readonly reads: Reads;
}

/** Plain data, so that it can be sent to the process that owns the store. */
export type Demand = Admission | Settlement;

export type Answer =
  | { readonly kind: "granted"; readonly place: Place; readonly limits: RequestLimits | null }
  | { readonly kind: "settled" }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Rows as read inside the transaction; what was looked for and not found is null or missing. */
export interface Rows {
  readonly keys: ReadonlyMap<string, GatewayKey | null>;
  /** By `meterIdOf`. */
  readonly meters: ReadonlyMap<string, Meter | null>;
  readonly slots: ReadonlyMap<string, Slot | null>;
  /** Ids of requests that are already written. */
  readonly requests: ReadonlySet<string>;
}

/** What one hour's requests of a key to a model add up to. */
export interface UsageSum {
  /** Start of the hour, Unix milliseconds. */
  readonly hourMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly requests: number;
  readonly tokens: Tokens;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/** What a batch of demands comes to: an answer for each, in order, and the rows to write before any is let go. */
export interface Decision {
  readonly answers: readonly Answer[];
  readonly meters: readonly Meter[];
  readonly slots: readonly Slot[];
  readonly requests: readonly RequestRecord[];
  /** To be added to what the hour's row holds. */
  readonly usage: readonly UsageSum[];
}

/** Pure, and run again when a transaction has to be. */
export type Decide = (rows: Rows, demands: readonly Demand[]) => Decision;

export function meterIdOf(owner: string, day: string): string {
  return `${owner} ${day}`;
}

/** A place in a list that runs from the newest row to the oldest. */
export interface Position {
  readonly atMs: number;
  readonly id: string;
}

/** At most `limit` rows, those after the position. */
export interface Page {
  readonly limit: number;
  readonly after: Position | null;
}

/** Fields that are undefined are left as they are. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly expiresAtMs?: GatewayKey["expiresAtMs"] | undefined;
  readonly allowedModels?: GatewayKey["allowedModels"] | undefined;
  readonly requestsPerDay?: GatewayKey["requestsPerDay"] | undefined;
  readonly spendLimitNanoUsd?: GatewayKey["spendLimitNanoUsd"] | undefined;
}

/** Only rows that match every field given. */
export interface RequestFilter {
  readonly keyId?: string | undefined;
  readonly accountId?: string | undefined;
  /** Asked for or used. */
  readonly model?: string | undefined;
  readonly status?: number | undefined;
}

/** What the store keeps about itself, by name; each value is a digest, never a secret. */
export type SettingName = "master_key_check" | "admin_token_digest";

/**
 * Each method is one transaction, and other processes may be changing the same store between any two. When the store
 * can't be used a method throws the Fault `store_unavailable`; the store mends itself, so a later call may succeed.
 * The account `default` always exists.
 */
export interface Store {
  /** Decides, writes, and answers only once the transaction is written. */
  transact(demand: Demand): Promise<Answer>;
  /** The rows that a demand would be decided on, for looking only. */
  read(reads: Reads): Promise<Rows>;

  keyByDigest(digest: string): Promise<GatewayKey | null>;
  key(id: string): Promise<GatewayKey | null>;
  keys(page: Page): Promise<readonly GatewayKey[]>;
  addKey(key: GatewayKey, digest: string): Promise<void>;
  /** The changed key; null when there is none. */
  changeKey(id: string, change: KeyChange): Promise<GatewayKey | null>;
  /** The revoked key; one that was revoked before keeps its first moment. */
  revokeKey(id: string, atMs: number): Promise<GatewayKey | null>;

  account(id: string): Promise<Account | null>;
  accounts(page: Page): Promise<readonly Account[]>;
  addAccount(account: Account): Promise<void>;
  renameAccount(id: string, name: string): Promise<Account | null>;

  request(id: string): Promise<RequestRecord | null>;
  requests(filter: RequestFilter, page: Page): Promise<readonly RequestRecord[]>;
  /**
   * Forgets request rows and meters from before these moments (Unix milliseconds), at most `rowsMax` rows at once, so
   * that nobody waits long behind it; gives the number of rows that went. Usage sums stay.
   */
  prune(before: { readonly requestsMs: number; readonly metersMs: number }, rowsMax: number): Promise<number>;
  /** What the key's requests were charged since a moment, from the hour that it falls into. */
  chargedSince(keyId: string, sinceMs: number): Promise<NanoUsd>;

  setting(name: SettingName): Promise<string | null>;
  /** Keeps the value unless there is one; gives what is kept. Of two callers at once both get the same. */
  keepSetting(name: SettingName, value: string): Promise<string>;
  setSetting(name: SettingName, value: string): Promise<void>;

  /** Throws unless the store can be opened and locked for writing now. It writes nothing: who asks may be anybody. */
  ready(): Promise<void>;
  /** Ends with what was already demanded; afterwards every method fails. */
  close(): Promise<void>;
}
