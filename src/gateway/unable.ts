// Finds out, before anything is held or sent, whether a model can take a request at all.

import type { ModelCard } from "../core/card.ts";
import { Fault } from "../core/fault.ts";
import type { Form } from "../operations/form.ts";
import type { Call } from "./call.ts";
import { keepAble } from "./group-order.ts";
import { findRoute, requireRoute } from "./upstream.ts";

/** The most models to name in an error. */
const NAMED_MAX = 3;

/** Returns whether a model's provider can fetch the request's images. Undefined if there are none to fetch. */
export function checkImageUrls<F extends Form>(
  call: Pick<Call<F>, "operation" | "ask" | "raw" | "upstreams">,
): ((card: ModelCard) => boolean) | undefined {
  const { operation, ask, raw, upstreams } = call;
  if (operation.findImageUrl(ask) === null) return undefined;
  return (card) => {
    const upstream = upstreams.get(card.provider);
    const route = upstream && findRoute(upstream, { operation, ask, card, raw });
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
  if (upstream) requireRoute(upstream, { operation, ask, card, raw });
  operation.refuseUnable(ask, card);
  if (takesImageUrls?.(card) === false) {
    const message = `The model '${card.id}' does not accept image URLs: send images as data: URLs.`;
    throw new Fault("unsupported_capability", message, { param: operation.findImageUrl(ask) });
  }
}

/** Adds to the Fault of models that can't take a request which others can. Returns any other Fault unchanged. */
export function nameTakers<F extends Form>(
  call: Call<F>,
  fault: unknown,
  takesImageUrls: ReturnType<typeof checkImageUrls>,
): unknown {
  const isUnable = fault instanceof Fault && fault.code === "unsupported_capability";
  if (!isUnable || call.selection.kind === "selector") return fault;
  const takers = listTakers(call, takesImageUrls).map((id) => `'${id}'`);
  const hint =
    takers.length === 0
      ? "No model that this key may use accepts this request."
      : `Models that accept it: ${takers.join(", ")}.`;
  return new Fault(fault.code, `${fault.message} ${hint}`, fault.details);
}

/** Returns a few models, of different providers, that could serve the request. */
function listTakers<F extends Form>(
  { operation, ask, raw, upstreams, usable }: Call<F>,
  takesImageUrls: ReturnType<typeof checkImageUrls>,
): readonly string[] {
  const takers = new Map<string, string>();
  for (const card of usable()) {
    const upstream = upstreams.get(card.provider);
    if (takers.has(card.provider) || !upstream || !findRoute(upstream, { operation, ask, card, raw }))
      continue;
    const { able } = keepAble([card], (one) => operation.refuseUnable(ask, one));
    if (takesImageUrls?.(card) !== false && able.length > 0) takers.set(card.provider, card.id);
    if (takers.size === NAMED_MAX) break;
  }
  return [...takers.values()];
}
