// The call for a request, and what the request is held and estimated at, without a gateway around them.

import { Fault } from "../../../src/core/faults/fault.ts";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { fitAsk, makeOffers } from "../../../src/gateway/plan/fitted.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../../src/gateway/plan/upstream.ts";
import { computeHoldTerms } from "../../../src/ledger/worst.ts";
import type { Form } from "../../../src/operations/form.ts";
import { type Asked, PLAIN_SETUP, type ProviderDialect } from "./subjects.ts";

const ENOUGH = { room: { nanoUsd: Number.MAX_SAFE_INTEGER, unnamedNanoUsd: Number.MAX_SAFE_INTEGER } };
/** The sizes of an answer whose provider reports nothing. */
const SEEN_BYTES = [0, 4000];

/** Returns what is sent for a request and what it is held and estimated at. Null if it is refused. */
export function priceCall<F extends Form>(
  { operation, read }: Pick<Asked<F>, "operation" | "read">,
  body: JsonObject,
  { provider, baseUrl, dialect }: ProviderDialect,
  card: ModelCard,
) {
  const codec = operation.findCodec(dialect);
  if (!codec) return null;
  const upstream = makeUpstream({ ...PLAIN_SETUP, name: provider, baseUrl }, [dialect]);
  const target = { baseUrl, secret: "s", headers: {} };
  try {
    const ask = read(body);
    const outgoing = operation.encode(codec, ask, card, target);
    const routes = new Routes(operation, "openai", new Map([[provider, upstream]]));
    const call = { operation, routes, raw: null, ask };
    const terms = { isLimitRequired: false, searches: 0, unreadBytes: 0 };
    const fitted = fitAsk(call, ask, card);
    const estimate = (bytes: number) =>
      operation.estimate({ ask: fitted, calls: 1, unreadBytes: 0 }, bytes, null);
    return {
      sent: JSON.stringify([outgoing.url, outgoing.body, outgoing.form]),
      /** True if the call holds something that JSON can't. */
      isStrange: isStrange(outgoing.body),
      dropped: outgoing.dropped,
      held: computeHoldTerms(makeOffers({ ...call, ...terms }, [card]), [ENOUGH], 1),
      estimates: SEEN_BYTES.map((bytes) => operation.countAmounts(estimate(bytes))),
    };
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

function isStrange(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isStrange);
  if (isObject(value)) return value === Object.prototype || Object.values(value).some(isStrange);
  return typeof value === "function" || Number.isNaN(value);
}
