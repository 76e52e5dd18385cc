// The choice of the dialect for a call. All but the last step depends on the configuration alone, and is made once.

import type { Attempt } from "../../core/attempt.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Family, Mending, RawRequest } from "../../core/models/dialect.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Codec, Lane } from "../../operations/codec.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Upstream } from "./upstream.ts";

/** The dialect a call uses, and its lane if the client's own request is sent unchanged. */
export interface Route<F extends Form> {
  readonly dialect: Dialect;
  readonly codec: Codec<F>;
  readonly lane: Lane<F> | null;
}

/** All routes to a card, whatever the request. */
interface CardRoutes<F extends Form> {
  /** Those that take the client's own request, in the card's order of dialects. */
  readonly native: readonly (Route<F> & { readonly lane: Lane<F> })[];
  /** The first that serves the operation, to which the request is translated. Null if none does. */
  readonly translated: Route<F> | null;
}

const NO_ROUTES: CardRoutes<never> = { native: [], translated: null };

/** The enabled providers, and the routes to their cards for one operation and the requests of one surface. */
export class Routes<F extends Form> {
  readonly #operation: Operation<F>;
  readonly #family: Family;
  /** The enabled providers, by name. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Clients may make up names of models, so the cards of those are held by nothing else. */
  readonly #known = new WeakMap<ModelCard, CardRoutes<F>>();

  readonly #only = new WeakMap<ModelCard, readonly Attempt[] | null>();

  /** `family` is the surface's. */
  constructor(operation: Operation<F>, family: Family, upstreams: ReadonlyMap<string, Upstream>) {
    this.#operation = operation;
    this.#family = family;
    this.upstreams = upstreams;
  }

  /**
   * Returns the first of the card's dialects that takes the client's own request, or else the first that serves the
   * operation. Null if none does, and for a card whose provider isn't enabled. `raw` is null if the request is translated.
   */
  find(card: ModelCard, ask: F["ask"], raw: RawRequest | null): Route<F> | null {
    let routes = this.#known.get(card);
    if (routes === undefined) {
      routes = listRoutes(this.#operation, this.#family, this.upstreams.get(card.provider), card);
      this.#known.set(card, routes);
    }
    if (raw !== null)
      for (const route of routes.native) if (!this.#operation.cuts?.(route.codec, ask, card)) return route;
    return routes.translated;
  }

  /** Returns the only attempt that can be made at a card. Null if its provider has several credentials, or none. */
  findOnly(card: ModelCard): readonly Attempt[] | null {
    const known = this.#only.get(card);
    if (known !== undefined) return known;
    const credentials = this.upstreams.get(card.provider)?.setup.credentials ?? [];
    const [credential] = credentials;
    const only = credential !== undefined && credentials.length === 1 ? [{ card, credential }] : null;
    this.#only.set(card, only);
    return only;
  }

  /**
   * Returns the route of a call to a server that is known to refuse these. Throws a Fault if the model doesn't serve the
   * operation.
   */
  require(
    card: ModelCard,
    ask: F["ask"],
    raw: RawRequest | null,
    refuses?: ReadonlySet<Refusal>,
    mends?: Mending,
  ): Route<F> {
    const route = this.find(card, ask, raw);
    if (route) return refuses === undefined ? route : turnTo(route, ask, card, refuses, mends);
    const { id, operations } = card;
    const others = operations ? `, only ${[...operations].join(" and ")}` : "";
    const message = `The model '${id}' does not serve ${this.#operation.name}${others}: GET /v1/models lists the operations of each model.`;
    throw new Fault("unsupported_capability", message, { param: "model" });
  }
}

function listRoutes<F extends Form>(
  operation: Operation<F>,
  family: Family,
  upstream: Upstream | undefined,
  card: ModelCard,
): CardRoutes<F> {
  if (upstream === undefined || card.operations?.has(operation.name) === false) return NO_ROUTES;
  const { dialects, setup } = upstream;
  const spoken = dialects.flatMap((dialect): readonly Route<F>[] => {
    const codec = operation.findCodec(dialect);
    return codec && isSpoken(dialect, card) ? [{ dialect, codec, lane: null }] : [];
  });
  const native = spoken.flatMap(({ dialect, codec }) => {
    const lane = codec.lanes?.[family];
    const isServed = lane?.serves?.(card, setup.apiVersion) ?? true;
    return lane && isServed ? [{ dialect, codec, lane }] : [];
  });
  return { native, translated: spoken[0] ?? null };
}

/** A client's own request is translated where the names of its tools are sent by others, since the answer has those. */
function turnTo<F extends Form>(
  route: Route<F>,
  ask: F["ask"],
  card: ModelCard,
  refuses: ReadonlySet<Refusal>,
  mends: Mending | undefined,
): Route<F> {
  const isFixed = route.lane !== null && (mends === undefined || !refuses.has("tool_names"));
  const codec = isFixed ? null : route.codec.instead?.(ask, card, refuses);
  return codec ? { ...route, codec, lane: null } : route;
}

function isSpoken({ name, names }: Dialect, card: ModelCard): boolean {
  return card.dialects?.includes(name) ?? names?.test(card.name) ?? true;
}
