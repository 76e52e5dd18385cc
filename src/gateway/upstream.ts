// The upstreams: providers that are on, each with its dialects, and the one of them that a call goes over.
import type { ModelCard } from "../core/card.ts";
import type { RawRequest } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import type { ProviderSetup } from "../core/settings.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Codec, Lane } from "../operations/codec.ts";
import type { Form } from "../operations/form.ts";
import type { Operation } from "../operations/operation.ts";

/** A provider that is on, with the code that speaks to it. */
export interface Upstream {
  readonly setup: ProviderSetup;
  /** In the provider's order of preference. */
  readonly dialects: readonly Dialect[];
  /** Its address and its other names, which no message to a client may hold. */
  readonly hosts: readonly string[];
}

export function makeUpstream(setup: ProviderSetup, dialects: readonly Dialect[]): Upstream {
  const { host, hostname } = new URL(setup.baseUrl);
  return { setup, dialects, hosts: [host, hostname, ...(setup.unspoken ?? [])] };
}

/** The way of one call: the dialect that it goes over, and the lane if the client's own request is sent. */
export interface Route<F extends Form> {
  readonly dialect: Dialect;
  readonly codec: Codec<F>;
  readonly lane: Lane<F> | null;
}

interface Asked<F extends Form> {
  readonly operation: Operation<F>;
  readonly card: ModelCard;
  /** null: the request is translated. */
  readonly raw: RawRequest | null;
}

/**
 * Returns the first of the card's dialects that takes the client's own request, or else the first that serves the
 * operation; null if none does.
 */
export function findRoute<F extends Form>(
  { dialects, setup }: Upstream,
  { operation, card, raw }: Asked<F>,
): Route<F> | null {
  if (card.operations && !card.operations.has(operation.name)) return null;
  let first: Route<F> | null = null;
  for (const dialect of dialects) {
    const codec = operation.findCodec(dialect);
    if (!codec || !isSpoken(dialect, card)) continue;
    const lane = raw === null ? null : (codec.lanes?.[raw.family] ?? null);
    if (lane && (lane.serves?.(card, setup.apiVersion) ?? true)) return { dialect, codec, lane };
    first ??= { dialect, codec, lane: null };
  }
  return first;
}

/** Throws the Fault of a model that doesn't serve the operation. */
export function requireRoute<F extends Form>(upstream: Upstream, asked: Asked<F>): Route<F> {
  const route = findRoute(upstream, asked);
  if (route) return route;
  const message = `The model '${asked.card.id}' does not serve ${asked.operation.name}: GET /v1/models lists the operations of each model.`;
  throw new Fault("unsupported_capability", message, { param: "model" });
}

function isSpoken({ name, onlyNamed = false, names }: Dialect, card: ModelCard): boolean {
  if (card.dialects) return card.dialects.includes(name);
  return !onlyNamed && (names?.test(card.name) ?? true);
}
