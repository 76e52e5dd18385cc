// One small call to a provider, for `poundkey check --probe`: whether its address, its key and its dialect are right.
import { shippedCards } from "../catalogue/rows.ts";
import type { ModelCard } from "../core/card.ts";
import type { ProviderSetup } from "../core/settings.ts";
import { wholeAttempt } from "../gateway/attempt.ts";
import { Deadlines } from "../gateway/deadlines.ts";
import { Reachability } from "../gateway/reachability.ts";
import { dialectOf } from "./composition.ts";
import { clock, reach, upstreamFetch } from "./world.ts";

const PROBE_MS = 30_000;
const PROBE_TOKENS = 16;

/** A sentence on what the provider answered. Rejects with the Fault of a call that failed. */
export async function probe(setup: ProviderSetup): Promise<string> {
  const card = cheapestOf(setup);
  const [credential] = setup.credentials;
  if (!card || !credential) return "not called: the catalogue has no model of it";
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
      upstream: { setup, dialect: dialectOf(setup) },
      request: { model: card.id, messages: [{ role: "user", content: "Say ok." }], max_tokens: PROBE_TOKENS },
      choiceOffset: 0,
      client: new AbortController().signal,
      totalAtMs: deadlines.nowMs() + PROBE_MS,
      onDropped: () => {},
    });
    return `${card.name} answered (${reply.usage?.total_tokens ?? "?"} tokens)`;
  } finally {
    deadlines.stop();
  }
}

function cheapestOf(setup: ProviderSetup): ModelCard | undefined {
  const cards = shippedCards().filter(({ provider, price }) => provider === setup.name && price !== null);
  return cards.toSorted((a, b) => (a.price?.output ?? 0) - (b.price?.output ?? 0))[0];
}
