// The writer of the summary when a client compacts its conversation: the model's own provider, or a model on our behalf.

import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Pin } from "../../gateway/plan/pin.ts";
import type { Form } from "../../operations/form.ts";
import type { Exchange } from "../../surfaces/surface.ts";
import type { ModelSetup, Setups } from "../door/setups.ts";
import type { Snapshot } from "../ports.ts";

/** The providers whose own summaries their models go on from ("Compaction", OpenAI's API reference, November 2026). */
export const COMPACTING: ReadonlySet<string> = new Set(["OpenAI", "Azure"]);

/**
 * Returns the request as it is for a provider that compacts, or else as one for a summary that every model can read. A
 * conversation that its provider stores, to which `pin` leads, is known to nobody else.
 */
export function chooseCompaction<F extends Form>(
  snapshot: Snapshot,
  setups: Setups<F>,
  key: GatewayKey,
  exchange: Exchange<F>,
  pin: Pin | null,
): Exchange<F> {
  const { isOwn = false, model = null } = snapshot.limits.compaction ?? {};
  const setup = setups.find(snapshot, exchange.ask.model, key);
  const isNative = pin !== null || (!isOwn && model === null && compactsItself(setup, exchange));
  if (isNative || !exchange.compact) return exchange;
  return exchange.compact(model !== null && isUsable(snapshot, setups, key, model) ? model : null);
}

function compactsItself<F extends Form>(
  { named, routes }: ModelSetup<F>,
  { ask, raw }: Exchange<F>,
): boolean {
  if (named.kind !== "card" || named.fallbacks.length > 0 || raw === null) return false;
  const { card } = named;
  return COMPACTING.has(card.provider) && routes.find(card, ask, raw)?.lane != null;
}

function isUsable<F extends Form>(
  snapshot: Snapshot,
  setups: Setups<F>,
  key: GatewayKey,
  model: string,
): boolean {
  try {
    setups.find(snapshot, model, key);
    return true;
  } catch (thrown) {
    if (thrown instanceof Fault) return false;
    throw thrown;
  }
}
