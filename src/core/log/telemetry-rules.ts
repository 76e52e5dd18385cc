// The rules by which traces and logs are exported.
import type { NetworkRules } from "../world/network.ts";

/** A place that takes one signal by OTLP/HTTP. */
export interface OtlpDestination {
  /** The whole URL. */
  readonly url: string;
  /** In lower case. They may hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly network?: NetworkRules;
}

export interface MetricsRules {
  /** The bearer token required for `/metrics`. Null if anyone may read them. */
  readonly token: string | null;
  /** The names of the accounts whose balance is a metric. */
  readonly balances: readonly string[];
  /** The names of the accounts whose budgets are metrics. */
  readonly budgets: readonly string[];
}

export interface TelemetryRules {
  /** Null if the signal isn't exported. */
  readonly traces: OtlpDestination | null;
  readonly logs: OtlpDestination | null;
  /** Attributes of this program in whatever it exports, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  /** The longest wait for the collector's answer. */
  readonly timeoutMs: number;
  /** The share of traces that is exported, 0…1. */
  readonly sample: number;
  /** True if prompts and answers are part of spans. */
  readonly content: boolean;
  /** True if calls to providers carry the trace on. */
  readonly propagate: boolean;
  /** True if a client's trace is continued, rather than linked to. */
  readonly trustParent: boolean;
  /** True if the environment asks for protobuf, in whose place JSON is sent. */
  readonly isProtobufAsked: boolean;
}
