// The recent health of providers, their models and credentials, as it is shown. Times are Unix milliseconds.

export interface Vitals {
  /** `open`: not asked at all; `half_open`: one request is asking whether it is well again. */
  readonly breaker: "closed" | "open" | "half_open";
  /** Share of the recent attempts that failed; null: there were none. */
  readonly errorRate: number | null;
  readonly inFlight: number;
  /** Milliseconds to the first part of streamed answers; null: not known. */
  readonly firstTokenMs: { readonly p50: number; readonly p95: number } | null;
  /** The speed of a usual answer; null: not known. */
  readonly tokensPerSecond: number | null;
}

export interface ModelHealth extends Vitals {
  readonly id: string;
  /** The earliest time at which it is asked again; null: it is asked now. */
  readonly asksAgainAtMs: number | null;
}

export interface CredentialHealth {
  /** null: the configuration's. */
  readonly id: string | null;
  /** At most the last 4 characters. */
  readonly last4: string | null;
  readonly weight: number;
  /** The provider allows it so many in a minute; null: no limit is known. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** `resting`: refused for load by at least one model, or at its own limit; `retired`: refused as such. */
  readonly state: "active" | "resting" | "retired";
  /** The earliest time at which a resting or retired one is asked again; null: it is in use. */
  readonly untilMs: number | null;
  readonly reason: string | null;
  readonly inFlight: number;
  readonly errorRate: number | null;
}

export interface ProviderHealth extends Vitals {
  readonly name: string;
  /** As configured; null: the known provider's own. */
  readonly dialect: string | null;
  readonly baseUrl: string;
  readonly credentials: readonly CredentialHealth[];
  readonly models: readonly ModelHealth[];
}
