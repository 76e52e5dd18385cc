// Tests a provider's address, key and dialect with one small call, for `poundkey check --probe` and the console.

import type { TestResult } from "../admin/providers.ts";
import type { ModelCard } from "../core/card.ts";
import { Ending } from "../core/ending.ts";
import { toFault } from "../core/fault.ts";
import type { Credential, ProviderSetup } from "../core/settings.ts";
import type { Fetch } from "../core/world.ts";
import { runWhole } from "../gateway/attempt.ts";
import { makeUpstream } from "../gateway/upstream.ts";
import { CHAT } from "../operations/chat/operation.ts";
import { createAuthorize } from "../transport/auth/authorize.ts";
import { DeadlineSweep } from "../transport/deadlines.ts";
import { KeptConnections } from "../transport/kept.ts";
import { Reachability } from "../transport/reachability.ts";
import { chooseDialects } from "./dialects.ts";
import { listModels } from "./discovery.ts";
import { clock, reach, readTokenFile, upstreamFetch } from "./world.ts";

const PROBE_MS = 30_000;
const PROBE_TOKENS = 16;

/** Calls the provider's cheapest model and returns a sentence on its answer. Rejects with a failed call's Fault. */
export async function probe(setup: ProviderSetup, listed: readonly ModelCard[]): Promise<string> {
  const found = setup.discovers ? await listModels(setup, upstreamFetch) : [];
  const card = findCheapest(setup, [...listed, ...found]);
  const [credential] = setup.credentials;
  if (!card || !credential) return "not called, because none of its models are listed";
  const reply = await askOnce(setup, credential, card, upstreamFetch);
  return `${card.name} answered (${reply.usage?.total_tokens ?? "?"} tokens)`;
}

/** Calls the cheapest of the models with this credential. Never rejects. */
export async function testCredential(
  setup: ProviderSetup,
  credential: Credential,
  cards: readonly ModelCard[],
  fetch: Fetch,
): Promise<TestResult> {
  const card = findCheapest(setup, cards);
  const result = { ok: false, status: null, latency_ms: null, model: card?.id ?? null };
  if (!card)
    return { ...result, error: "None of the provider's models are listed, so there is none to call." };
  const startedMs = clock.monotonicMs();
  const took = () => Math.round(clock.monotonicMs() - startedMs);
  try {
    await askOnce(setup, credential, card, fetch);
    return { ...result, ok: true, status: 200, latency_ms: took(), error: null };
  } catch (thrown) {
    const fault = toFault(thrown);
    const status = fault.details.upstreamStatus ?? null;
    return { ...result, status, latency_ms: took(), error: fault.message };
  }
}

async function askOnce(setup: ProviderSetup, credential: Credential, card: ModelCard, fetch: Fetch) {
  const deadlines = new DeadlineSweep(clock);
  const kept = new KeptConnections();
  const reachability = new Reachability(deadlines, reach);
  const authorize = createAuthorize({ clock, deadlines, fetch, readFile: readTokenFile });
  const ports = { clock, deadlines, fetch, reachability, kept, authorize };
  try {
    return await runWhole(ports, {
      card,
      credential,
      permit: null,
      upstream: makeUpstream(setup, chooseDialects(setup)),
      operation: CHAT,
      ask: { model: card.id, messages: [{ role: "user", content: "Say ok." }], max_tokens: PROBE_TOKENS },
      raw: null,
      dropped: [],
      lost: [],
      offset: 0,
      client: new Ending(),
      fresh: true,
      totalAtMs: deadlines.nowMs() + PROBE_MS,
      clientLimitAtMs: Number.POSITIVE_INFINITY,
      watcher: null,
      onUsage: () => {},
    });
  } finally {
    deadlines.stop();
  }
}

/** Returns the cheapest chat model, if possible of the first dialect: a cloud's others must be enabled one by one. */
function findCheapest(setup: ProviderSetup, cards: readonly ModelCard[]): ModelCard | undefined {
  const [first] = chooseDialects(setup);
  const chats = cards.filter(({ operations }) => operations?.has("chat") ?? true);
  const usual = chats.filter(({ dialects }) => first && (dialects?.includes(first.name) ?? true));
  const among = usual.length > 0 ? usual : chats;
  return among.toSorted((a, b) => readOutputPrice(a) - readOutputPrice(b))[0];
}

function readOutputPrice({ price }: ModelCard): number {
  return price?.output ?? Number.POSITIVE_INFINITY;
}
