// The gateway's core on virtual time: one gateway per node over one store, with providers that a test answers for.
import { AsyncLocalStorage } from "node:async_hooks";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { BillingRules, ProviderSetup, QuotaRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { Ending } from "../../src/core/world/ending.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { OPENAI } from "../../src/dialects/openai/models.ts";
import type { AnswerFlow } from "../../src/gateway/answer/flow.ts";
import type { Call, LineMark } from "../../src/gateway/call.ts";
import { Gateway, type GatewayPorts } from "../../src/gateway/gateway.ts";
import type { Selection } from "../../src/gateway/plan/plan.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream, type Upstream } from "../../src/gateway/plan/upstream.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import { KnownPrompts } from "../../src/health/prompts.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { createVault } from "../../src/keys/vault.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";
import { NOON } from "../harness/samples.ts";
import { Dice } from "./dice.ts";
import { EventClock } from "./event-clock.ts";

const DIALECT = makeOpenaiDialect(OPENAI);
/** Turns of the event loop in which a request goes on by itself, before it counts as waiting for the clock. */
const TURNS_MAX = 10;
const TIMEOUTS = { connectMs: 4000, firstByteMs: 6000, idleMs: 5000, totalMs: 25_000 };
const ROUTER = { fairQuality: 0.85, deny: [], pin: {}, rules: [], explore: 0 };

/** A call of a provider. */
export interface SimCall {
  readonly provider: string;
  /** The place of its credential. */
  readonly credential: number;
  readonly body: string;
  readonly signal: AbortSignal | null;
}

export interface CoreSetup {
  readonly seed: number;
  readonly store: Store;
  readonly rules: { readonly quota: QuotaRules; readonly billing: BillingRules };
  /** The number of credentials by provider. */
  readonly providers: Readonly<Record<string, number>>;
  /** The nodes: each has a gateway with a health of its own. 1 if missing. */
  readonly nodes?: number;
  readonly answer: (call: SimCall) => Promise<Response>;
  /** Makes the steps of a node. */
  readonly makeSteps?: (world: CoreWorld) => GatewayPorts["steps"];
}

/** One request to send. */
export interface SimAsk {
  readonly id: string;
  readonly key: GatewayKey;
  readonly selection: Selection;
  readonly request: ChatRequest;
  readonly node?: number;
  /** Set for a line of a batch. */
  readonly line?: LineMark;
}

/** A request under way. */
export interface SimVisit {
  readonly call: Call<ChatForm>;
  /** Rejects with the Fault that its client is shown. */
  readonly ended: Promise<void>;
  /** Its client leaves, as in the HTTP layer. */
  leave(): void;
}

export class CoreWorld {
  readonly clock = new EventClock(NOON);
  /** The store, whose work the clock waits for. */
  readonly store: Store;
  readonly #setup: CoreSetup;
  readonly #nodes: readonly Gateway[];
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  /** Each request has dice of its own, so that nobody's requests change another's draws. */
  readonly #dice = new AsyncLocalStorage<Dice>();
  readonly #nobodysDice: Dice;
  /** Requests that haven't ended, those that wait, and the difference of both at the last look. */
  #open = 0;
  #waiting = 0;
  #running = 0;
  #turns = 0;
  /** Calls of the store that are under way. */
  #storing = 0;

  constructor(setup: CoreSetup) {
    this.#setup = setup;
    this.store = this.#watchStore();
    this.#nobodysDice = new Dice(setup.seed);
    this.#upstreams = new Map(
      Object.entries(setup.providers).map(([name, keys]) => [name, makeSimUpstream(name, keys)]),
    );
    this.#nodes = Array.from({ length: setup.nodes ?? 1 }, () => this.#makeGateway());
  }

  /** Lets time pass until nothing is left to do. */
  async run(): Promise<void> {
    const isBusy = () => this.#open > 0 || this.#nodes.some(({ open }) => open > 0);
    await this.clock.run({ isBusy, isWorking: () => this.#isRunning() });
  }

  /** Waits for something that only the clock ends. */
  async rest<Result>(wait: Promise<Result>): Promise<Result> {
    this.#waiting++;
    try {
      return await wait;
    } finally {
      this.#waiting--;
    }
  }

  send({ id, key, selection, request, node = 0, line }: SimAsk): SimVisit {
    const call: Call<ChatForm> = {
      operation: CHAT,
      surface: "openai-chat",
      id: `chatcmpl-${id}`,
      created: 1,
      requestId: `req-${id}`,
      origin: UNKNOWN_ORIGIN,
      key,
      ask: request,
      ...plainCall(),
      conversation: makeConversation(key.id, request),
      selection,
      routes: new Routes(CHAT, "openai", this.#upstreams),
      rules: ROUTER,
      markup: 1,
      ending: new Ending(),
      ...(line && { line }),
    };
    const dice = new Dice(Number(Bun.hash.crc32(`${this.#setup.seed} ${id}`)));
    const visit = new Visit(call);
    const ended = this.#dice.run(dice, () => this.count(visit.run(this.#nodes[node])));
    return { call, ended, leave: () => visit.leave() };
  }

  /** Counts what is under way until it ends, which the clock lets it do. */
  async count<Result>(visit: Promise<Result>): Promise<Result> {
    this.#open++;
    try {
      return await visit;
    } finally {
      this.#open--;
    }
  }

  /** True while a request neither waits for its provider nor, for all that is known, for the clock. */
  #isRunning(): boolean {
    if (this.#storing > 0) return true;
    const running = this.#open - this.#waiting;
    this.#turns = running === this.#running ? this.#turns + 1 : 0;
    this.#running = running;
    return running > 0 && this.#turns < TURNS_MAX;
  }

  #watchStore(): Store {
    const { store } = this.#setup;
    const count = async <Result>(work: Promise<Result>): Promise<Result> => {
      this.#storing++;
      try {
        return await work;
      } finally {
        this.#storing--;
      }
    };
    const { batches } = store;
    return {
      ...store,
      batches: {
        ...batches,
        list: (filter, page) => count(batches.list(filter, page)),
        change: (of, wanted, decide) => count(batches.change(of, wanted, decide)),
      },
      transact: (demand) => count(store.transact(demand)),
      durable: () => count(store.durable()),
    };
  }

  #makeGateway(): Gateway {
    const { rules, makeSteps } = this.#setup;
    const { store } = this;
    const clock = this.clock.forLife(() => false);
    const random = { bytes: (count: number) => (this.#dice.getStore() ?? this.#nobodysDice).bytes(count) };
    const deadlines = new DeadlineSweep(clock);
    const health = new Health(() => {});
    health.configured([...this.#upstreams.values()].map(({ setup }) => setup));
    const steps = makeSteps?.(this);
    return new Gateway({
      clock,
      random,
      ledger: createLedger({ store, clock, rules: () => rules }),
      vault: createVault(new Uint8Array(32).fill(7), random),
      log: () => {},
      deadlines,
      health,
      stickiness: new Stickiness(),
      caches: new Caches(),
      prompts: new KnownPrompts(random),
      learning: { known: new LearnedModels(), learn: () => {} },
      fetch: (url, init) => this.#fetch(url, init),
      reachability: new Reachability(deadlines, async () => true),
      kept: new KeptConnections(),
      authorize: createAuthorize(NO_TOKENS),
      ...(steps && { steps }),
    });
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    const host = new URL(url).hostname;
    const provider = Object.keys(this.#setup.providers).find((name) => host.startsWith(name.toLowerCase()));
    const secret = /secret (\d+)/.exec(new Headers(init.headers).get("authorization") ?? "")?.[1];
    const call = { credential: Number(secret), body: String(init.body), signal: init.signal ?? null };
    return this.rest(this.#setup.answer({ provider: provider ?? "", ...call }));
  }
}

class Visit {
  readonly #call: Call<ChatForm>;
  #answer: AnswerFlow<unknown> | null = null;

  constructor(call: Call<ChatForm>) {
    this.#call = call;
  }

  async run(gateway: Gateway | undefined): Promise<void> {
    if (gateway === undefined) throw new Error("There is no such node.");
    const context = gateway.begin(this.#call);
    if (this.#call.ask.stream !== true) {
      await gateway.complete(context);
      return;
    }
    const answer = gateway.stream(context);
    this.#answer = answer;
    await answer.begin();
    await answer.pour(() => null);
  }

  leave(): void {
    this.#call.ending.end();
    this.#answer?.leave();
  }
}

function makeSimUpstream(name: string, keys: number): Upstream {
  const setup: ProviderSetup = {
    name,
    dialect: null,
    baseUrl: `https://${name.toLowerCase()}.example/v1`,
    credentials: Array.from({ length: keys }, (_, at) => ({ secret: `secret ${at}`, weight: 1 })),
    headers: {},
    timeouts: TIMEOUTS,
    unlistedModels: false,
  };
  return makeUpstream(setup, [DIALECT]);
}

const ANSWER = { id: "x", object: "chat.completion", created: 1, model: "m" };
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Returns a provider's whole answer, or the same streamed. */
export function answerWell(isStreamed: boolean): Response {
  const stop = { index: 0, finish_reason: "stop" };
  if (!isStreamed) {
    const message = { role: "assistant", content: "ok" };
    return Response.json({ ...ANSWER, choices: [{ ...stop, message }], usage: USAGE });
  }
  const choices = [{ ...stop, delta: { role: "assistant", content: "ok" } }];
  const events = [
    { ...ANSWER, object: "chat.completion.chunk", choices },
    { ...ANSWER, object: "chat.completion.chunk", choices: [], usage: USAGE },
  ];
  const text = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

export function answerWithError(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { message } }, { status, headers });
}
