// Finds out, before anything is held or sent, whether a model can take a request at all.

import type { ModelCard } from "../core/card.ts";
import type { RawRequest } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import type { Form } from "../operations/form.ts";
import type { Operation } from "../operations/operation.ts";
import type { Call } from "./call.ts";
import { findRoute, requireRoute, type Upstream } from "./upstream.ts";

/** The most models to name in an error. */
const NAMED_MAX = 3;

type Asked<F extends Form> = {
  readonly operation: Operation<F>;
  readonly ask: F["ask"];
  /** Null if the request is translated. */
  readonly raw: RawRequest | null;
  readonly upstreams: ReadonlyMap<string, Upstream>;
};

/** Returns whether a model's provider can fetch the request's images. Undefined if there are none to fetch. */
export function checkImageUrls<F extends Form>({
  operation,
  ask,
  raw,
  upstreams,
}: Asked<F>): ((card: ModelCard) => boolean) | undefined {
  if (operation.findImageUrl(ask) === null) return undefined;
  return (card) => {
    const upstream = upstreams.get(card.provider);
    const route = upstream && findRoute(upstream, { operation, card, raw });
    return route?.codec.takesImageUrls?.(card) !== false;
  };
}

/** Throws the Fault `unsupported_capability` if the model or its provider can't take the request. */
export function refuseUnable<F extends Form>(
  call: Call<F>,
  card: ModelCard,
  takesImageUrls: ReturnType<typeof checkImageUrls>,
): void {
  const { operation, ask, raw, upstreams } = call;
  const upstream = upstreams.get(card.provider);
  if (upstream) requireRoute(upstream, { operation, card, raw });
  operation.refuseUnable(ask, card);
  if (takesImageUrls?.(card) === false) throw makeUnfetched(call, card, takesImageUrls);
}

function makeUnfetched<F extends Form>(
  call: Call<F>,
  { id }: ModelCard,
  takesImageUrls: (card: ModelCard) => boolean,
): Fault {
  const takers = listTakers(call, takesImageUrls);
  const others =
    takers.length === 0 ? "" : ` Models that accept them: ${takers.map((taker) => `'${taker}'`).join(", ")}.`;
  const message = `The model '${id}' does not accept image URLs: send images as data: URLs.${others}`;
  return new Fault("unsupported_capability", message, { param: call.operation.findImageUrl(call.ask) });
}

/** Returns a few models, of different providers, that could serve the request. */
function listTakers<F extends Form>(
  { operation, ask, raw, upstreams, usable }: Call<F>,
  takesImageUrls: (card: ModelCard) => boolean,
): readonly string[] {
  const takers = new Map<string, string>();
  for (const card of usable()) {
    const upstream = upstreams.get(card.provider);
    if (takers.has(card.provider) || !upstream || !findRoute(upstream, { operation, card, raw })) continue;
    if (takesImageUrls(card) && isAble(operation, ask, card)) takers.set(card.provider, card.id);
    if (takers.size === NAMED_MAX) break;
  }
  return [...takers.values()];
}

function isAble<F extends Form>(operation: Operation<F>, ask: F["ask"], card: ModelCard): boolean {
  try {
    operation.refuseUnable(ask, card);
    return true;
  } catch {
    return false;
  }
}
