// The ports of the routes: the rooms they call, and the operator's current settings.

import type { Catalogue } from "../catalogue/catalogue.ts";
import type { TagHeader } from "../core/fields/tags-text.ts";
import type { KeyProof, ProvenKey } from "../core/keys/key.ts";
import type { TraceSink } from "../core/log/trace-context.ts";
import type { CacheRules } from "../core/models/caching.ts";
import type { NameKeeper } from "../core/models/guard.ts";
import type {
  AddressRule,
  BatchRules,
  BillingRules,
  FileRules,
  Limits,
  RouterRules,
  ServerRules,
  SocketRules,
} from "../core/settings.ts";
import type { Clock, Log, Random, Sealer, Vault } from "../core/world/world.ts";
import type { KeptFiles } from "../files/kept-files.ts";
import type { KeptAnswers } from "../gateway/answer/kept-answers.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Upstream } from "../gateway/plan/upstream.ts";
import type { SecretShapes } from "../keys/secret-shape.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { BodyPorts } from "./body/body.ts";
import type { ReadAddress, ReadOrigin } from "./serve/client-address.ts";
import type { OpenSockets } from "./sockets/open-sockets.ts";

/** The current configuration. A reload replaces it, but running requests keep theirs. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly limits: Limits;
  readonly rules: RouterRules;
  readonly billing: BillingRules;
  /** The names of the operator's hooks and rules of the guard. */
  readonly guardrailNames: ReadonlySet<string>;
  /** The fields outside of OpenAI's API that any provider documents. */
  readonly documentedFields: ReadonlySet<string>;
}

/** The ports by which the sender of a request is known. */
export type SenderPorts = Pick<HttpPorts, "authenticate" | "readAddress" | "secretShapes">;

/** The ports of files. */
export interface FilePorts {
  readonly files: KeptFiles;
  readonly fileRules: () => FileRules;
  readonly batchRules: () => BatchRules;
}

export interface HttpPorts extends BodyPorts, FilePorts {
  readonly snapshot: () => Snapshot;
  readonly gateway: Gateway;
  readonly kept: KeptAnswers;
  readonly ledger: Ledger;
  readonly vault: Pick<Vault, "digest">;
  /** Returns what seals text for an account. */
  readonly sealer: (accountId: string) => Sealer;
  /**
   * Returns the valid key of a secret, perhaps paused. Wrong secrets without our form are bounded by address. Throws the Faults
   * `invalid_api_key` and `store_unavailable`.
   */
  readonly authenticate: (
    secret: string,
    sender: Pick<KeyProof, "address">,
  ) => ProvenKey | Promise<ProvenKey>;
  /** Explains what was sent in the place of a key. */
  readonly secretShapes: SecretShapes;
  readonly readAddress: ReadAddress;
  readonly readOrigin: ReadOrigin;
  /** Returns the part of clients' addresses that is kept. */
  readonly addressRule: () => AddressRule;
  /** Returns the headers that become tags. Undefined for none. */
  readonly tagsFrom: () => readonly TagHeader[] | undefined;
  /** Returns what hides in a name that a client gave, such as a session's, all that the guard lets nobody keep. Null for nothing. */
  readonly nameHider: () => NameKeeper | null;
  readonly cacheRules: () => CacheRules;
  readonly sockets: () => SocketRules;
  readonly openSockets: OpenSockets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly traces: Pick<TraceSink, "begin" | "refuse">;
  readonly server: ServerRules;
  /** After a start, selectors wait briefly for this before they choose. Null if there is nothing to wait for. */
  readonly learned: () => Promise<unknown> | null;
  /** True when shutdown is near: the gateway reports not ready, and answers carry `connection: close`. */
  readonly draining: () => boolean;
  /** True if new work is refused. */
  readonly refusing: () => boolean;
}
