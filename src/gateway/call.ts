// One request as the gateway receives it, and the facts that its client gets beside the answer.

import type { ModelCard } from "../core/card.ts";
import type { Ending } from "../core/ending.ts";
import type { GatewayKey } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import type { RouterRules } from "../core/settings.ts";
import type { Conversation } from "../health/stickiness.ts";
import type { Form } from "../operations/form.ts";
import type { Asking, Operation } from "../operations/operation.ts";
import type { Pin } from "./pin.ts";
import type { Selection } from "./plan.ts";
import type { Upstream } from "./upstream.ts";

/** A checked request of a known key, with all that the operator has decided for it. */
export interface Call<F extends Form> extends Asking<F> {
  readonly operation: Operation<F>;
  /** The name of the surface at which it came. */
  readonly surface: string;
  /** The answer's id: ours, unique. */
  readonly id: string;
  /** Unix seconds, as the answer shows it. */
  readonly created: number;
  readonly requestId: string;
  readonly key: GatewayKey;
  /** The conversation that it goes on with. */
  readonly conversation: Conversation;
  readonly selection: Selection;
  /** The one credential that can serve it; null: any can. */
  readonly pin: Pin | null;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** The models that its key may use, which an error may name. */
  readonly usable: () => readonly ModelCard[];
  readonly rules: RouterRules;
  readonly markup: number;
  /** The time that the client allows for all attempts together; null: the provider's own limit. */
  readonly timeoutMs: number | null;
  /** The share of the best quality that the client asks of `Router#fair`; null: the operator's. */
  readonly quality: number | null;
  /** Digests that tell whether the same was asked before; null: the client sent no Idempotency-Key. */
  readonly idempotency: { readonly replyId: string; readonly bodyDigest: string } | null;
  /** Ends when nobody waits for the answer. */
  readonly ending: Ending;
}

/** The facts that the client gets beside the answer. */
export interface Facts {
  readonly limits: RequestLimits | null;
  readonly selector: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly dropped: readonly string[];
  /** The answer that was given to the same request before; null: this one is new. */
  readonly replayed: { readonly id: string; readonly created: number } | null;
}

/** The facts of a request that got no further than its bounds. */
export const NO_FACTS: Facts = {
  limits: null,
  selector: null,
  model: null,
  attempts: 0,
  dropped: [],
  replayed: null,
};
