// A rejected credential in the whole gateway, on a manual clock: it is probed, and no client pays for it.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { random } from "../../src/app/world.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { namePayer } from "../../src/core/keys/payer.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { Ending } from "../../src/core/world/ending.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import { KnownPrompts } from "../../src/health/prompts.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { createVault } from "../../src/keys/vault.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";
import { makeKey, openMemoryStore, RULES } from "../harness/samples.ts";
import { NO_LEARNING } from "../learning/no-learning.ts";
import { makeCard } from "../selectors/planning.ts";
import { RULES as ROUTER } from "../selectors/training/pools.ts";

const MINUTE_MS = 60_000;
const CARD = makeCard("House#m");
const SETUP: ProviderSetup = {
  name: "House",
  dialect: "openai",
  baseUrl: "http://house.test/v1",
  headers: {},
  unlistedModels: true,
  credentials: ["the-good-one", "the-bad-one"].map((secret) => ({ secret, weight: 1 })),
  timeouts: { connectMs: 10_000, firstByteMs: null, idleMs: 60_000, totalMs: 600_000 },
};
const KEY = makeKey("key_a", { requestsPerDay: null });
const PAYER = namePayer(KEY);
const UPSTREAMS = new Map([["House", makeUpstream(SETUP, [findDialect("openai")])]]);
const REPLY = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

let clock: ManualClock;
let store: Store;
let gateway: Gateway;
let health: Health;
let events: LogEvent[];
/** The status that the bad one returns. Null once it works again. */
let refusal: number | null;
let asked: string[];

beforeEach(async () => {
  clock = new ManualClock();
  events = [];
  asked = [];
  refusal = 401;
  store = await openMemoryStore(KEY);
  const log = (event: LogEvent) => void events.push(event);
  const deadlines = new DeadlineSweep(clock);
  const reach = async () => true;
  health = new Health(log);
  health.configured([SETUP]);
  gateway = new Gateway({
    log,
    clock,
    random,
    deadlines,
    health,
    learning: NO_LEARNING,
    stickiness: new Stickiness(),
    caches: new Caches(),
    kept: new KeptConnections(),
    prompts: new KnownPrompts(random),
    authorize: createAuthorize(NO_TOKENS),
    ledger: createLedger({ store, clock, rules: () => RULES }),
    vault: createVault(random.bytes(32), random),
    reachability: new Reachability(deadlines, reach),
    fetch: async (_url, { headers }) => {
      const name = String(new Headers(headers).get("authorization")).includes("bad") ? "bad" : "good";
      asked.push(name);
      if (name === "good" || refusal === null) return Response.json(REPLY);
      return Response.json({ error: { message: "no" } }, { status: refusal });
    },
  });
});
afterEach(() => store.close());

/** The number of attempts for the answer. */
async function ask(at: number): Promise<number> {
  const request = { model: CARD.id, messages: [{ role: "user", content: `request ${at}` }] } as const;
  const context = gateway.begin({
    operation: CHAT,
    surface: "openai-chat",
    id: `chatcmpl-${at}`,
    created: 1,
    requestId: `req_${at}`,
    origin: UNKNOWN_ORIGIN,
    ask: request,
    routes: new Routes(CHAT, "openai", UPSTREAMS),
    key: KEY,
    ...plainCall(),
    conversation: makeConversation(KEY.id, request),
    selection: { kind: "card", card: CARD, fallbacks: [] },
    rules: ROUTER,
    markup: 1,
    ending: new Ending(),
  });
  await gateway.complete(context);
  return context.attempts;
}

const told = () => events.map(({ event }) => event).filter((event) => event.startsWith("credential"));

test("all clients are answered while a credential is refused and probed, and it returns with the first success", async () => {
  let at = 0;
  for (; !asked.includes("bad"); at++) await ask(at);
  expect(told()).toEqual(["credential_retired"]);
  // The retry budget is used up, and a probe doesn't need it.
  while (health.mayRetry("House", clock.nowMs(), PAYER));
  for (const minutes of [1, 2, 4, 8]) {
    asked = [];
    await clock.move(minutes * MINUTE_MS);
    while (health.mayRetry("House", clock.nowMs(), PAYER));
    const attempts: number[] = [];
    for (let count = 0; count < 8; count++) attempts.push(await ask(at++));
    expect([asked.filter((name) => name === "bad").length, attempts]).toEqual([1, [2, 1, 1, 1, 1, 1, 1, 1]]);
  }
  refusal = null;
  await clock.move(16 * MINUTE_MS);
  expect(await ask(at++)).toBe(1);
  expect(asked.at(-1)).toBe("bad");
  expect(told()).toEqual(["credential_retired", "credential_back"]);
});

test("if all are refused, clients get an error until one is accepted again", async () => {
  let at = 0;
  for (; !asked.includes("bad"); at++) await ask(at);
  await clock.move(1000);
  const good = SETUP.credentials[0];
  if (!good) throw new Error("no credential");
  health
    .begin({ card: CARD, credential: good }, clock.nowMs())
    ?.fail(clock.nowMs(), new Fault("upstream_auth", "no", { upstreamStatus: 402 }));
  expect(told()).toEqual(["credential_retired", "credential_retired"]);
  await clock.move(1000);
  const refused = await ask(at++).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "upstream_auth" });
  expect(await ask(at++)).toBe(1);
  expect(told()).toEqual(["credential_retired", "credential_retired", "credential_back"]);
});
