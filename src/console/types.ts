// The answers of the admin routes, as far as the console reads them.

import type { Content } from "./kept-content.ts";
import type { Tokens, Units } from "./work.ts";

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

export interface Figures {
  readonly requests: number;
  readonly errors: number;
  readonly tokens: Tokens;
  readonly cost_usd: number;
  readonly charged_usd: number;
  readonly first_token_ms: Percentiles | null;
}

export interface Overview {
  readonly from: string;
  readonly to: string;
  readonly step: "hour" | "day";
  readonly totals: Figures;
  readonly previous: Figures;
  readonly series: readonly (Figures & { readonly at: string })[];
}

export interface UsageRow extends Figures {
  readonly model?: string;
  readonly key_id?: string;
  readonly account_id?: string;
  readonly provider?: string;
}

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly last4: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly allowed_models: readonly string[] | null;
  readonly requests_per_day: number | null | "default";
  readonly spend_limit_usd: number | null;
  readonly keep_responses: boolean;
  readonly state: "active" | "expired" | "revoked";
  readonly allowance: {
    readonly limit: number | null;
    readonly used: number;
    readonly remaining: number | null;
    readonly resets_at: string | null;
    readonly next_slot_at: string | null;
  };
  readonly spent_usd: { readonly today: number; readonly month: number; readonly total: number };
  readonly last_used_at: string | null;
}

/** The answer to making a key. */
export interface NewKey {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly balance_usd: number;
  readonly held_usd: number;
  readonly created_at: string | null;
}

export interface JournalEntry {
  readonly id: string;
  readonly at: string;
  readonly kind: "topup" | "hold" | "post" | "void" | "overrun";
  readonly amount_usd: number;
  readonly balance_usd: number | null;
  readonly request_id: string | null;
  readonly usage_source: string | null;
  readonly ended: string | null;
  readonly note: string | null;
}

export interface ModelRow {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly owned_by: string;
  readonly on: boolean;
  readonly off_because: "provider_off" | "disabled" | null;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly capabilities: readonly string[];
  readonly operations: readonly string[] | null;
  readonly pricing: Pricing | null;
  readonly released: string | null;
  readonly skills_source: string | null;
}

export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number | null;
  readonly cache_write?: number | null;
  readonly reasoning?: number | null;
}

export interface Pricing extends Rates {
  readonly per_request?: number | null;
  readonly per_search?: number | null;
  readonly tiers?: readonly (Rates & { readonly above_tokens: number })[] | null;
}

export interface Credential {
  readonly id: string;
  readonly source: "stored" | "configured";
  readonly enabled: boolean;
  readonly last4: string | null;
  readonly weight: number;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly state: "active" | "resting" | "retired" | "disabled";
  readonly until: string | null;
  readonly reason: string | null;
  readonly in_flight: number;
  readonly error_rate: number | null;
}

export interface Vitals {
  readonly breaker: "closed" | "open" | "half_open";
  readonly error_rate: number | null;
  readonly in_flight: number;
  readonly first_token_ms: Percentiles | null;
  readonly tokens_per_second: number | null;
}

export interface Provider extends Vitals {
  readonly name: string;
  readonly on: boolean;
  readonly dialect: string | null;
  readonly base_url: string;
  readonly credentials: readonly Credential[];
  readonly models: readonly (Vitals & { readonly id: string; readonly asks_again_at: string | null })[];
}

export interface RequestRow {
  readonly id: string;
  readonly request_id: string;
  readonly key_id: string;
  readonly account_id: string;
  readonly at: string;
  readonly operation: string;
  readonly surface: string;
  readonly model_asked: string;
  readonly model_tried: string | null;
  readonly model_used: string | null;
  readonly selector: string | null;
  readonly decision: Decision | null;
  readonly attempts: number;
  readonly stream: boolean;
  readonly status: number;
  readonly error_code: string | null;
  readonly tokens: Tokens;
  readonly units: Units;
  readonly cost_usd: number;
  readonly charged_usd: number;
  readonly hold_usd: number;
  readonly usage_source: string;
  readonly ended: string;
  readonly total_ms: number;
  readonly first_token_ms: number | null;
}

export interface Decision {
  readonly choice: string | null;
  readonly pinned?: string | null;
  readonly features: {
    readonly categories: Readonly<Record<string, number>>;
    readonly difficulty: number;
    readonly output_tokens: number;
    readonly support: number;
  };
  readonly candidates: readonly {
    readonly model: string;
    readonly quality: number;
    readonly cost_usd: number | null;
    readonly latency_ms: number;
    readonly score: number;
  }[];
  readonly removed?: Readonly<Record<string, number>>;
}

export interface Attempt {
  readonly model: string;
  readonly credential: string | null;
  readonly start_ms: number;
  readonly first_token_ms: number | null;
  readonly end_ms: number | null;
  readonly outcome: "answered" | "failed" | "outrun" | "left";
  readonly error_code: string | null;
  readonly upstream_status: number | null;
}

export interface CostLine {
  readonly what: string;
  readonly count: number;
  readonly usd_per_million: number;
  readonly usd: number;
}

export interface RequestDetail extends RequestRow {
  readonly timeline: {
    readonly admitted_ms: number;
    readonly attempts: readonly Attempt[];
    readonly end_ms: number;
  } | null;
  readonly cost: {
    readonly lines: readonly CostLine[];
    readonly markup: number;
    readonly total_usd: number;
  } | null;
  readonly error: {
    readonly code: string | null;
    readonly message: string;
    readonly type: string;
    readonly status: number;
  } | null;
  readonly content: Content | null;
}

export interface Settings {
  readonly version: string;
  readonly store: string;
  readonly simulated: boolean;
  readonly node: string;
  readonly quota: {
    readonly requests_per_day: number | null;
    readonly throttle_ms: number;
    readonly scope: "key" | "account";
    readonly day_starts: string;
    readonly time_zone: string;
    readonly free: { readonly models: readonly string[]; readonly budget_usd_per_day: number | null };
  };
  readonly billing: { readonly charge: "beyond_allowance" | "always"; readonly markup: number };
  readonly limits: { readonly n: number; readonly messages: number };
  readonly router: {
    readonly fair: { readonly quality: number };
    readonly deny: readonly string[];
    readonly pin: Readonly<Record<string, string>>;
  };
  readonly log: { readonly content: boolean; readonly keep_ms: number };
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly body_limit: number;
    readonly body_memory: number;
    readonly drain_ms: number;
    readonly keep_alive_ms: number;
    readonly hosts: readonly string[];
    readonly trusted_proxies: readonly string[];
    readonly cors: readonly string[];
  };
  readonly timeouts: readonly {
    readonly provider: string;
    readonly connect_ms: number;
    readonly first_byte_ms: number | null;
    readonly idle_ms: number;
    readonly total_ms: number;
  }[];
}
