// A payer's requests at gateways that another payer may use at the same time: seeded, on virtual time.
import { toFault } from "../../src/core/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import { Ending } from "../../src/core/world/ending.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { OPENAI } from "../../src/dialects/openai/models.ts";
import type { RequestContext } from "../../src/gateway/context.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { Selection } from "../../src/gateway/plan/plan.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { best } from "../../src/selectors/best.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { makeAccount, makeKey, NOON, openMemoryStore } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { even } from "../selectors/sample-cards.ts";
import { Dice } from "./dice.ts";
import { EventClock } from "./event-clock.ts";
import { makeGateway } from "./lone-gateway.ts";

/** The ways of a request, of which its own text is the cause: a provider answers it like this whoever calls. */
const BAD_WAYS = {
  error: 6,
  overloaded: 2,
  forbidden: 3,
  unauthorized: 1,
  cut: 3,
  garbage: 2,
  empty: 2,
  hanging: 1,
  slow: 2,
  left: 2,
} as const;
type Way = "fine" | keyof typeof BAD_WAYS;

/** What the provider does to everybody for a while, which no request can cause. */
const TROUBLES = { limited: 1, unreachable: 1, oneLimited: 2, badKey: 2 } as const;
/** Those of one credential, beside which the others serve. */
const OF_ONE: ReadonlySet<string> = new Set(["oneLimited", "badKey"]);

interface Trouble {
  readonly kind: keyof typeof TROUBLES;
  readonly provider: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Ask {
  readonly name: string;
  readonly atMs: number;
  readonly node: number;
  readonly way: Way;
  readonly isStreamed: boolean;
  readonly target: keyof typeof TARGETS;
}

export interface BesideScenario {
  readonly nodes: number;
  readonly first: readonly Ask[];
  readonly second: readonly Ask[];
  readonly troubles: readonly Trouble[];
  readonly keys: { readonly first: GatewayKey; readonly second: GatewayKey };
}

/** What the first payer's request came to. */
export interface Fate {
  readonly ask: Ask;
  /** `ok`, or the code of the fault. */
  readonly end: string;
  readonly model: string | null;
  readonly costNanoUsd: number | null;
}

const PRICE = { input: 1, output: 2 };
const ALPHA = makeModelCard("Alpha#large", { price: PRICE, skills: even(0.9) });
const BETA = makeModelCard("Beta#small", { price: PRICE, skills: even(0.6) });

/** The models that requests name: one alone, an alias with a fallback, and a selector's choice. */
const TARGETS = {
  named: { kind: "card", card: ALPHA, fallbacks: [] },
  alias: { kind: "card", card: ALPHA, fallbacks: [BETA] },
  selector: { kind: "selector", selector: best, candidates: [ALPHA, BETA] },
} as const satisfies Record<string, Selection>;

const CREDENTIALS: Readonly<Record<string, number>> = { Alpha: 3, Beta: 2 };
const TIMEOUTS = { connectMs: 2000, firstByteMs: 3000, idleMs: 2000, totalMs: 8000 };
const ROUTER = { fairQuality: 0.85, deny: [], pin: {}, rules: [], explore: 0 };
const DIALECT = makeOpenaiDialect(OPENAI);
const SECOND_ACCOUNT = "acct_second";
const LENGTH_MS = 40_000;
const CALL_MS = 20;
const SLOW_MS = 2500;
/** Turns of the event loop in which a request goes on by itself, before it counts as waiting for the clock. */
const TURNS_MAX = 25;
const LIMITED_MS = 1000;
/** How long after a trouble breakers may wait for their next test: about as long as the trouble was, and a rest. */
const AFTER_MS = 3000;

const PROVIDERS: readonly ProviderSetup[] = Object.entries(CREDENTIALS).map(([name, count]) => ({
  name,
  dialect: null,
  baseUrl: `https://${name.toLowerCase()}.example/v1`,
  credentials: Array.from({ length: count }, (_, at) => ({
    secret: `secret ${at} of ${name}`,
    weight: 1,
  })),
  headers: {},
  timeouts: TIMEOUTS,
  unlistedModels: false,
}));

export function makeBesideScenario(seed: number): BesideScenario {
  const dice = new Dice(seed);
  const nodes = dice.int(1, 2);
  const areMembers = dice.chance(0.5);
  const ownShare = dice.pick([0, 0.01, 0.05]);
  const own = { requestsPerDay: null };
  return {
    nodes,
    first: Array.from({ length: dice.int(30, 60) }, (_, at) => {
      const way = dice.chance(ownShare) ? dice.weighted(BAD_WAYS) : "fine";
      return makeAsk(dice, `first ${at}`, dice.int(0, LENGTH_MS), way, nodes);
    }),
    second: makeBursts(dice, nodes),
    troubles: dice.chance(0.5) ? [makeTrouble(dice)] : [],
    keys: {
      first: makeKey("key_first", { ...own, ...(areMembers ? { memberId: "mem_first" } : {}) }),
      second: makeKey("key_second", {
        ...own,
        ...(areMembers ? { memberId: "mem_second" } : { accountId: SECOND_ACCOUNT }),
      }),
    },
  };
}

function makeAsk(dice: Dice, name: string, atMs: number, way: Way, nodes: number): Ask {
  const target = dice.weighted({ named: 4, alias: 2, selector: 3 });
  return { name, atMs, node: dice.int(0, nodes - 1), way, isStreamed: dice.chance(0.5), target };
}

/** Each burst asks for one thing again and again, as agents do, or mixes them. */
function makeBursts(dice: Dice, nodes: number): readonly Ask[] {
  const asks: Ask[] = [];
  for (let bursts = dice.int(2, 6); bursts > 0; bursts--) {
    const fromMs = dice.int(0, LENGTH_MS);
    const everyMs = dice.pick([10, 100, 700]);
    const only = dice.chance(0.6) ? dice.weighted(BAD_WAYS) : null;
    const badShare = dice.pick([0.3, 0.45, 0.9, 1]);
    for (let at = dice.int(5, 60); at > 0; at--) {
      const way = dice.chance(badShare) ? (only ?? dice.weighted(BAD_WAYS)) : "fine";
      asks.push(makeAsk(dice, `second ${asks.length}`, fromMs + at * everyMs, way, nodes));
    }
  }
  return asks;
}

function makeTrouble(dice: Dice): Trouble {
  const fromMs = dice.int(0, LENGTH_MS / 2);
  const untilMs = fromMs + dice.int(500, 6000);
  return { kind: dice.weighted(TROUBLES), provider: dice.pick(Object.keys(CREDENTIALS)), fromMs, untilMs };
}

/** True while a trouble, or the waits of breakers that it opened, may decide what becomes of a request. */
export function isTroubled({ troubles }: BesideScenario, { atMs }: Ask): boolean {
  return troubles.some(
    ({ kind, fromMs, untilMs }) =>
      !OF_ONE.has(kind) &&
      atMs >= fromMs - TIMEOUTS.totalMs &&
      atMs < untilMs + (untilMs - fromMs) + AFTER_MS,
  );
}

/** Runs the first payer's requests, with the second's beside them or without. */
export function runBeside(
  seed: number,
  scenario: BesideScenario,
  isBeside: boolean,
): Promise<readonly Fate[]> {
  return new Beside(seed, scenario).run(isBeside);
}

class Beside {
  readonly #seed: number;
  readonly #scenario: BesideScenario;
  readonly #clock = new EventClock(NOON);
  readonly #fates: Fate[] = [];
  /** Requests that haven't ended, those that wait for their provider, and the difference of both at the last look. */
  #open = 0;
  #waiting = 0;
  #running = 0;
  #turns = 0;

  constructor(seed: number, scenario: BesideScenario) {
    this.#seed = seed;
    this.#scenario = scenario;
  }

  async run(isBeside: boolean): Promise<readonly Fate[]> {
    const { first, second, keys, nodes } = this.#scenario;
    const store = await openMemoryStore();
    await unrecorded(store).addAccount(makeAccount(SECOND_ACCOUNT));
    for (const key of [keys.first, keys.second]) await unrecorded(store).addKey(key, `digest of ${key.id}`);
    await store.beat();
    const gateways = Array.from({ length: nodes }, (_, at) =>
      makeGateway({
        store,
        clock: this.#clock,
        dice: new Dice(this.#seed + at),
        fetch: (url, init) => this.#fetch(url, init),
        providers: PROVIDERS,
      }),
    );
    const upstreams = new Map(PROVIDERS.map((setup) => [setup.name, makeUpstream(setup, [DIALECT])]));
    const routes = new Routes(CHAT, "openai", upstreams);
    const asked: Promise<void>[] = [];
    const schedule = (asks: readonly Ask[], key: GatewayKey) => {
      for (const ask of asks) {
        const gateway = gateways[ask.node];
        if (gateway === undefined) continue;
        this.#clock.after(ask.atMs, () => void asked.push(this.#ask(gateway, routes, ask, key)));
      }
    };
    schedule(first, keys.first);
    if (isBeside) schedule(second, keys.second);
    await this.#clock.run({
      isBusy: () => gateways.some(({ open }) => open > 0),
      isWorking: () => this.#isRunning(),
    });
    await Promise.all(asked);
    await store.close();
    return this.#fates.toSorted((a, b) => a.ask.atMs - b.ask.atMs || a.ask.name.localeCompare(b.ask.name));
  }

  /** True while a request neither waits for its provider nor, for all that is known, for the clock. */
  #isRunning(): boolean {
    const running = this.#open - this.#waiting;
    this.#turns = running === this.#running ? this.#turns + 1 : 0;
    this.#running = running;
    return running > 0 && this.#turns < TURNS_MAX;
  }

  async #wait(ms: number): Promise<void> {
    this.#waiting++;
    await this.#clock.wait(ms);
    this.#waiting--;
  }

  /** Answers as the text of the request says, unless there is a trouble. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    const provider = url.includes("alpha") ? "Alpha" : "Beta";
    const body = String(init.body);
    const way = /way: (\w+)/.exec(body)?.[1] ?? "";
    const isStreamed = body.includes('"stream":true');
    await this.#wait(CALL_MS);
    const trouble = this.#findTrouble(provider, new Headers(init.headers).get("authorization") ?? "");
    if (trouble !== null) return trouble();
    if (way === "hanging") return this.#hang(init.signal ?? null);
    if (way === "slow") await this.#wait(SLOW_MS);
    return REFUSALS[way]?.() ?? (isStreamed ? this.#stream(way) : answerWhole(way));
  }

  #findTrouble(provider: string, authorization: string): (() => Response) | null {
    const nowMs = this.#clock.monotonicMs;
    const now = this.#scenario.troubles.find(
      (one) => one.provider === provider && nowMs >= one.fromMs && nowMs < one.untilMs,
    );
    if (now === undefined) return null;
    if (OF_ONE.has(now.kind) && !authorization.includes("secret 0")) return null;
    return TROUBLED[now.kind];
  }

  async #hang(signal: AbortSignal | null): Promise<never> {
    this.#waiting++;
    const ended = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
    try {
      return await ended.promise;
    } finally {
      this.#waiting--;
    }
  }

  #stream(way: string): Response {
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        for (const piece of STREAM) {
          if (way === "garbage") controller.enqueue(encode("data: {{{\n\n"));
          controller.enqueue(encode(way === "empty" ? "" : `data: ${JSON.stringify(piece)}\n\n`));
          await this.#clock.wait(CALL_MS);
          if (way === "cut") return controller.error(cutConnection());
        }
        if (way !== "empty") controller.enqueue(encode("data: [DONE]\n\n"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  async #ask(gateway: Gateway, routes: Routes<ChatForm>, ask: Ask, key: GatewayKey): Promise<void> {
    const { name, way, isStreamed, target } = ask;
    const selection: Selection = TARGETS[target];
    const model = selection.kind === "card" ? selection.card.id : "Router#best";
    const messages = [{ role: "user" as const, content: `${name}, way: ${way}` }];
    const request = { model, messages, ...(isStreamed ? { stream: true } : {}) };
    const ending = new Ending();
    const context = gateway.begin({
      operation: CHAT,
      surface: "openai-chat",
      id: `chatcmpl-${name}`,
      created: 1,
      requestId: `req-${name}`,
      origin: UNKNOWN_ORIGIN,
      key,
      ask: request,
      ...plainCall(),
      conversation: makeConversation(key.id, request),
      selection,
      routes,
      rules: ROUTER,
      markup: 1,
      ending,
    });
    this.#open++;
    const end = await this.#read(gateway, context, ask, ending);
    this.#open--;
    if (key === this.#scenario.keys.first)
      this.#fates.push({ ask, end, model: context.model, costNanoUsd: context.costs?.cost ?? null });
  }

  async #read(
    gateway: Gateway,
    context: RequestContext<ChatForm>,
    { way, isStreamed }: Ask,
    ending: Ending,
  ): Promise<string> {
    try {
      if (!isStreamed) {
        if (way === "left") this.#clock.after(CALL_MS / 2, () => ending.end());
        await gateway.complete(context);
        return "ok";
      }
      const answer = gateway.stream(context);
      if (way === "left") this.#clock.after(CALL_MS / 2, () => answer.leave());
      await answer.begin();
      await answer.pour(() => null);
      return "ok";
    } catch (thrown) {
      return toFault(thrown).code;
    }
  }
}

const cutConnection = () => Object.assign(new Error("The connection was cut."), { code: "ECONNRESET" });
const encode = (text: string) => new TextEncoder().encode(text);
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function answerWhole(way: string): Response {
  if (way === "garbage") return new Response("{{{", { headers: { "content-type": "application/json" } });
  if (way === "empty") return new Response("", { headers: { "content-type": "application/json" } });
  if (way === "cut") {
    const start = (controller: ReadableStreamDefaultController) => controller.error(cutConnection());
    return new Response(new ReadableStream({ start }), { headers: { "content-type": "application/json" } });
  }
  return Response.json({
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: USAGE,
  });
}

const CHUNK = { id: "x", object: "chat.completion.chunk", created: 1, model: "m" };
const STREAM = [
  { ...CHUNK, choices: [{ index: 0, delta: { role: "assistant", content: "o" }, finish_reason: null }] },
  { ...CHUNK, choices: [{ index: 0, delta: { content: "k" }, finish_reason: "stop" }] },
  { ...CHUNK, choices: [], usage: USAGE },
];

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message } }, { status, headers });
}

const REFUSALS: Readonly<Record<string, () => Response>> = {
  error: () => refuse(500, "The template can't render this conversation."),
  overloaded: () => refuse(503, "Out of memory."),
  forbidden: () => refuse(403, "Request blocked by the web application firewall."),
  unauthorized: () => refuse(401, "Unauthorized"),
};

const limit = () => refuse(429, "Rate limit reached.", { "retry-after": String(LIMITED_MS / 1000) });
const TROUBLED: Readonly<Record<keyof typeof TROUBLES, () => Response>> = {
  limited: limit,
  oneLimited: limit,
  badKey: () => refuse(401, "Incorrect API key provided."),
  unreachable: () => {
    throw Object.assign(new Error("Unable to connect."), { code: "ECONNREFUSED" });
  },
};
