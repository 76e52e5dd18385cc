// Tests a provider's address, key and dialect with one small call, for `poundkey check --probe` and the console.

import { failureView } from "../../admin/log/failure.ts";
import type { TestResult } from "../../admin/models/providers.ts";
import { describeFailure } from "../../core/faults/failure.ts";
import { Fault, toFault } from "../../core/faults/fault.ts";
import type { ProviderCall } from "../../core/log/provider-call.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Credential, ProviderSetup } from "../../core/settings.ts";
import { Ending } from "../../core/world/ending.ts";
import type { Fetch } from "../../core/world/world.ts";
import { runWhole } from "../../gateway/attempt/attempt.ts";
import { Routes } from "../../gateway/plan/routes.ts";
import { makeUpstream } from "../../gateway/plan/upstream.ts";
import { SHOWN_CHARACTERS_MIN } from "../../health/credential.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { createAuthorize } from "../../transport/auth/authorize.ts";
import { DeadlineSweep } from "../../transport/deadlines.ts";
import { KeptConnections } from "../../transport/kept.ts";
import { Reachability } from "../../transport/reachability.ts";
import { clock, reach, readTokenFile, upstreamFetch } from "../world.ts";
import { chooseDialects } from "./dialects.ts";
import { listModels } from "./discovery.ts";
import { ProbeWatcher } from "./probe-call.ts";

const PROBE_MS = 30_000;
const PROBE_TOKENS = 16;

/** The result of one small call with a credential, which is named by its last characters or its place in the list. */
export interface ProbeResult extends TestResult {
  readonly credential: string;
}

/** Calls the provider's cheapest model once with each of its credentials, one after the other. Never rejects. */
export async function probe(
  setup: ProviderSetup,
  listed: readonly ModelCard[],
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  const found = setup.discovers ? await listModels(setup, upstreamFetch).catch(toFault) : [];
  const cards = found instanceof Fault ? listed : [...listed, ...found];
  // Some providers only serve other operations than chat.
  const isCallable = findCheapest(setup, cards) !== undefined;
  for (const [at, credential] of setup.credentials.entries()) {
    const named = { credential: nameCredential(credential, at + 1) };
    if (isCallable)
      results.push({ ...named, ...(await testCredential(setup, credential, cards, upstreamFetch)) });
    else if (found instanceof Fault) results.push({ ...named, ...describeFailed(found) });
    else results.push({ ...named, ...UNCALLED, ok: true, error: null });
  }
  return results;
}

function nameCredential({ secret, proof }: Credential, position: number): string {
  if (secret === null) return proof === undefined ? "no key" : `key ${position}`;
  return secret.length < SHOWN_CHARACTERS_MIN ? `key ${position}` : `key ${position} (…${secret.slice(-4)})`;
}

/** Calls the cheapest of the models with this credential. Never rejects. */
export async function testCredential(
  setup: ProviderSetup,
  credential: Credential,
  cards: readonly ModelCard[],
  fetch: Fetch,
  onCall: (call: ProviderCall) => Promise<void> = async () => {},
): Promise<TestResult> {
  const card = findCheapest(setup, cards);
  if (!card)
    return { ...UNCALLED, error: "None of the provider's models are listed, so there is none to call." };
  const startedMs = clock.monotonicMs();
  const took = () => Math.round(clock.monotonicMs() - startedMs);
  const called = { ...UNCALLED, model: card.id };
  const { fault, call } = await askOnce(setup, credential, card, fetch);
  const latency_ms = took();
  if (call !== null) await onCall(call);
  return fault === null
    ? { ...called, ok: true, status: 200, latency_ms, error: null }
    : { ...called, ...describeFailed(fault), model: card.id, latency_ms };
}

const UNCALLED = {
  ok: false,
  status: null,
  latency_ms: null,
  model: null,
  ...failureView(undefined),
} as const;

function describeFailed(fault: Fault): TestResult {
  const status = fault.details.upstreamStatus ?? null;
  return { ...UNCALLED, ...failureView(describeFailure(fault)), status, error: fault.message };
}

async function askOnce(setup: ProviderSetup, credential: Credential, card: ModelCard, fetch: Fetch) {
  const deadlines = new DeadlineSweep(clock);
  const kept = new KeptConnections();
  const reachability = new Reachability(deadlines, reach);
  const authorize = createAuthorize({ clock, deadlines, fetch, readFile: readTokenFile });
  const ports = { clock, deadlines, fetch, reachability, kept, authorize };
  const watcher = new ProbeWatcher();
  const upstream = makeUpstream(setup, chooseDialects(setup));
  const ask = {
    model: card.id,
    messages: [{ role: "user" as const, content: "Say ok." }],
    max_tokens: PROBE_TOKENS,
  };
  const describe = (answer: ChatForm["reply"] | null, fault: Fault | null) => ({
    fault,
    call: watcher.describe({ setup, credential, card }, ask, answer, fault),
  });
  try {
    const answer = await runWhole(ports, {
      card,
      credential,
      permit: null,
      upstream,
      routes: new Routes(CHAT, "openai", new Map([[setup.name, upstream]])),
      operation: CHAT,
      ask,
      raw: null,
      dropped: [],
      lost: [],
      offset: 0,
      client: new Ending(),
      fresh: true,
      totalAtMs: deadlines.nowMs() + PROBE_MS,
      clientLimitAtMs: Number.POSITIVE_INFINITY,
      watcher,
      onUsage: () => {},
    });
    return describe(answer, null);
  } catch (thrown) {
    return describe(null, toFault(thrown));
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
