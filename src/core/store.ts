// The store port: the guarantees of every engine, for decisions and for views.

import type { AuditLogStore } from "./audit/audit-log.ts";
import type { Batch, BatchFilter, BatchStore } from "./batches/batch.ts";
import type { FileStore } from "./batches/file.ts";
import type { Audit } from "./books/audit.ts";
import type { CheckoutStore } from "./books/checkout.ts";
import type { JournalStore } from "./books/journal.ts";
import type { Changes, ChangeTerms, OperatorSetting, Trail } from "./changes.ts";
import type { Rows } from "./decision.ts";
import type { Answer, Demand, Reads } from "./demand.ts";
import type { EventStore, WebhookStore } from "./events/webhook.ts";
import type { FOREIGN_SECRETS, ForeignStore } from "./keys/foreign-secret.ts";
import type { Account, GatewayKey, KeyState, ProvenKey } from "./keys/key.ts";
import type { NamedStore } from "./keys/key-change.ts";
import type { MovingStore } from "./keys/key-move.ts";
import type { Opening } from "./limits/opening.ts";
import type { KeptContent } from "./log/content.ts";
import type { DecisionQuery, DecisionSum } from "./log/decision-sums.ts";
import type { ResponseStore } from "./log/kept.ts";
import type {
  BusiestKeys,
  RequestFilter,
  RowSum,
  RowSumsQuery,
  SearchPage,
  UsageQuery,
} from "./log/log-query.ts";
import type { ProviderCallStore } from "./log/provider-call.ts";
import type { ListedRequest, RequestRecord } from "./log/record.ts";
import type { RefusalStore } from "./log/refusal-log.ts";
import type { FirstTokenSum, UsageSum } from "./log/usage-sum.ts";
import type { CacheStore } from "./models/cached-answer.ts";
import type { Lesson } from "./models/learned/lesson.ts";
import type { RefusalLessonStore } from "./models/learned/refusal-lesson.ts";
import type { NanoUsd } from "./money/money.ts";
import type { DeviceStore } from "./people/device.ts";
import type { DirectoryStore } from "./people/directory.ts";
import type { LimitRequestStore } from "./people/limit-request.ts";
import type { Member, PeopleStore, Scope } from "./people/people.ts";
import type { RepeatStore } from "./people/repeats.ts";
import type { Hold, OwnerState, StoredCredential } from "./rows.ts";
import type { PlainStore } from "./things/plain.ts";
import type { SortOf } from "./things/sorts.ts";
import type { ToolSessionStore } from "./tools/session-rows.ts";
import type { Page, SortedPage, SortedRow } from "./world/page.ts";

/** Rows must match every field given. */
export interface KeyFilter {
  readonly accountId?: string | undefined;
  readonly state?: KeyState | undefined;
  /** The person whose keys they are. */
  readonly memberId?: string | undefined;
  /** In lower case. */
  readonly contact?: string | undefined;
  /** Those that end after `fromMs`, and at `toMs` at the latest. */
  readonly expiring?: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** In whatever other state. */
  readonly isRevoked?: boolean | undefined;
  /** The time for which to compute the state, in Unix milliseconds. */
  readonly nowMs: number;
  /** Matches part of the name, the id or the last four characters. In lower case. */
  readonly text?: string | undefined;
  /** A part of the list of models as it is stored. In lower case. */
  readonly modelsText?: string | undefined;
  /** Parts of the list of models, of which it has at least one. In lower case. */
  readonly modelsTexts?: readonly string[] | undefined;
  /** The beginning of the ids that are left out. */
  readonly except?: string | undefined;
  /** Missing for all rows, as in every look-up. */
  readonly scope?: Scope | undefined;
}

export interface AccountFilter {
  /** Matches part of the name or of the id in another system. In lower case. */
  readonly text?: string | undefined;
  readonly scope?: Scope | undefined;
}

/** The lists that a store sorts. */
export interface SortedLists {
  readonly keys: { readonly row: GatewayKey; readonly filter: KeyFilter };
  readonly accounts: { readonly row: Account; readonly filter: AccountFilter };
  readonly members: { readonly row: Member; readonly filter: { readonly scope?: Scope | undefined } };
  readonly batches: { readonly row: Batch; readonly filter: BatchFilter };
}
export type SortedList = keyof SortedLists;

/** The costs by which keys, accounts and people are sorted. */
export interface SortCosts {
  /** In Unix milliseconds. */
  readonly sinceMs: number;
  /** Those that count. Missing for all. */
  readonly scope?: Scope | undefined;
}

interface SortedStore {
  /**
   * Returns a page of filtered rows. States stand in the order of their lists, as in `KEY_STATES`; a key that wasn't used was
   * used the longest ago. All costs count if none are named.
   */
  sorted<List extends SortedList>(
    list: List,
    page: SortedPage<SortOf<List>>,
    asked: { readonly filter: SortedLists[List]["filter"]; readonly costs?: SortCosts },
  ): Promise<readonly SortedRow<SortedLists[List]["row"]>[]>;
}

/** A key's charges, counted from the start of an hour, and its last request. */
export interface KeyUse {
  readonly keyId: string;
  readonly sinceDayNanoUsd: NanoUsd;
  readonly sinceMonthNanoUsd: NanoUsd;
  readonly everNanoUsd: NanoUsd;
  /** Null if there was none. If its row has been deleted, the start of the hour. */
  readonly lastAtMs: number | null;
}

interface SpendSums {
  /** At the models' prices, without markup. */
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

export interface PruneBefore {
  /** The limit for prompts and answers, and for clients' addresses and sessions. Defaults to that of requests. */
  readonly contentsMs?: number;
  readonly requestsMs: number;
  readonly metersMs: number;
  readonly repliesMs: number;
  /** For the records of PUTs that an older version writes, which hold secrets. Defaults to that of replies. */
  readonly putsMs?: number;
  /** The calls of requests since then are kept when their rows are deleted. None if missing. */
  readonly callsMs?: number;
}

/** The setting with the rows that each state file made, as it was applied last. */
export const APPLIED_STATES = "applied_states";
/** The setting with what imports took from other gateways last, so that a repeat takes only what was added since. */
export const IMPORTED_OWNERS = "imported_owners";

/** The setting with the nodes that may note requests. */
export const NOTING_NODES = "noting_nodes";

/** Facts about the store, by name. Contain no secrets. */
type GatewaySetting =
  | typeof APPLIED_STATES
  | typeof IMPORTED_OWNERS
  | typeof NOTING_NODES
  | "master_key_check"
  | "lessons_forgotten"
  | "lessons_fitted"
  | "webhooks_audited"
  | "keys_expiring_until"
  | "digests_told"
  | "tokens_expiring_until"
  | "wrong_admin_tokens"
  | "directory_seen"
  | "directory_rules"
  | "price_history"
  | "guard_versions"
  | "tool_servers"
  | `tool_list ${string}`
  | typeof FOREIGN_SECRETS;
type SettingName = GatewaySetting | OperatorSetting;

/** Limits what one account can teach about one model, with all its keys. */
export interface LessonBound {
  /** Counts the account's lessons on the same model and source since this time, in Unix milliseconds. */
  readonly sinceMs: number;
  /** The most lessons per account and model. Beyond it, the oldest are deleted. */
  readonly keptMax: number;
  /** The factor on the weight of the next lesson after this many. 0 drops it. Pure. */
  readonly shareAfter: (lessons: number) => number;
}

/** A node's requests that may have holds. */
export interface RunningRequests {
  readonly ids: readonly string[];
  /** Other holds of the node that were made before this time, in Unix milliseconds, belong to nothing that runs. */
  readonly beforeMs: number;
}

/** A hold whose node is dead, or what stands for the hold of a noted request. */
export interface Orphan extends Hold {
  /** True if its row is written, so that only its note is left. */
  readonly hasEnded?: true;
}

/** The answer to a node that signals that it is alive. */
export interface Beat {
  /** Live nodes that are too old for the store, by id. They refuse requests and should be replaced. */
  readonly olderNodes: readonly string[];
  /** The reason why this node is itself too old for the store, which then refuses its requests. Null if it isn't. */
  readonly unsupported: string | null;
}

export interface StoreSize {
  /** The bytes of the database, and of SQLite's log beside it. */
  readonly parts: Readonly<Record<string, number>>;
  /** The free bytes of the disk with the database's file. Null if it is a server's. */
  readonly freeBytes: number | null;
  /** When the last backup was made and checked, in Unix milliseconds. Null if there was none, or the database is a server's. */
  readonly backedUpAtMs: number | null;
}

/**
 * Each method is one transaction, and other processes may change the same store in between. If the store can't be used,
 * a method throws the Fault `store_unavailable`. The store repairs itself, so later calls may succeed. The account
 * `default` always exists. The changes that an operator causes are only made on record, through `changes`.
 */
export interface Store extends NamedStore, MovingStore, EventStore {
  /** Identifies this process, in this run, as the owner of the holds made here. */
  readonly node: string;
  /**
   * Decides, writes, and returns once the transaction is written. If the fault's details say `outcomeUnknown`, it may
   * have been written: repeat the demand, and settle an admission.
   */
  transact(demand: Demand): Promise<Answer>;
  /**
   * Resolves when everything written before this call would survive a power failure. Throws `store_unavailable`
   * otherwise: then nothing can be trusted until the store has reopened itself. Calls may share a promise, and one that is
   * left unread needs no handler.
   */
  durable(): Promise<void>;
  /** Decides a demand on the rows as they are, and writes nothing. */
  look(demand: Demand): Promise<Answer>;
  /** Reads the rows that a demand would be decided on, for display only. */
  read(reads: Reads): Promise<Rows>;
  /**
   * Reads the rows that the limits of these accounts are counted in, with the sums of their new budgets, for display only.
   * The statements are few, and no more for many accounts.
   */
  readAccounts(accountIds: readonly string[], openings?: readonly Opening[]): Promise<Rows>;

  /**
   * Milliseconds by which the store's clock, which times decisions, was ahead of this node's at its last beat. Null if
   * this node's own clock times them.
   */
  clockAheadMs(): number | null;
  /** Signals that this node is alive. Call it at least every 5 s, and once before the first admission. */
  beat(): Promise<Beat>;
  /**
   * Returns holds of nodes known to be dead, or silent for 15 s by the store's clock, up to this many; with `running`, also
   * the stranded ones of this node: a server that takes over without the last transactions brings settled holds back. Noted
   * requests are among them if their nodes are named in `noting`, perhaps a few more than `most`.
   */
  orphans(
    most: number,
    running?: RunningRequests | null,
    noting?: readonly string[],
  ): Promise<readonly Orphan[]>;
  /** Returns those of the nodes that are known to be dead, or silent for 15 s by the store's clock. */
  listDead(nodes: readonly string[]): Promise<readonly string[]>;

  /** Finds a key by the digest of its secret, or of the one before, whether that still works or not. */
  keyByDigest(digest: string): Promise<ProvenKey | null>;
  key(id: string, scope?: Scope): Promise<GatewayKey | null>;
  keys(page: Page, filter?: KeyFilter): Promise<readonly GatewayKey[]>;
  /** Returns the use of those keys that exist. The day is a day of the month. */
  keyUses(
    keys: readonly Pick<GatewayKey, "id" | "accountId">[],
    dayMs: number,
    monthMs: number,
  ): Promise<readonly KeyUse[]>;

  account(id: string, scope?: Scope): Promise<Account | null>;
  accounts(page: Page, filter?: AccountFilter): Promise<readonly Account[]>;

  audit(): Promise<Audit>;
  /** Checks the store's file. Returns what is damaged in the engine's words, or null. Always null without a file. */
  findDamage(): Promise<string | null>;
  /** Returns the store's size. It may take as long as a list of the store's files. */
  measure(): Promise<StoreSize>;

  /** Stores a lesson, merged by `joinLessons`. Returns the number of new scores, 0 if its bound leaves no weight. */
  teach(lesson: Lesson, bound?: LessonBound): Promise<number>;
  /** The lessons since a time (Unix milliseconds), oldest first, up to this many. */
  lessons(fromMs: number, most: number): Promise<readonly Lesson[]>;
  /** Deletes about this many lessons older than a time (Unix milliseconds). Returns how many. */
  pruneLessons(beforeMs: number, rowsMax: number): Promise<number>;
  /** Deletes these lessons. Pass a few hundred at most, so that other calls aren't delayed. */
  dropLessons(lessons: readonly Pick<Lesson, "accountId" | "id">[]): Promise<void>;

  request(id: string, scope?: Scope): Promise<RequestRecord | null>;
  requests(filter: RequestFilter, page: Page): Promise<readonly RequestRecord[]>;
  /** The same without traces, but stops after about `withinMs`, and says how far it got. */
  searchRequests(filter: RequestFilter, page: Page, withinMs: number): Promise<SearchPage<ListedRequest>>;
  addContent(content: KeptContent): Promise<void>;
  /** A request's stored prompt and answer, encrypted. */
  content(accountId: string, id: string): Promise<string | null>;
  /** Requests that ended since a time by their node's clock (Unix milliseconds), latest first, up to this many. */
  endedSince(sinceMs: number, most: number, scope?: Scope): Promise<readonly RequestRecord[]>;
  /**
   * Deletes request rows, events, meters, records of PUTs and stored replies older than these times (Unix milliseconds), at most `rowsMax` at
   * once, the oldest replies first, so that no call waits long. Returns the number deleted. Usage totals and journals
   * stay.
   */
  prune(before: PruneBefore, rowsMax: number): Promise<number>;
  /** The total characters of stored replies. */
  keptCharacters(): Promise<number>;
  /**
   * Returns the cost of the key's requests from the start of the hour that contains this time, and what was charged, in all
   * accounts that it has had.
   */
  spentSince(key: Pick<GatewayKey, "id">, sinceMs: number): Promise<SpendSums>;
  usage(query: UsageQuery): Promise<readonly UsageSum[]>;
  /** Returns the keys with the most requests, by account, the busiest first, up to this many. */
  busiestKeys(query: Omit<UsageQuery, "groupBy">, most: number): Promise<BusiestKeys>;
  /**
   * The number of streamed answers that began within each bucket of time, grouped in the same way, but for providers and
   * outcomes, which are not kept here: a provider is found by its models.
   */
  firstTokens(query: UsageQuery): Promise<readonly FirstTokenSum[]>;
  /** Sums up the decisions of selectors with a dial over complete answers, by day, selector and the model that was best. */
  decisionSums(query: DecisionQuery): Promise<readonly DecisionSum[]>;
  /** Both of the log's rows, which are narrowed and grouped by more, but go after a time. */
  rowSums(query: RowSumsQuery): Promise<readonly RowSum[]>;

  /** Returns owners with a budget near its end at a time (Unix milliseconds), the nearest first, up to this many. */
  nearing(
    nowMs: number,
    most: number,
    scope?: Scope,
  ): Promise<readonly Pick<OwnerState, "accountId" | "owner">[]>;

  /**
   * Deletes about this many prompts, answers and other rows kept of an account, but for books and log, once its batches have ended.
   * Returns how many.
   */
  purgeAccount(accountId: string, rowsMax: number): Promise<number>;

  readonly journals: JournalStore;
  readonly responses: ResponseStore;
  readonly refusals: RefusalStore;
  readonly refusalLessons: RefusalLessonStore;
  readonly people: PeopleStore;
  readonly things: PlainStore & SortedStore;
  readonly devices: DeviceStore;
  readonly directory: DirectoryStore;
  readonly limitRequests: LimitRequestStore;
  readonly checkouts: CheckoutStore;
  readonly batches: BatchStore;
  readonly cache: CacheStore;
  readonly files: FileStore;
  readonly foreign: ForeignStore;
  readonly auditLog: AuditLogStore;
  readonly repeats: RepeatStore;
  readonly toolSessions: ToolSessionStore;
  readonly webhooks: WebhookStore;
  readonly providerCalls: ProviderCallStore;
  /** The changes that an operator causes, each put on record in its own transaction. */
  changes(trail: Trail, terms?: ChangeTerms): Changes;

  /** All that were added at run time, oldest first. */
  credentials(): Promise<readonly StoredCredential[]>;

  setting(name: SettingName): Promise<string | null>;
  /** Stores the value unless there is one. Returns the stored value, the same to concurrent callers. */
  keepSetting(name: SettingName, value: string): Promise<string>;
  setSetting(name: GatewaySetting, value: string): Promise<void>;
  /** Changes a value in one transaction and returns it. `change` must be pure: it may run more than once. */
  changeSetting(name: GatewaySetting, change: (value: string | null) => string): Promise<string>;

  /**
   * Throws unless the store can be opened and locked for writing, or, after a failure, written. Otherwise it writes
   * nothing, since anyone may call this. Returns the parts that are missing, in words, if the store still serves other
   * accounts.
   */
  ready(): Promise<readonly string[]>;
  /** Finishes what was already requested. Afterwards every method fails. */
  close(): Promise<void>;
}
