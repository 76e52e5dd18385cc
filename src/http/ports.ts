// The ports of the routes: the rooms behind them, and the operator's settings as of now.
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { GatewayKey } from "../core/key.ts";
import type { BillingRules, Limits, RouterRules, ServerRules } from "../core/settings.ts";
import type { Clock, Log, Random, Sealer } from "../core/world.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Vault } from "../gateway/idempotency.ts";
import type { KeptAnswers } from "../gateway/kept-answers.ts";
import type { Upstream } from "../gateway/upstream.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { BodyPorts } from "./body.ts";

/** The configuration in force; a reload puts another one in its place, requests under way keep theirs. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly limits: Limits;
  readonly rules: RouterRules;
  readonly billing: BillingRules;
}

export interface HttpPorts extends BodyPorts {
  readonly snapshot: () => Snapshot;
  readonly gateway: Gateway;
  readonly kept: KeptAnswers;
  readonly ledger: Ledger;
  readonly vault: Pick<Vault, "digest">;
  /** Seals text for an account. */
  readonly sealer: (accountId: string) => Sealer;
  /** The live key of a secret. Throws the Faults `invalid_api_key` and `store_unavailable`. */
  readonly authenticate: (secret: string) => Promise<GatewayKey>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly server: ServerRules;
  /** A selector's choice waits for it after the start, for a moment at most; null: it needn't. */
  readonly learned: () => Promise<unknown> | null;
  /** About to end: not ready, and answers carry `connection: close`. */
  readonly draining: () => boolean;
  /** New work is refused. */
  readonly refusing: () => boolean;
}
