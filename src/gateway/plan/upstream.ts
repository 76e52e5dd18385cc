// Upstreams: the enabled providers with their dialects, and the choice of dialect for a call.

import { Fault } from "../../core/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { RawRequest } from "../../core/models/dialect.ts";
import type { ProviderSetup } from "../../core/settings.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Codec, Lane } from "../../operations/codec.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import { listSecrets } from "../../transport/auth/authorize.ts";
import { listHeaderWords } from "../../transport/redact.ts";

/** An enabled provider and the code that speaks to it. */
export interface Upstream {
  readonly setup: ProviderSetup;
  /** In order of preference. */
  readonly dialects: readonly Dialect[];
  /** Its host, its credentials, the values of its headers and other words that must not appear in messages to clients. */
  readonly redactedWords: readonly string[];
}

export function makeUpstream(setup: ProviderSetup, dialects: readonly Dialect[]): Upstream {
  const { host, hostname } = new URL(setup.baseUrl);
  const redactedWords = [
    host,
    hostname,
    ...(setup.redactedWords ?? []),
    ...setup.credentials.flatMap(listSecrets),
    ...Object.values(setup.headers).flatMap(listHeaderWords),
  ];
  return { setup, dialects, redactedWords };
}

/** The dialect a call uses, and its lane if the client's own request is sent unchanged. */
export interface Route<F extends Form> {
  readonly dialect: Dialect;
  readonly codec: Codec<F>;
  readonly lane: Lane<F> | null;
}

interface DialectChoice<F extends Form> {
  readonly operation: Operation<F>;
  readonly ask: F["ask"];
  readonly card: ModelCard;
  /** Null if the request is translated. */
  readonly raw: RawRequest | null;
}

/**
 * Returns the first of the card's dialects that takes the client's own request, or else the first that serves the
 * operation. Returns null if none does.
 */
export function findRoute<F extends Form>(
  { dialects, setup }: Upstream,
  { operation, ask, card, raw }: DialectChoice<F>,
): Route<F> | null {
  if (card.operations && !card.operations.has(operation.name)) return null;
  let first: Route<F> | null = null;
  for (const dialect of dialects) {
    const codec = operation.findCodec(dialect);
    if (!codec || !isSpoken(dialect, card)) continue;
    const lane = raw === null ? null : (codec.lanes?.[raw.family] ?? null);
    const isServed = lane?.serves?.(card, setup.apiVersion) ?? true;
    if (lane && isServed && !operation.cuts?.(codec, ask, card)) return { dialect, codec, lane };
    first ??= { dialect, codec, lane: null };
  }
  return first;
}

/** Throws a Fault if the model doesn't serve the operation. */
export function requireRoute<F extends Form>(upstream: Upstream, asked: DialectChoice<F>): Route<F> {
  const route = findRoute(upstream, asked);
  if (route) return route;
  const { id, operations } = asked.card;
  const others = operations ? `, only ${[...operations].join(" and ")}` : "";
  const message = `The model '${id}' does not serve ${asked.operation.name}${others}: GET /v1/models lists the operations of each model.`;
  throw new Fault("unsupported_capability", message, { param: "model" });
}

function isSpoken({ name, names }: Dialect, card: ModelCard): boolean {
  return card.dialects?.includes(name) ?? names?.test(card.name) ?? true;
}
