// The operator's rules for requests that a provider gets as their client sent them.
import type { Mending } from "./dialect.ts";

/** Vendors' names that the gateway passes on without holding for what they may cost. */
interface KnownByOperator {
  readonly betas: ReadonlySet<string>;
  readonly blocks: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
}

export interface NativeRules {
  /** True if clients may name tool servers for the provider to call. */
  readonly remoteTools?: boolean;
  /** Names newer than the gateway's own lists, which the operator lets pass. */
  readonly known?: KnownByOperator;
  /** The fields without which a request is sent to a model that its client named. Missing for none. */
  readonly mendsNamed?: Mending;
}
