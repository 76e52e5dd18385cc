// The recent health of providers, models and credentials, for display. Times are Unix milliseconds.
import type { FailureWords } from "../faults/failure.ts";
import type { CREDENTIAL_FIELDS } from "../fields/credential.ts";
import type { ValuesOf } from "../fields/field.ts";
import type { MinuteLimit } from "../limits/limit-table.ts";

export interface Vitals {
  /** For all payers. `open`: receives no requests. `half_open`: one request is testing whether it has recovered. */
  readonly breaker: "closed" | "open" | "half_open";
  /** `all`: nobody's requests are sent. `some`: those of a few payers aren't. Null if everybody's are. */
  readonly openFor: "all" | "some" | null;
  /** The payers whose own requests aren't sent. */
  readonly openPayers: readonly string[];
  /** The share of recent attempts that failed. Null without attempts. */
  readonly errorRate: number | null;
  readonly inFlight: number;
  /** Milliseconds to the first part of a streamed answer. Null if unknown. */
  readonly firstTokenMs: { readonly p50: number; readonly p95: number } | null;
  /** The speed of a typical answer. Null if unknown. */
  readonly tokensPerSecond: number | null;
}

/** A provider's last failed call. */
export interface LastFailure extends FailureWords {
  readonly atMs: number;
  readonly model: string;
  /** At most the last four characters of the credential. */
  readonly last4: string | null;
  readonly faultCode: string;
  readonly upstreamStatus: number | null;
}

export interface ModelHealth extends Vitals {
  readonly id: string;
  /** The time at which it may receive requests again. Null if it does now. */
  readonly asksAgainAtMs: number | null;
  /** `gone`: the provider doesn't have it. `back`: it has it again. Null if it was never missed. */
  readonly absence: "gone" | "back" | null;
}

export interface CredentialHealth
  extends Pick<Vitals, "inFlight" | "errorRate">,
    Pick<ValuesOf<typeof CREDENTIAL_FIELDS>, "weight" | "priceFactor" | MinuteLimit["property"]> {
  /** Null for credentials from the configuration. */
  readonly id: string | null;
  /** Its place among the provider's, from 1. */
  readonly position: number;
  /** At most the last four characters. */
  readonly last4: string | null;
  /** `resting`: rate-limited by at least one model, or at its own limit. `retired`: rejected by the provider. */
  readonly state: "active" | "resting" | "retired";
  /** The time at which a resting or retired credential is tried again. Null if it is in use, or waits for a call to end. */
  readonly untilMs: number | null;
  readonly reason: string | null;
  /** The time of its last call by this process. Null if it hasn't been called yet. */
  readonly calledAtMs: number | null;
}

export interface ProviderHealth extends Vitals {
  readonly name: string;
  /** As configured. Null for the provider's default. */
  readonly dialect: string | null;
  readonly baseUrl: string;
  /** The time of the first failed call since the last one that succeeded. Null if the last one did, or there was none. */
  readonly failingSinceMs: number | null;
  readonly lastFailure: LastFailure | null;
  readonly credentials: readonly CredentialHealth[];
  readonly models: readonly ModelHealth[];
}
