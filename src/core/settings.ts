// What the operator decides, section by section, as the rooms that use it are handed it.
import type { DialectName } from "./dialect.ts";

/** A provider that needs no more than its key: a row of `providers/index.ts`, as configuration sees it. */
export interface KnownProvider {
  /** The prefix of its model ids, in its canonical case. */
  readonly name: string;
  /** Environment variables that may hold its key, the first one set wins. Empty: it needs none. */
  readonly keyVariables: readonly string[];
  readonly baseUrl: string;
}

export interface Credential {
  /** null: the server needs none. */
  readonly secret: string | null;
  readonly weight: number;
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
  readonly baseUrl: string;
  readonly credentials: readonly Credential[];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  /** Names that the catalogue doesn't hold pass through, unpriced. */
  readonly unlistedModels: boolean;
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
}

export interface BillingRules {
  readonly charge: "beyond_allowance" | "always";
  readonly markup: number;
}

export interface Limits {
  readonly choicesMax: number;
  readonly messagesMax: number;
}

export interface RouterRules {
  /** Share of the best quality that `Router#fair` keeps, 0…1. */
  readonly fairQuality: number;
}

export interface ServerRules {
  readonly host: string;
  readonly port: number;
  readonly adminToken: string | null;
  readonly bodyBytesMax: number;
  readonly drainMs: number;
  readonly keepAliveMs: number;
  /** Addresses or CIDR blocks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins that may call from a browser. */
  readonly cors: readonly string[];
}
