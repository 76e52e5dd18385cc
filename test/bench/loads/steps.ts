// The cost of each part of one whole answer, without connections: `bun test/bench/loads/steps.ts`. CPU time, in parallel.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clock, random } from "../../../src/app/world.ts";
import type { Answer, Demand } from "../../../src/core/demand.ts";
import { UNKNOWN_ORIGIN } from "../../../src/core/log/record.ts";
import type { BillingRules, ProviderSetup } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { mintOrderedId } from "../../../src/core/world/ordered-id.ts";
import type { Log } from "../../../src/core/world/world.ts";
import type { Call } from "../../../src/gateway/call.ts";
import { Gateway } from "../../../src/gateway/gateway.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../../src/gateway/plan/upstream.ts";
import { Caches } from "../../../src/health/caches.ts";
import { Health } from "../../../src/health/health.ts";
import { KnownPrompts } from "../../../src/health/prompts.ts";
import { Stickiness } from "../../../src/health/stickiness.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { readChatRequest } from "../../../src/surfaces/openai-chat/read.ts";
import { createLineLog } from "../../../src/telemetry/log-lines.ts";
import { Telemetry } from "../../../src/telemetry/telemetry.ts";
import { createAuthorize } from "../../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { KeptConnections } from "../../../src/transport/kept.ts";
import { Reachability } from "../../../src/transport/reachability.ts";
import { readShortText } from "../../../src/transport/short-text.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { makeConversation, plainCall } from "../../harness/conversation.ts";
import { NO_TOKENS } from "../../harness/no-tokens.ts";
import { makeKey, makePlace, QUOTA } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { NO_LEARNING } from "../../learning/no-learning.ts";
import { topUp } from "../../ledger/top-up.ts";
import { RULES } from "../../selectors/training/pools.ts";
import { newMetrics } from "../../telemetry/metrics-world.ts";
import { measureCpu } from "../in-process.ts";

const ROUNDS = { before: 5000, requests: 3000, rounds: 4 };
const TOP_UP_NANO_USD = 1e15;

const content = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(16);
const asked = JSON.stringify({ model: "Local#m", messages: [{ role: "user", content }] });
const answered = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "m",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 400, completion_tokens: 180, total_tokens: 580 },
});
const card = makeModelCard("Local#m", {
  contextTokensMax: 131_072,
  outputTokensMax: 8192,
  price: { input: 0.25, output: 2 },
});
const setup: ProviderSetup = {
  name: "Local",
  dialect: "openai",
  baseUrl: "http://127.0.0.1:9/v1",
  credentials: [{ secret: "a secret of some length", weight: 1 }],
  headers: {},
  timeouts: { connectMs: 10_000, firstByteMs: null, idleMs: 60_000, totalMs: 600_000 },
  unlistedModels: false,
};
const key = makeKey("key_a");
const billing: BillingRules = { charge: "always", markup: 1 };
const upstreams = new Map([[setup.name, makeUpstream(setup, [findDialect("openai")])]]);
const deadlines = new DeadlineSweep(clock);

async function fetched(): Promise<Response> {
  const headers = { "content-type": "application/json", "content-length": String(answered.length) };
  return new Response(answered, { headers });
}

/** Answers at once without writing anything. */
async function unwritten(demand: Demand): Promise<Answer> {
  if (demand.kind !== "admit")
    return { kind: "settled", chargedNanoUsd: 1, holdNanoUsd: 9, writtenOffNanoUsd: 0, late: false };
  const outputTokens = { [card.id]: 8192 };
  return { kind: "granted", place: makePlace("balance"), limits: null, holdNanoUsd: 9, outputTokens };
}

/** Traces and logs of every request, to a collector that takes all at once. */
const { telemetry: noTelemetry, log: logRules } = readSettings("");
const destination = { url: "http://127.0.0.1:9/v1", headers: {} };
const telemetry = new Telemetry(
  {
    clock,
    random,
    fetch: async () => Response.json({}),
    readText: readShortText,
    log: () => {},
    version: "0.0.0",
  },
  { telemetry: { ...noTelemetry, traces: destination, logs: destination }, log: logRules },
);

function gatewayOn(store: Store, exported: Telemetry | null = null): Gateway {
  const metrics = newMetrics();
  const lines = createLineLog(() => {}, clock.nowMs);
  const log: Log = (event) => {
    metrics.count(event);
    exported?.log(event);
    lines(event);
  };
  const health = new Health(log);
  health.configured([setup]);
  const reach = async () => true;
  return new Gateway({
    ...(exported ? { traces: exported } : {}),
    log,
    clock,
    random,
    deadlines,
    health,
    fetch: fetched,
    ledger: createLedger({ store, clock, rules: () => ({ quota: QUOTA, billing }) }),
    vault: createVault(random.bytes(32), random),
    stickiness: new Stickiness(),
    caches: new Caches(),
    prompts: new KnownPrompts(random),
    learning: NO_LEARNING,
    reachability: new Reachability(deadlines, reach),
    kept: new KeptConnections(),
    authorize: createAuthorize(NO_TOKENS),
  });
}

async function throughGateway(gateway: Gateway, exported: Telemetry | null = null): Promise<void> {
  const nowMs = clock.nowMs();
  const request = readChatRequest(JSON.parse(asked), { messagesMax: 1000, choicesMax: 8 });
  const call: Call<ChatForm> = {
    operation: CHAT,
    surface: "openai-chat",
    id: `chatcmpl-${mintOrderedId(random, nowMs)}`,
    created: Math.floor(nowMs / 1000),
    requestId: "req_1",
    origin: UNKNOWN_ORIGIN,
    key,
    ask: request,
    ...plainCall(),
    trace: exported?.begin(null, { route: "/v1/chat/completions", path: "/v1/chat/completions" }) ?? null,
    conversation: makeConversation(key.id, request),
    selection: { kind: "card", card, fallbacks: [] },
    routes: new Routes(CHAT, "openai", upstreams),
    rules: RULES,
    markup: 1,
    ending: new Ending(),
  };
  const reply = await gateway.complete(gateway.begin(call));
  if (!JSON.stringify(reply).includes('"finish_reason":"stop"')) throw new Error("A wrong answer.");
}

/** The provider's part and the two JSON conversions, which any gateway that reads its requests needs. */
async function throughJson(): Promise<void> {
  const request: unknown = JSON.parse(asked);
  JSON.stringify(request);
  const reply: unknown = JSON.parse(await (await fetched()).text());
  JSON.stringify(reply);
}

async function costOf(work: () => Promise<void>, atOnce: number): Promise<string> {
  return (await measureCpu(work, atOnce, ROUNDS)).toFixed(1).padStart(8);
}

const directory = mkdtempSync(join(tmpdir(), "poundkey-steps-"));
const store = await openSqliteStore({ path: join(directory, "steps.db"), decide });
await unrecorded(store).addKey(key, "digest");
const money = { accountId: "default", id: "steps", nanoUsd: TOP_UP_NANO_USD, note: null, entry: null };
await topUp(store, { ...money, nowMs: clock.nowMs() });
const unwrittenStore: Store = { ...store, transact: unwritten, durable: async () => {} };
const bare = gatewayOn(unwrittenStore);
const traced = gatewayOn(unwrittenStore, telemetry);
const full = gatewayOn(store);
const volatile = gatewayOn({ ...store, durable: async () => {} });
console.log("µs of CPU per whole answer of 1 KB, at 16 and 64 at once");
for (const [name, work] of [
  ["JSON both ways", throughJson],
  ["the gateway, nothing written", () => throughGateway(bare)],
  ["the same, with traces and logs", () => throughGateway(traced, telemetry)],
  ["the gateway, held and posted", () => throughGateway(volatile)],
  ["the same, synced to the disk", () => throughGateway(full)],
] as const) {
  console.log(`${name.padEnd(32)}${await costOf(work, 16)}${await costOf(work, 64)}`);
}
await telemetry.end();
deadlines.stop();
await store.close();
rmSync(directory, { recursive: true, force: true });
