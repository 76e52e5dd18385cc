// The port to the store: what every engine promises, for decisions and for what people look at.
import type { Answer, Demand, Reads, Rows } from "./demand.ts";
import type { Account, GatewayKey, KeyState } from "./key.ts";
import type { NanoUsd } from "./money.ts";
import type { Ended, RequestRecord } from "./record.ts";
import type {
  Entry,
  FirstTokenSum,
  Hold,
  KeptContent,
  Lesson,
  Session,
  StoredCredential,
  StoredResponse,
  SystemAccount,
  UsageSum,
} from "./rows.ts";

export function makeEntryId({ accountId, seq }: Pick<Entry, "accountId" | "seq">): string {
  return `${accountId}.${seq}`;
}

/** The number of an entry, from its `entryIdOf`. */
export function readEntrySeq(entryId: string): number {
  return Number(entryId.slice(entryId.lastIndexOf(".") + 1));
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
  readonly keepsResponses?: GatewayKey["keepsResponses"] | undefined;
}

/** Only rows that match every field given. */
export interface KeyFilter {
  readonly accountId?: string | undefined;
  readonly state?: KeyState | undefined;
  /** The moment that the state is of, Unix milliseconds. */
  readonly nowMs: number;
  /** A substring of the name, the id or the last four characters, in lower case. */
  readonly text?: string | undefined;
  /** The id of one that is not shown. */
  readonly except?: string | undefined;
}

/** The charges for a key's requests (from the hour that a moment falls into), and the beginning of the last one. */
export interface KeyUse {
  readonly keyId: string;
  readonly sinceDayNanoUsd: NanoUsd;
  readonly sinceMonthNanoUsd: NanoUsd;
  readonly everNanoUsd: NanoUsd;
  /** null: there was none. Where its row is forgotten already, the hour's start. */
  readonly lastAtMs: number | null;
}

/** Only rows that match every field given. */
export interface RequestFilter {
  readonly keyId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly operation?: string | undefined;
  readonly surface?: string | undefined;
  /** Asked for, tried or used. */
  readonly model?: string | undefined;
  /** The provider of the model that was used, or else tried. */
  readonly provider?: string | undefined;
  readonly selector?: string | undefined;
  /** `ok`: below 400; `error`: as `isError` says. */
  readonly status?: number | "ok" | "error" | undefined;
  readonly ended?: Ended | undefined;
  /** The time range in which it began: `fromMs` is included, `toMs` is not. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export const USAGE_DIMENSIONS = ["hour", "accountId", "keyId", "model", "operation", "surface"] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** Sums over the hours from `fromMs` until before `toMs`; a dimension that is not grouped by is empty (0 for the hour). */
export interface UsageQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly groupBy: readonly UsageDimension[];
  /** Only what matches every field given. */
  readonly only?: UsageFilter;
}

export interface UsageFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** An account as its row says, beside what its journal and its open holds come to. */
export interface AccountAudit {
  readonly id: string;
  readonly balanceNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  readonly entries: number;
  readonly journalEntries: number;
  readonly journalBalanceNanoUsd: NanoUsd;
  readonly journalHeldNanoUsd: NanoUsd;
  readonly openHoldsNanoUsd: NanoUsd;
  /** Entries whose balance afterwards is not the one before and what they add. */
  readonly brokenEntries: number;
}

/** Everything that was read at one moment. The sums may be beyond what a number holds exactly. */
export interface Audit {
  readonly accounts: readonly AccountAudit[];
  readonly balances: bigint;
  readonly held: bigint;
  readonly system: Readonly<Record<SystemAccount, bigint>>;
  /** Entries that belong to no account. */
  readonly strayEntries: number;
}

export interface PruneBefore {
  /** The limit for prompts and answers; left out: that of the requests. */
  readonly contentsMs?: number;
  readonly requestsMs: number;
  readonly metersMs: number;
  readonly repliesMs: number;
}

/** The store's facts about itself, by name; no value is a secret. */
export type SettingName =
  | "master_key_check"
  | "admin_token_digest"
  | "lessons_forgotten"
  | "lessons_fitted"
  | "wrong_admin_tokens"
  | "aliases";

/** The bound on what one key may teach of one model. */
export interface LessonBound {
  /** Its lessons of the same model and source since this moment (Unix milliseconds) are counted. */
  readonly sinceMs: number;
  /** Its lessons of this model are so many at most: the oldest give way. */
  readonly keptMax: number;
  /** The share of its weight that the next one keeps after so many; 0: it isn't kept. Pure. */
  readonly shareAfter: (lessons: number) => number;
}

/**
 * Each method is one transaction, and other processes may be changing the same store between any two. When the store
 * can't be used a method throws the Fault `store_unavailable`; the store mends itself, so a later call may succeed.
 * The account `default` always exists.
 */
export interface Store {
  /** The life of the process that answers for holds made here: a new one each time a store is opened. */
  readonly node: string;
  /**
   * Decides, writes, and answers only once the transaction is written. When the fault's details say `outcomeUnknown`
   * it may have been written nevertheless: the same demand may be repeated, and an admission must be settled.
   */
  transact(demand: Demand): Promise<Answer>;
  /**
   * Resolves when everything answered before this call would survive a power failure. Throws `store_unavailable` when
   * that can't be had: then nothing may be trusted until the store has been opened again, which it does by itself.
   */
  durable(): Promise<void>;
  /** The rows that a demand would be decided on, for looking only. */
  read(reads: Reads): Promise<Rows>;

  /** Tells the others that this node lives; to be repeated at least every 5 s, and once before the first admission. */
  beat(): Promise<void>;
  /** Holds of nodes that are dead for certain, or silent for 15 s by the store's own clock; at most so many. */
  orphans(most: number): Promise<readonly Hold[]>;

  keyByDigest(digest: string): Promise<GatewayKey | null>;
  key(id: string): Promise<GatewayKey | null>;
  keys(page: Page, filter?: KeyFilter): Promise<readonly GatewayKey[]>;
  /** Returns the uses of those keys that exist; the day is one of the month. */
  keyUses(
    keys: readonly Pick<GatewayKey, "id" | "accountId">[],
    dayMs: number,
    monthMs: number,
  ): Promise<readonly KeyUse[]>;
  addKey(key: GatewayKey, digest: string): Promise<void>;
  /** The changed key; null when there is none. */
  changeKey(id: string, change: KeyChange): Promise<GatewayKey | null>;
  /** The revoked key; one that was revoked before keeps its first moment. */
  revokeKey(id: string, atMs: number): Promise<GatewayKey | null>;

  account(id: string): Promise<Account | null>;
  accounts(page: Page): Promise<readonly Account[]>;
  addAccount(account: Account): Promise<void>;
  renameAccount(id: string, name: string): Promise<Account | null>;

  /** An account's movements from the newest; with a position, those after the entry of that `id` (`entryIdOf`). */
  journal(accountId: string, page: Page): Promise<readonly Entry[]>;
  /** The movements of all accounts that a system account has a side in, newest first. */
  systemJournal(account: SystemAccount, page: Page): Promise<readonly Entry[]>;
  systemBalance(account: SystemAccount): Promise<NanoUsd>;
  audit(): Promise<Audit>;

  /**
   * Keeps a lesson, beside what is there of its id as `joinLessons` says; gives the number of scores that are new: 0 too
   * when its bound leaves it no weight.
   */
  teach(lesson: Lesson, bound?: LessonBound): Promise<number>;
  /** The lessons from a moment on (Unix milliseconds), oldest first, at most so many. */
  lessons(fromMs: number, most: number): Promise<readonly Lesson[]>;
  /** Forgets all scores, or one model's. */
  forgetLessons(model?: string): Promise<void>;
  /** Deletes lessons from before a moment (Unix milliseconds), about so many at once; gives how many went. */
  pruneLessons(beforeMs: number, rowsMax: number): Promise<number>;
  /** Deletes these lessons; a few hundred at once delay no other call. */
  dropLessons(lessons: readonly Pick<Lesson, "accountId" | "id">[]): Promise<void>;

  request(id: string): Promise<RequestRecord | null>;
  requests(filter: RequestFilter, page: Page): Promise<readonly RequestRecord[]>;
  addContent(content: KeptContent): Promise<void>;
  /** A request's kept prompt and answer, encrypted. */
  content(accountId: string, id: string): Promise<string | null>;
  /** Those that ended since a moment by their node's clock (Unix milliseconds), the latest first, at most so many. */
  endedSince(sinceMs: number, most: number): Promise<readonly RequestRecord[]>;
  /**
   * Forgets request rows, meters and kept replies from before these moments (Unix milliseconds), at most `rowsMax`
   * rows at once, the oldest replies first, so that nobody waits long behind it. Returns the number of rows that were deleted. Usage sums and journals stay.
   */
  prune(before: PruneBefore, rowsMax: number): Promise<number>;
  /** The characters of all replies that are kept. */
  keptCharacters(): Promise<number>;
  /** The charges for the key's requests since a moment, from the hour that it falls into. */
  chargedSince(key: Pick<GatewayKey, "id" | "accountId">, sinceMs: number): Promise<NanoUsd>;
  usage(query: UsageQuery): Promise<readonly UsageSum[]>;
  /** The number of streamed answers that began within each bucket of time, grouped likewise. */
  firstTokens(query: UsageQuery): Promise<readonly FirstTokenSum[]>;

  /** Keeps a response, and deletes the oldest of its account beyond so many bytes. */
  addResponse(response: StoredResponse, bytesMax: number): Promise<void>;
  /** A key's response, or null if there is none of that id. */
  response(accountId: string, keyId: string, id: string): Promise<StoredResponse | null>;
  /** The key's latest response that has an item of that id, or null if there is none. */
  responseOfItem(accountId: string, keyId: string, itemId: string): Promise<StoredResponse | null>;
  /** False: there was none. */
  removeResponse(accountId: string, keyId: string, id: string): Promise<boolean>;
  /** Deletes all of a key's responses. */
  removeResponses(accountId: string, keyId: string): Promise<void>;
  /** Deletes responses from before that moment (Unix milliseconds), at most so many, and returns their number. */
  pruneResponses(beforeMs: number, rowsMax: number): Promise<number>;

  /** Stores a session, and deletes those that have expired. */
  addSession(session: Session, nowMs: number): Promise<void>;
  session(digest: string): Promise<Session | null>;
  endSession(digest: string): Promise<void>;

  /** All that were added at run time, oldest first. */
  credentials(): Promise<readonly StoredCredential[]>;
  /** Adds a credential, or replaces the one with the same id. */
  putCredential(credential: StoredCredential): Promise<void>;
  removeCredential(id: string): Promise<void>;

  setting(name: SettingName): Promise<string | null>;
  /** Keeps the value unless there is one; gives what is kept. Of two callers at once both get the same. */
  keepSetting(name: SettingName, value: string): Promise<string>;
  setSetting(name: SettingName, value: string): Promise<void>;
  /** Reads and writes a value in one transaction and gives the new one. `change` is pure: it may run more than once. */
  changeSetting(name: SettingName, change: (value: string | null) => string): Promise<string>;

  /**
   * Throws unless the store can be opened and locked for writing now; after a failure, unless it can be written. Else it writes nothing: who asks may be anybody.
   * Returns the parts of it that are missing, in words, where it serves the accounts of the others.
   */
  ready(): Promise<readonly string[]>;
  /** Ends with what was already demanded; afterwards every method fails. */
  close(): Promise<void>;
}
