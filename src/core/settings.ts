// The operator's settings, section by section, as the rooms that use them receive them.
import type { Alias } from "./alias.ts";
import type { Capability, HedgeRules, LaterPrice, ModelCard, OperationName, Price } from "./card.ts";
import type { DialectName, Guardrail } from "./dialect.ts";
import type { NanoUsd } from "./money.ts";
import type { Skill, SkillRow } from "./skill.ts";
import type { AwsContainer, TokenSource } from "./token-source.ts";

/** A cloud with an address for each customer, and models of many vendors. */
export const PLATFORMS = ["azure", "bedrock", "vertex"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** A provider that needs no more than its key: a row of `providers/index.ts`, as configuration sees it. */
export interface KnownProvider {
  /** The prefix of its model ids, in its canonical case. */
  readonly name: string;
  /** Environment variables that may hold its key, the first one set wins. Empty: it needs none. */
  readonly keyVariables: readonly string[];
  /** Empty: the configuration has to say it. */
  readonly baseUrl: string;
  /** Left out: the configuration has no fields for it. */
  readonly platform?: PlatformName;
  /** True for servers of the operator's own, which are asked for their models. */
  readonly discovers?: boolean;
  /** In the order of preference. */
  readonly dialects?: readonly { readonly name: DialectName }[];
}

/** Proves the gateway to a provider that takes no plain secret: plain data, which `transport/auth` makes headers of. */
export type Proof = AwsProof | AwsContainer | TokenSource;

/** Keys of an AWS account or role, with which each call is signed. */
export interface AwsProof {
  readonly kind: "aws";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** null: the keys are long-term ones. */
  readonly sessionToken: string | null;
  /** As `us-east-1`. */
  readonly region: string;
}

/** The most that a credential's own limits may be. */
export const PER_MINUTE_MAX = 1_000_000_000;

export interface Credential {
  /** The id of a credential that was added at run time; the configuration's have none. */
  readonly id?: string;
  /** null: the server needs none. */
  readonly secret: string | null;
  /** Left out: the secret, if any, is proof enough. */
  readonly proof?: Proof;
  readonly weight: number;
  /** The provider allows it so many in a minute; left out: no limit is known. */
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

export interface Timeouts {
  readonly connectMs: number;
  /** null: not set, so 60 s, or 5 min for reasoning models. Streamed calls only, as `idleMs`. */
  readonly firstByteMs: number | null;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** One provider that is on. */
export interface ProviderSetup {
  readonly name: string;
  /** null: the known provider's own. */
  readonly dialect: DialectName | null;
  /** The cloud whose dialects it speaks, whatever its own name; left out: none. */
  readonly platform?: PlatformName;
  readonly baseUrl: string;
  /** Left out: the platform's API has no versions, or its unversioned one is called. */
  readonly apiVersion?: string;
  /** Words beside its host that no message to a client may hold: its other names, the project that pays. */
  readonly unspoken?: readonly string[];
  /** Its credentials can call its models of these dialects alone; left out: all. */
  readonly dialects?: readonly DialectName[];
  /** True if only those of its models are listed that the operator has configured; left out: all are. */
  readonly listsOwnOnly?: boolean;
  /** Its models whose names begin with one of these, as those of other regions, are not listed unless the operator has configured them. */
  readonly unlistedPrefixes?: readonly string[];
  readonly credentials: readonly Credential[];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  /** Names that the catalogue doesn't hold pass through, unpriced. */
  readonly unlistedModels: boolean;
  /** Its models are those that it lists itself; left out: they are the catalogue's and the operator's. */
  readonly discovers?: boolean;
  /** Cache marks are set where the client sets none (`cache_marks: auto`); left out: they are not. */
  readonly marksCache?: boolean;
  /** Left out: its calls ask for none. */
  readonly guardrail?: Guardrail;
}

export interface QuotaRules {
  /** Free requests a day; null: unlimited. */
  readonly requestsPerDay: number | null;
  /** After those, one request per so many milliseconds; 0: none. */
  readonly throttleMs: number;
  readonly scope: "key" | "account";
  /** Minutes after midnight at which the day begins, in `timeZone` (an IANA name). */
  readonly dayStartsMinutes: number;
  readonly timeZone: string;
  readonly free: FreeRules;
}

/** Bounds on requests that the allowance or the throttle lets through. */
export interface FreeRules {
  /** Patterns of model ids (`*` stands for any characters) that may be used for free. */
  readonly models: readonly string[];
  /** The most that an owner's free requests may cost together in a day, by the cards; null: any amount. */
  readonly budgetNanoUsd: NanoUsd | null;
}

export interface BillingRules {
  readonly charge: "beyond_allowance" | "always";
  readonly markup: number;
}

export interface Limits {
  readonly choicesMax: number;
  readonly messagesMax: number;
  /** Clients may name servers of tools to a provider, which then calls them; left out: they may not. */
  readonly remoteTools?: boolean;
  /** Clients may have a provider of the Responses API store their answers; left out: nothing is stored there. */
  readonly storesUpstream?: boolean;
}

/** The models that selectors choose among for a kind of task. */
export interface CategoryRule {
  readonly category: Skill;
  /** It holds where at least this share of the request is of the kind. */
  readonly shareMin: number;
  /** By id; null: all. */
  readonly models: readonly string[] | null;
  readonly deny: readonly string[];
}

export interface RouterRules {
  /** Share of the best quality that `Router#fair` keeps, 0…1. */
  readonly fairQuality: number;
  /** Ids of cards that no selector chooses. */
  readonly deny: readonly string[];
  /** The card that every selector chooses for a kind of task, by id. */
  readonly pin: Readonly<Partial<Record<Skill, string>>>;
  readonly rules: readonly CategoryRule[];
  /** The share of requests with which another model than the chosen one is tried out; 0: none. */
  readonly explore: number;
}

export interface ServerRules {
  readonly host: string;
  readonly port: number;
  readonly adminToken: string | null;
  readonly bodyBytesMax: number;
  /** Bytes of request bodies that are held at once. */
  readonly bodyMemoryBytes: number;
  readonly drainMs: number;
  readonly keepAliveMs: number;
  /** Addresses or CIDR blocks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Hosts that it is served under; none: any. */
  readonly hosts: readonly string[];
  /** Origins that may call from a browser. */
  readonly cors: readonly string[];
}

/** The operator's changes to one card of the catalogue. A field that is not set stays as the catalogue has it. */
export interface ModelOverlay {
  readonly id: string;
  readonly disabled: boolean;
  readonly price?: Price;
  /** Left out: the card's own hold, unless `price` is there. */
  readonly laterPrices?: readonly LaterPrice[];
  readonly contextTokensMax?: number;
  readonly outputTokensMax?: number;
  readonly capabilities?: ReadonlySet<Capability>;
  readonly operations?: ReadonlySet<OperationName>;
  readonly fallbacks?: readonly string[];
  /** Probability of a good answer by kind of task, 0…1. */
  readonly skills?: SkillRow;
  readonly hedge?: HedgeRules;
}

export interface LogRules {
  /** True if prompts and answers are kept with the request's row. */
  readonly content: boolean;
  /** The time for which rows are kept. */
  readonly keepMs: number;
}

export interface MetricsRules {
  /** The bearer token that a scraper of `/metrics` must show; null: anybody may read them. */
  readonly token: string | null;
}

/** The rules for responses of the Responses API that are kept. */
export interface ResponseRules {
  /** 0: none are kept. */
  readonly keepMs: number;
  /** The most that one account may keep; the oldest go. */
  readonly bytesMax: number;
}

/** All that the operator decides. On a reload, `server` and `store` stay as they were at the start. */
export interface Settings {
  readonly server: ServerRules;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly store: string;
  /** Those that are on. */
  readonly providers: readonly ProviderSetup[];
  /** Cards that the operator added to a provider; one that the catalogue has too takes its place. */
  readonly ownModels: readonly ModelCard[];
  /** The operator's catalogue file; left out: there is none. */
  readonly catalogueFile?: string;
  /** Its cards, which come before the catalogue's own and behind `ownModels`. */
  readonly newerModels?: readonly ModelCard[];
  readonly overlay: readonly ModelOverlay[];
  /** By the name that a client may use. */
  readonly aliases: Readonly<Record<string, Alias>>;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  readonly limits: Limits;
  readonly log: LogRules;
  readonly responses: ResponseRules;
  readonly metrics: MetricsRules;
  readonly router: RouterRules;
}
