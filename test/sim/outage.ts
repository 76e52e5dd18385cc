// Load on a provider that fails, with a healthy fallback or good credentials beside it: seeded, on virtual time.
import { toFault } from "../../src/core/fault.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import { Ending } from "../../src/core/world/ending.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { OPENAI } from "../../src/dialects/openai/models.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream, type Upstream } from "../../src/gateway/plan/upstream.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { makeKey, NOON, openMemoryStore } from "../harness/samples.ts";
import { Dice } from "./dice.ts";
import { EventClock } from "./event-clock.ts";
import { makeGateway } from "./lone-gateway.ts";

export interface OutageSetup {
  readonly seed: number;
  /** The share of the failing provider's calls that fail, and how. */
  readonly share: number;
  readonly status: 429 | 500 | 503;
  readonly perSecond: number;
  readonly seconds: number;
  /** The failing provider's credentials, and how many of them it refuses with 401 instead. */
  readonly keys: number;
  readonly deadKeys: number;
  readonly hasFallback: boolean;
  /** The time that each call takes. Missing for 20 ms. */
  readonly callMs?: number;
}

export interface OutageFigures {
  readonly requests: number;
  /** By code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly failed: number;
  /** The calls of the provider that fails. */
  readonly calls: number;
  /** The longest wait of a client, in virtual milliseconds. */
  readonly longestMs: number;
}

const FAILING = makeModelCard("Alpha#gpt-4o", {});
const HEALTHY = makeModelCard("Beta#plain-small", {});
const CALL_MS = 20;
const DIALECT = makeOpenaiDialect(OPENAI);
/** Turns of the event loop in which a request goes on by itself, before it counts as waiting for the clock. */
const TURNS_MAX = 50;
const TIMEOUTS = { connectMs: 4000, firstByteMs: 6000, idleMs: 5000, totalMs: 25_000 };
const ROUTER = { fairQuality: 0.85, deny: [], pin: {}, rules: [], explore: 0 };
const KEY = makeKey("key_a", { requestsPerDay: null });

export function runOutage(setup: OutageSetup): Promise<OutageFigures> {
  return new Outage(setup).run();
}

class Outage {
  readonly #setup: OutageSetup;
  readonly #clock = new EventClock(NOON);
  readonly #dice: Dice;
  readonly #errors: Record<string, number> = {};
  #calls = 0;
  #longestMs = 0;
  /** Requests that haven't ended, calls that wait for their answer, and the difference of both at the last look. */
  #open = 0;
  #waiting = 0;
  #running = 0;
  #turns = 0;

  constructor(setup: OutageSetup) {
    this.#setup = setup;
    this.#dice = new Dice(setup.seed);
  }

  async run(): Promise<OutageFigures> {
    const { perSecond, seconds, keys } = this.#setup;
    const providers = [makeProvider("Alpha", keys), makeProvider("Beta", 1)];
    const store = await openMemoryStore(KEY);
    await store.beat();
    const gateway = makeGateway({
      store,
      clock: this.#clock,
      dice: this.#dice,
      fetch: (url, init) => this.#fetch(url, init),
      providers,
    });
    const upstreams = new Map(providers.map((setup) => [setup.name, makeUpstream(setup, [DIALECT])]));
    const requests = perSecond * seconds;
    const asked: Promise<void>[] = [];
    for (let at = 0; at < requests; at++)
      this.#clock.after((at * 1000) / perSecond, () => void asked.push(this.#ask(gateway, upstreams, at)));
    await this.#clock.run({ isBusy: () => gateway.open > 0, isWorking: () => this.#isRunning() });
    await Promise.all(asked);
    await store.close();
    const failed = Object.values(this.#errors).reduce((sum, count) => sum + count, 0);
    return { requests, errors: this.#errors, failed, calls: this.#calls, longestMs: this.#longestMs };
  }

  /** True while a request neither waits for its provider nor, for all that is known, for the clock. */
  #isRunning(): boolean {
    const running = this.#open - this.#waiting;
    this.#turns = running === this.#running ? this.#turns + 1 : 0;
    this.#running = running;
    return running > 0 && this.#turns < TURNS_MAX;
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    const isFailing = url.includes("alpha");
    if (isFailing) this.#calls++;
    this.#waiting++;
    await this.#clock.wait(this.#setup.callMs ?? CALL_MS);
    this.#waiting--;
    const secret = /secret (\d+)/.exec(new Headers(init.headers).get("authorization") ?? "")?.[1];
    if (isFailing && Number(secret) < this.#setup.deadKeys) return refuse(401, "Incorrect API key provided.");
    if (isFailing && this.#dice.chance(this.#setup.share)) return refuse(this.#setup.status, "down");
    return Response.json({
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  }

  async #ask(gateway: Gateway, upstreams: ReadonlyMap<string, Upstream>, at: number): Promise<void> {
    const ask = { model: FAILING.id, messages: [{ role: "user" as const, content: `question ${at}` }] };
    const beganMs = this.#clock.monotonicMs;
    const context = gateway.begin({
      operation: CHAT,
      surface: "openai-chat",
      id: `chatcmpl-${at}`,
      created: 1,
      requestId: `req-${at}`,
      origin: UNKNOWN_ORIGIN,
      key: KEY,
      ask,
      ...plainCall(),
      conversation: makeConversation(KEY.id, ask),
      selection: { kind: "card", card: FAILING, fallbacks: this.#setup.hasFallback ? [HEALTHY] : [] },
      routes: new Routes(CHAT, "openai", upstreams),
      rules: ROUTER,
      markup: 1,
      ending: new Ending(),
    });
    this.#open++;
    try {
      await gateway.complete(context);
    } catch (thrown) {
      const { code } = toFault(thrown);
      this.#errors[code] = (this.#errors[code] ?? 0) + 1;
    }
    this.#open--;
    this.#longestMs = Math.max(this.#longestMs, this.#clock.monotonicMs - beganMs);
  }
}

function makeProvider(name: "Alpha" | "Beta", keys: number): ProviderSetup {
  return {
    name,
    dialect: null,
    baseUrl: `https://${name.toLowerCase()}.example/v1`,
    credentials: Array.from({ length: keys }, (_, at) => ({ secret: `secret ${at}`, weight: 1 })),
    headers: {},
    timeouts: TIMEOUTS,
    unlistedModels: false,
  };
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}
