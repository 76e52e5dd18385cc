// The operator's settings by section, as the rooms receive them.

import type { StripeRules } from "./books/checkout.ts";
import type { Endpoint } from "./events/webhook.ts";
import type { TagHeader } from "./fields/tags-text.ts";
import { type KeyMaxima, NO_LIMITS, type OwnerLimits } from "./limits/limit.ts";
import type { MinuteLimit } from "./limits/limit-table.ts";
import { type MemberDefaults, NO_MEMBER_LIMITS } from "./limits/member-limits.ts";
import type { ConstraintRule } from "./log/constraint.ts";
import type { MetricsRules, TelemetryRules } from "./log/telemetry-rules.ts";
import type { Alias } from "./models/alias.ts";
import type { Benchmark } from "./models/benchmark.ts";
import type { CacheRules } from "./models/caching.ts";
import type { LaterPrice, ModelCard, Price } from "./models/card.ts";
import type { Target } from "./models/dialect.ts";
import type { DialectName } from "./models/dialect-names.ts";
import type { FeedFormat } from "./models/feed-format.ts";
import type { TextRules } from "./models/guard.ts";
import type { NativeRules } from "./models/native-rules.ts";
import type { RefusalRules } from "./models/refusals.ts";
import type { TaskKind } from "./models/skill.ts";
import type { AwsKeySource, AwsProof, TokenSource } from "./models/token-source.ts";
import type { MarkRules } from "./models/words/cache-marks.ts";
import type { CostReport } from "./money/cost-report.ts";
import type { FamilyPrice } from "./money/factors.ts";
import type { NanoUsd } from "./money/money.ts";
import type { Hiding, LastList, Overtaken } from "./money/taken-mark.ts";
import type { RegionPrice } from "./money/terms.ts";
import type { SignInRules } from "./people/sign-in.ts";
import type { SettingsSources } from "./settings-origin.ts";
import { TOOL_RIGHTS, type ToolRights } from "./tools/rights.ts";
import type { ToolRules } from "./tools/rules.ts";
import type { NetworkRules } from "./world/network.ts";
import type { Level } from "./world/world.ts";

/** A cloud with per-customer addresses and models of many vendors. */
export const PLATFORMS = ["azure", "bedrock", "vertex"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** A free list of models that a provider shows to whom it accepts, which tells whether a credential is refused to everybody. */
export interface KeyList {
  /** Below the provider's address. */
  readonly path: string;
  readonly keyHeader: "authorization" | "x-api-key" | "x-goog-api-key";
  readonly headers?: Readonly<Record<string, string>>;
}

/** A provider that only needs its key: a row of `providers` as the configuration sees it. */
export interface KnownProvider {
  /** The prefix of its model ids, in canonical case. */
  readonly name: string;
  /** Environment variables that may hold its key. The first one set wins. Empty if it needs none. */
  readonly keyVariables: readonly string[];
  /** Empty if the configuration must give it. */
  readonly baseUrl: string;
  /** Missing if the configuration has no fields for it. */
  readonly platform?: PlatformName;
  /** True for the operator's own servers, which are asked for their models. */
  readonly discovers?: boolean;
  /** Missing if it has no such list, or shows it to everybody. */
  readonly keyList?: KeyList;
  /** As in `Target`, unless the operator sets another. */
  readonly outputTokensDefault?: number;
  /** Its names that come in families, of which a new one costs about as much as its relatives. Missing if none do. */
  readonly familyNames?: RegExp;
  /** In order of preference. */
  readonly dialects?: readonly { readonly name: DialectName }[];
  /** The regions where some of its models cost more. */
  readonly regions?: readonly (RegionPrice & { readonly addresses: RegExp })[];
  /** The models that cost more if an answer says that it came from a certain region, by its word for the region. */
  readonly geo?: ReadonlyMap<string, RegionPrice>;
  /** The place where its answers say what it bills. Missing if they don't. */
  readonly reportsCost?: CostReport;
  readonly takesMarks?: true;
  /** True if a setting of its own decides the service of requests that don't ask for the default one. */
  readonly hasTierWord?: true;
}

/** Authenticates to providers that take no plain secret. Plain data, which `transport/auth` turns into headers. */
export type Proof = AwsProof | AwsKeySource | TokenSource;

/** Its limits at the provider are missing if unknown. */
export interface Credential extends Readonly<Partial<Record<MinuteLimit["property"], number>>> {
  /** The id of a credential added at run time. Credentials from the configuration have none. */
  readonly id?: string;
  /** Its place among all of its provider's, from 1. Missing if none before it is switched off. */
  readonly position?: number;
  /** Its name in the configuration, by which conversations know it wherever it stands. Missing if its place is its name. */
  readonly name?: string;
  /** Null if the server needs none. */
  readonly secret: string | null;
  /** Missing if the secret alone is enough. */
  readonly proof?: Proof;
  readonly weight: number;
  /** The cost of its calls as a part of the model's price. 1 if missing. */
  readonly priceFactor?: number;
}

/** Returns the text by which a provider's credentials differ: the secret, because at most one of them has none. */
export function identifyCredential({ secret }: Pick<Credential, "secret">): string {
  return secret ?? "";
}

/** Returns the credential's place among its provider's, from 1. */
export function findPosition({ credentials }: Pick<ProviderSetup, "credentials">, one: Credential): number {
  return one.position ?? credentials.indexOf(one) + 1;
}

export interface Timeouts {
  readonly connectMs: number;
  /** Null for the default: 60 s, or 5 min for reasoning models. Only for streamed calls, as is `idleMs`. */
  readonly firstByteMs: number | null;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** An enabled provider. */
export interface ProviderSetup extends Omit<Target, "secret" | "marks">, MarkRules {
  readonly name: string;
  /** Null for the known provider's default. */
  readonly dialect: DialectName | null;
  /** The cloud whose dialects it speaks, regardless of its name. Missing for none. */
  readonly platform?: PlatformName;
  /**
   * Words other than its host and headers that must not appear in messages to clients, such as the billed project and
   * all values that the configuration takes from the environment or from files.
   */
  readonly redactedWords?: readonly string[];
  /** The dialects that its credentials work with. Missing if they work with all. */
  readonly dialects?: readonly DialectName[];
  /** True to list only the models that the operator configured. */
  readonly listsConfiguredOnly?: boolean;
  /** The prefixes of models, such as those of other regions, that are only listed if the operator configured them. */
  readonly unlistedPrefixes?: readonly string[];
  readonly credentials: readonly Credential[];
  /** Missing if its servers are connected to as the process's variables say. */
  readonly network?: NetworkRules;
  readonly timeouts: Timeouts;
  /** True to pass on model names that are not in the catalogue, without a price. */
  readonly unlistedModels: boolean;
  /** The address that the console shows. Missing if it is `baseUrl`. */
  readonly shownUrl?: string;
  /** An unlisted name is passed on only if it is a listed one with this and more behind it. Missing if any is passed on. */
  readonly unlistedAfter?: string;
  /** The prices of names that no card has. Missing if those have none. */
  readonly familyPrice?: FamilyPrice;
  /** True if its models are those it lists itself, not those of the catalogue. */
  readonly discovers?: boolean;
  /** True if its list of models is asked about credentials. Missing if that depends on its address. */
  readonly checksKeys?: boolean;
  /** The cost of its models as a part of their prices. 1 if missing. */
  readonly priceFactor?: number;
  /** True if the list of models shows prices without `priceFactor` and those of credentials. */
  readonly hidesPriceFactor?: true;
  /** The models that cost more in the region of its address. */
  readonly region?: RegionPrice;
  /** Those that cost more if an answer says so, by its word for the region. */
  readonly geo?: ReadonlyMap<string, RegionPrice>;
  /** The place where its answers report the cost that it bills. Missing if they don't, or that isn't believed. */
  readonly reportsCost?: CostReport;
  /** The hold of a request to a model without a price, in USD. Missing if such requests can't be paid for. */
  readonly unlistedHoldUsd?: number;
  /**
   * True if the provider decides the service of requests that ask for none, by a setting or because its dialect has no word
   * for the usual one. The prices of all services are held for.
   */
  readonly leavesTier?: true;
}

export interface QuotaRules {
  /** Free requests per day. Null for unlimited. */
  readonly requestsPerDay: number | null;
  /** After those, one request per this many milliseconds. 0 for none. */
  readonly throttleMs: number;
  readonly scope: "key" | "account";
  /** The start of the day in minutes after midnight in `timeZone` (an IANA name). */
  readonly dayStartsMinutes: number;
  readonly timeZone: string;
  /** The day on which a budget's week begins. Monday if missing. */
  readonly weekStarts?: Weekday;
  readonly free: FreeRules;
}

export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Rules for the limits and budgets of keys, members and accounts. */
export interface LimitRules {
  /** The limits of keys that say nothing themselves. */
  readonly keyDefaults: OwnerLimits;
  /** After this time, keys made without `expires_at` expire. Null for never. */
  readonly keysExpireInMs: number | null;
  /** The most that roles below admin may give a key. */
  readonly keyMaxima: KeyMaxima;
  /** The limits of each member, over all personal keys, in each account that says nothing else. */
  readonly memberDefaults: MemberDefaults;
  /** The tools of keys and accounts that say nothing themselves, and the most of a key. */
  readonly toolRights: ToolRights;
  /** Whom to ask for more, in refusals. Null to name nobody. */
  readonly contact: string | null;
}

export const LIMIT_RULES: LimitRules = {
  keyDefaults: NO_LIMITS,
  keysExpireInMs: null,
  keyMaxima: { ...NO_LIMITS, expireInMs: null },
  memberDefaults: NO_MEMBER_LIMITS,
  toolRights: TOOL_RIGHTS,
  contact: null,
};

/** Limits on requests admitted by the allowance or the throttle. */
export interface FreeRules {
  /** Patterns of model ids (`*` matches anything) that may be used for free. */
  readonly models: readonly string[];
  /** The most that an owner's free requests may cost per day, by the cards. Null for no limit. */
  readonly budgetNanoUsd: NanoUsd | null;
}

export interface BillingRules {
  readonly charge: "beyond_allowance" | "always";
  readonly markup: number;
}

/** Summaries in the place of conversations. */
interface CompactionRules {
  /** True if no provider makes them. */
  readonly isOwn: boolean;
  /** The model that is asked for them. Null for the one that the request names. */
  readonly model: string | null;
}

export interface Limits extends NativeRules {
  readonly choicesMax: number;
  readonly messagesMax: number;
  /** True if clients may have a provider of the Responses API store their answers. */
  readonly storesUpstream?: boolean;
  /** Keeps constraints that nothing meets, and misspelt fields, from being refused. Missing if they are. */
  readonly constraints?: Exclude<ConstraintRule, "refuse">;
  /** Missing if OpenAI's models compact their conversations themselves. */
  readonly compaction?: CompactionRules;
}

/** Restricts the models that selectors consider for a kind of task. */
export interface CategoryRule {
  readonly category: TaskKind;
  /** Applies if at least this share of the request is of that kind. */
  readonly shareMin: number;
  /** By id. Null for all. */
  readonly models: readonly string[] | null;
  readonly deny: readonly string[];
}

export interface RouterRules {
  /** The share of the best quality that `Router#fair` keeps, 0…1. */
  readonly fairQuality: number;
  /** Patterns of the models that selectors may choose. Missing for all. */
  readonly allow?: readonly string[];
  /** Patterns of those that none may choose. */
  readonly deny: readonly string[];
  /** The card that every selector must choose for a kind of task, by id. */
  readonly pin: Readonly<Partial<Record<TaskKind, string>>>;
  readonly rules: readonly CategoryRule[];
  /** The share of requests that try a model other than the chosen one. 0 for none. */
  readonly explore: number;
  /** True if selectors may choose previews. */
  readonly preview?: boolean;
}

export interface ServerRules {
  readonly host: string;
  readonly port: number;
  readonly adminToken: string | null;
  /** The field or variable that sets the admin token. Null if none does. */
  readonly adminTokenSetBy: "server.admin_token" | "POUNDKEY_ADMIN_TOKEN" | null;
  /** Addresses or CIDR blocks that the admin token may come from. Empty for any. */
  readonly adminTokenFrom: readonly string[];
  readonly bodyBytesMax: number;
  /** The most bytes of large request bodies in memory at once. */
  readonly bodyMemoryBytes: number;
  readonly drainMs: number;
  /** The longest that a start waits for a store that is away. */
  readonly storeWaitMs: number;
  readonly keepAliveMs: number;
  /** The longest that a client's connection stays open between requests, in seconds. */
  readonly idleSeconds: number;
  /** Addresses or CIDR blocks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The hosts to serve under. Empty for any. */
  readonly hosts: readonly string[];
  /** Origins that may call from a browser. */
  readonly cors: readonly string[];
  /** The address at which browsers reach the gateway, without a slash at its end. Null if it isn't configured. */
  readonly publicUrl: string | null;
  /** The path below which everything lies, such as `/llm`. Empty for none. */
  readonly basePath: string;
}

/** The operator's changes to a card of the catalogue. Fields that are not set keep the catalogue's value. */
export interface ModelOverlay
  extends Partial<
      Pick<ModelCard, "capabilities" | "operations" | "fallbacks" | "fallbackFailures" | "skills" | "hedge">
    >,
    RefusalRules {
  readonly id: string;
  readonly disabled: boolean;
  readonly price?: Price;
  /** If missing, the card's own apply, unless `price` is set. */
  readonly laterPrices?: readonly LaterPrice[];
  /** `YYYY-MM-DD`. Null if it doesn't end. */
  readonly shutdownDate?: string | null;
  readonly contextTokensMax?: number;
  readonly outputTokensMax?: number;
}

/** The part of clients' addresses that requests keep: all, the network (/24, or /48 of IPv6), or nothing. */
export const ADDRESS_RULES = ["full", "prefix", "off"] as const;
export type AddressRule = (typeof ADDRESS_RULES)[number];

export interface LogRules {
  /** The lines of lower levels aren't written. Null if the start decides: `warn` for the quick start, else `info`. */
  readonly level: Level | null;
  /** True if prompts and answers are stored with the request's row. */
  readonly content: boolean;
  /** The time for which rows are kept. */
  readonly keepMs: number;
  readonly address: AddressRule;
}

export interface ResponseRules {
  /** 0 if none are stored. */
  readonly keepMs: number;
  /** The limit per account. Beyond it, the oldest are deleted. */
  readonly bytesMax: number;
  readonly sockets: SocketRules;
}

/** The bounds on files that clients upload, and on what batches keep. */
export interface FileRules {
  /** The most bytes of all accounts. */
  readonly bytesMax: number;
  /** The most bytes of an account. 0 if there are neither files nor batches. */
  readonly accountBytesMax: number;
  readonly fileBytesMax: number;
  /** The longest that a file is kept. */
  readonly keepMs: number;
}

/** The bounds on batches. */
export interface BatchRules {
  /** False if nothing new is taken: neither files nor batches. */
  readonly isOn: boolean;
  /** The most lines at once on this node, over all of its processes. 0 if it runs none. */
  readonly parallelMax: number;
  /** The most lines of an account at once, over all nodes. */
  readonly perAccountMax: number;
  /** The most lines and bytes of one batch. */
  readonly linesMax: number;
  readonly bytesMax: number;
  /** The most batches of an account that haven't ended. */
  readonly unfinishedMax: number;
  /** The time for batches whose client names none. */
  readonly windowMs: number;
  /** The longest that lines wait for a model that gives nobody an answer. */
  readonly modelWaitMs: number;
  /** The time for which a batch and its results are kept after its end. */
  readonly keepMs: number;
  /** The most tries of a line. */
  readonly triesMax: number;
}

/** The bounds on WebSocket connections of one process. */
export interface SocketRules {
  readonly isOn: boolean;
  /** The most connections of all, of an account and of a key. */
  readonly allMax: number;
  readonly perAccountMax: number;
  readonly perKeyMax: number;
  /** The most names of lanes in a connection's life, and of requests that wait on it. */
  readonly lanesMax: number;
  readonly queueMax: number;
  readonly frameBytesMax: number;
  /** The most that a connection, the connections of an account and all together remember. */
  readonly bytesMax: number;
  readonly accountBytesMax: number;
  readonly memoryBytesMax: number;
  readonly ageMs: number;
  readonly idleMs: number;
}

/** A list of prices, how often it is looked at, and what is taken of it. */
export interface CatalogueWatch {
  /** An address or a path. */
  readonly from: string;
  readonly format: FeedFormat;
  readonly everyMs: number;
  /** The public keys one of which must have signed it: 32 bytes in base64. Missing if signatures aren't looked at. */
  readonly keys?: readonly string[];
  /** The changes that are taken without a person: new models alone, or all that are safe. Missing for none. */
  readonly take?: "new" | "safe";
  /** The only serial that counts. Missing for any. */
  readonly pin?: number;
  /** Patterns of ids that are never proposed or taken. Missing for none. */
  readonly ignore?: readonly string[];
}

/** All of the operator's settings. A reload leaves `server` and `store` as they were at the start. */
export interface Settings extends SettingsSources, TextRules {
  readonly server: ServerRules;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly store: string;
  /** The address as it is written, with `${…}`, if a variable or file holds a part of it. */
  readonly storeSource?: string;
  /** Only enabled ones. */
  readonly providers: readonly ProviderSetup[];
  /** The names of those all of whose credentials are switched off. Missing for none. */
  readonly pausedProviders?: readonly string[];
  /** Cards that the operator added to a provider. They replace cards of the catalogue with the same id. */
  readonly operatorModels: readonly ModelCard[];
  readonly catalogueFile?: string;
  /** True if that file is the gateway's own, beside its store, because the configuration names none. */
  readonly isCatalogueFileDefault?: boolean;
  /** The day of that file's prices, as `YYYY-MM-DD`. Missing if it doesn't say. */
  readonly catalogueAsOf?: string;
  /** The last list of prices that was taken into that file, or compared with it. Missing if there was none. */
  readonly catalogueList?: LastList;
  /** The file's fields for which the program counts. Missing if there are none. */
  readonly catalogueOvertaken?: readonly Overtaken[];
  /** The file's rows that hide newer built-in prices. Missing if there are none. */
  readonly catalogueHiding?: readonly Hiding[];
  /** Changes with the text of the catalogue file. */
  readonly catalogueDigest?: string;
  /** The list of prices that the gateway compares its own with. Missing if it looks at none. */
  readonly catalogueWatch?: CatalogueWatch;
  /** The cards of that file. They take precedence over the catalogue, and `operatorModels` over them. */
  readonly newerModels?: readonly ModelCard[];
  /** The operator's file of benchmark results, if any, and its results by card id. Newer ones replace the built-in. */
  readonly profilesFile?: string;
  readonly benchmarks?: ReadonlyMap<string, Benchmark>;
  readonly overlay: readonly ModelOverlay[];
  /** By the name that clients use. */
  readonly aliases: Readonly<Record<string, Alias>>;
  /** When those among them were made that aren't of the file, in Unix milliseconds. Missing for none. */
  readonly aliasTimes?: Readonly<Record<string, number>>;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  readonly ownerLimits: LimitRules;
  readonly limits: Limits;
  readonly log: LogRules;
  readonly cache: CacheRules;
  readonly responses: ResponseRules;
  readonly files: FileRules;
  readonly batches: BatchRules;
  readonly audit: { readonly keepMs: number };
  readonly metrics: MetricsRules;
  readonly webhooks: readonly Endpoint[];
  readonly telemetry: TelemetryRules;
  /** Missing if no header becomes a tag. */
  readonly tagsFrom?: readonly TagHeader[];
  /** Missing if there are no tool servers. */
  readonly tools?: ToolRules;
  readonly router: RouterRules;
  /** Missing if cards aren't taken. */
  readonly stripe?: StripeRules;
  /** Missing if people can't sign in. */
  readonly signIn?: SignInRules;
}
