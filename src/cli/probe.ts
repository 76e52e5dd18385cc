// One small call to a provider, for `poundkey check --probe`: whether its address, its key and its dialect are right.
import type { ModelCard } from "../core/card.ts";
import type { ProviderSetup } from "../core/settings.ts";
import { wholeAttempt } from "../gateway/attempt.ts";
import { Deadlines } from "../gateway/deadlines.ts";
import { Reachability } from "../gateway/reachability.ts";
import { upstreamOf } from "../gateway/upstream.ts";
import { dialectOf } from "./composition.ts";
import { clock, reach, upstreamFetch } from "./world.ts";

const PROBE_MS = 30_000;
const PROBE_TOKENS = 16;

/** A sentence on what the cheapest of the provider's models answered. Rejects with the Fault of a call that failed. */
export async function probe(setup: ProviderSetup, cards: readonly ModelCard[]): Promise<string> {
  const [card] = cards.toSorted((a, b) => outputPriceOf(a) - outputPriceOf(b));
  const [credential] = setup.credentials;
  if (!card || !credential) return "not called: no model of it is listed";
  const deadlines = new Deadlines(clock);
  const ports = {
    clock,
    deadlines,
    fetch: upstreamFetch,
    reach,
    reachability: new Reachability(deadlines, reach),
  };
  try {
    const reply = await wholeAttempt(ports, {
      card,
      credential,
      trial: null,
      upstream: upstreamOf(setup, dialectOf(setup)),
      request: { model: card.id, messages: [{ role: "user", content: "Say ok." }], max_tokens: PROBE_TOKENS },
      choiceOffset: 0,
      client: new AbortController().signal,
      totalAtMs: deadlines.nowMs() + PROBE_MS,
      onDropped: () => {},
      onUsage: () => {},
    });
    return `${card.name} answered (${reply.usage?.total_tokens ?? "?"} tokens)`;
  } finally {
    deadlines.stop();
  }
}

function outputPriceOf({ price }: ModelCard): number {
  return price?.output ?? Number.POSITIVE_INFINITY;
}
