// One request as the gateway receives it, and the facts that its client gets beside the answer.

import type { RawRequest } from "../core/dialect.ts";
import type { GatewayKey } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import type { RouterRules } from "../core/settings.ts";
import type { Conversation } from "../health/stickiness.ts";
import type { ChatRequest } from "../operations/chat/form.ts";
import type { Selection } from "./plan.ts";
import type { Upstream } from "./upstream.ts";

/** A checked request of a known key, with all that the operator has decided for it. */
export interface Call {
  /** The completion's id: ours, unique. */
  readonly id: string;
  /** Unix seconds, as the completion shows it. */
  readonly created: number;
  readonly requestId: string;
  readonly key: GatewayKey;
  readonly request: ChatRequest;
  /** The client's own request, for a provider of its surface's family; null: it is always translated. */
  readonly raw: RawRequest | null;
  /** Fields of the client's own request that are never passed on. */
  readonly dropped: readonly string[];
  /** Fields of the client's own request that `request` has no place for. */
  readonly lost: readonly string[];
  /** The client had to name an output limit, so it counts as a wish. */
  readonly isLimitRequired: boolean;
  /** The most searches that the provider may run in the native lane. */
  readonly searches: number;
  /** Bytes of text that only a provider of the client's family reads: they are held as part of the prompt. */
  readonly unreadBytes: number;
  /** The conversation that it goes on with. */
  readonly conversation: Conversation;
  readonly selection: Selection;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rules: RouterRules;
  readonly markup: number;
  /** The time that the client allows for all attempts together; null: the provider's own limit. */
  readonly timeoutMs: number | null;
  /** The share of the best quality that the client asks of `Router#fair`; null: the operator's. */
  readonly quality: number | null;
  /** Digests that tell whether the same was asked before; null: the client sent no Idempotency-Key. */
  readonly idempotency: { readonly replyId: string; readonly bodyDigest: string } | null;
  /** Aborted when nobody waits for the answer: the client is gone, or its reason is the Fault that tells why. */
  readonly ending: AbortController;
}

/** The facts that the client gets beside the answer, filled in as they become known. */
export interface Facts {
  limits: RequestLimits | null;
  selector: string | null;
  model: string | null;
  attempts: number;
  dropped: readonly string[];
  /** The completion that answered the same request before; null: this one is new. */
  replayed: { readonly id: string; readonly created: number } | null;
}

export function noFacts(): Facts {
  return { limits: null, selector: null, model: null, attempts: 0, dropped: [], replayed: null };
}
