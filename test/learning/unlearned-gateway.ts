// Composes a gateway without the room that learns, over three simulated providers with the shipped models, and prints
// what each selector chose and who answered, as JSON.
import { chooseDialects } from "../../src/app/models/dialects.ts";
import { clock, random } from "../../src/app/world.ts";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import { SELECTORS, type Selector } from "../../src/core/models/selector.ts";
import { Ending } from "../../src/core/world/ending.ts";
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
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";
import { makeKey, openMemoryStore, RULES } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";
import { asking, CODE, MATH, TRIVIA } from "../selectors/sample-cards.ts";
import { startSimulator } from "../simulator/server.ts";
import { NO_LEARNING } from "./no-learning.ts";

const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const settings = readSettings(
  [
    "providers:",
    `  OpenAI: { keys: [sim-key], base_url: "${simulator.url}/openai/v1" }`,
    `  Anthropic: { keys: [sim-key], base_url: "${simulator.url}/anthropic/v1" }`,
    `  Google: { keys: [sim-key], base_url: "${simulator.url}/gemini/v1beta" }`,
  ].join("\n"),
);
const upstreams = new Map(
  settings.providers.map((setup) => [setup.name, makeUpstream(setup, chooseDialects(setup))]),
);
const candidates = buildCatalogue(settings).list();
const key = makeKey("key_a", { requestsPerDay: null });
const store = await openMemoryStore(key);
const log = () => {};
const deadlines = new DeadlineSweep(clock);
const health = new Health(log);
health.configured(settings.providers);
const gateway = new Gateway({
  log,
  clock,
  random,
  deadlines,
  health,
  fetch,
  learning: NO_LEARNING,
  stickiness: new Stickiness(),
  caches: new Caches(),
  kept: new KeptConnections(),
  prompts: new KnownPrompts(random),
  authorize: createAuthorize(NO_TOKENS),
  ledger: createLedger({ store, clock, rules: () => RULES }),
  vault: createVault(random.bytes(32), random),
  reachability: new Reachability(deadlines, async () => true),
});

async function ask(selector: Selector, prompt: string) {
  const request = asking(prompt);
  const id = `chatcmpl-${crypto.randomUUID()}`;
  const context = gateway.begin({
    operation: CHAT,
    surface: "openai-chat",
    id,
    created: 1,
    requestId: id,
    origin: UNKNOWN_ORIGIN,
    ask: request,
    routes: new Routes(CHAT, "openai", upstreams),
    key,
    ...plainCall(),
    conversation: makeConversation(key.id, request),
    selection: { kind: "selector", selector: SELECTOR_RULES[selector], candidates },
    rules: settings.router,
    markup: 1,
    ending: new Ending(),
  });
  await gateway.complete(context);
  const chosen = context.plan.decision?.candidates.find(
    ({ model }) => model === context.plan.decision?.choice,
  );
  return { selector, source: chosen?.source, cost: chosen?.cost_usd, used: context.record?.modelUsed };
}

const answers = [];
for (const selector of SELECTORS)
  for (const prompt of [MATH, CODE, TRIVIA]) answers.push(await ask(selector, prompt));
console.log(JSON.stringify(answers));
await store.close();
await simulator.stop();
