// Simulated clients: they send requests, read at their own pace, hang up at random, and record what they receive.

import { type Fault, toFault } from "../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import { Ending } from "../../src/core/world/ending.ts";
import type { AnswerFlow } from "../../src/gateway/answer/flow.ts";
import { type Call, type Facts, NO_FACTS } from "../../src/gateway/call.ts";
import type { RequestContext } from "../../src/gateway/context.ts";
import type { Selection } from "../../src/gateway/plan/plan.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream, type Upstream } from "../../src/gateway/plan/upstream.ts";
import { digestIdempotency } from "../../src/gateway/settle/idempotency.ts";
import { listChunks, type Part } from "../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { fair } from "../../src/selectors/fair.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { REQUEST_HEADER } from "./call-truth.ts";
import { DIALECT_OF, listCards } from "./cards.ts";
import type { EventClock } from "./event-clock.ts";
import type { SimNode } from "./node.ts";
import type { Plan } from "./scenario.ts";

/** Any digest will do, as long as it is the same on every node. */
const SEALER = {
  digest: (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex"),
};

/** A request's row at one moment. */
export interface RowGlimpse {
  readonly ended: string;
  readonly chargedNanoUsd: number;
}

/** The answer received by one client. */
export interface Seen {
  readonly plan: Plan;
  readonly id: string;
  readonly node: string;
  readonly request: ChatRequest;
  readonly replyId: string | null;
  facts: Facts;
  readonly atMs: number;
  /** The same on the monotonic clock. */
  readonly monotonicMs: number;
  /** The text of each choice. */
  readonly texts: Map<number, string>;
  whole: boolean;
  usage: Usage | null;
  /** The whole answer as JSON. Null if it was streamed. */
  json: string | null;
  fault: Fault | null;
  left: boolean;
  leftAtMs: number | null;
  /** True if its node died while it waited. */
  cut: boolean;
  /** True if the grant would have survived a power failure when the first part arrived. */
  synced: boolean;
  rowAtEnd: RowGlimpse | null;
}

export interface ClientWorld {
  readonly clock: EventClock;
  readonly markup: number;
  readonly keys: ReadonlyMap<string, GatewayKey>;
  readonly seen: Map<string, Seen>;
  readonly look: (id: string) => RowGlimpse | null;
  readonly tell: (what: string) => void;
}

const TIMEOUTS = { connectMs: 4000, firstByteMs: 6000, idleMs: 5000, totalMs: 25_000 };
const RULES = { fairQuality: 0.85, deny: [], pin: {}, rules: [], explore: 0 };

/** Separate upstreams for each request, so that each call can be attributed to its request. */
function upstreamsFor(id: string): ReadonlyMap<string, Upstream> {
  return new Map(
    Object.entries(DIALECT_OF).map(([name, dialect]): [string, Upstream] => {
      const secrets = name === "Alpha" ? ["secret one", "secret two"] : ["secret one"];
      const setup: ProviderSetup = {
        name,
        dialect: null,
        baseUrl: `https://${name.toLowerCase()}.example/v1`,
        credentials: secrets.map((secret) => ({ secret, weight: 1 })),
        headers: { [REQUEST_HEADER]: id },
        timeouts: TIMEOUTS,
        unlistedModels: false,
      };
      return [name, makeUpstream(setup, [dialect])];
    }),
  );
}

function selectionOf({ model, fallbacks }: Plan, nowMs: number): Selection {
  const cards = listCards(nowMs);
  if (model === "Router#fair") return { kind: "selector", selector: fair, candidates: cards };
  const cardOf = (id: string) => cards.filter((card) => card.id === id);
  const [card] = cardOf(model);
  if (!card) throw new Error(`There is no model ${model}.`);
  return { kind: "card", card, fallbacks: fallbacks.flatMap(cardOf) };
}

/** Sends the request to a living node. Resolves when the client has finished with it. */
export async function ask(world: ClientWorld, node: SimNode, plan: Plan): Promise<void> {
  const key = world.keys.get(plan.keyId);
  if (!key) throw new Error(`There is no key ${plan.keyId}.`);
  const { request } = plan;
  const id = `chatcmpl-${plan.name}`;
  const ending = new Ending();
  const call: Call<ChatForm> = {
    operation: CHAT,
    surface: "openai-chat",
    id,
    created: Math.floor(world.clock.nowMs / 1000),
    requestId: `req-${plan.name}`,
    origin: { ...UNKNOWN_ORIGIN, tags: plan.name.endsWith("1") ? "env=prod" : null },
    key,
    ask: request,
    ...plainCall(),
    conversation: makeConversation(key.id, request),
    selection: selectionOf(plan, world.clock.nowMs),
    routes: new Routes(CHAT, "openai", upstreamsFor(id)),
    rules: RULES,
    markup: world.markup,
    limitAtMs: world.clock.monotonicMs + (plan.timeoutMs ?? Number.POSITIVE_INFINITY),
    caching: null,
    idempotency: digestIdempotency(SEALER, key.id, plan.idempotencyKey, CHAT, { ask: request, raw: null }),
    ending,
  };
  const seen: Seen = {
    plan,
    id,
    node: node.id,
    request,
    replyId: call.idempotency?.replyId ?? null,
    facts: NO_FACTS,
    atMs: world.clock.nowMs,
    monotonicMs: world.clock.monotonicMs,
    texts: new Map(),
    whole: false,
    usage: null,
    json: null,
    fault: null,
    left: false,
    leftAtMs: null,
    cut: false,
    synced: true,
    rowAtEnd: null,
  };
  world.seen.set(id, seen);
  world.tell(`${id} asks ${plan.model} of ${node.id}${request.stream ? ", streamed" : ""}`);
  await new Visit(world, node, call, seen).run();
}

class Visit {
  readonly #world: ClientWorld;
  readonly #node: SimNode;
  readonly #call: Call<ChatForm>;
  readonly #seen: Seen;
  #answer: AnswerFlow<readonly Part[]> | null = null;

  constructor(world: ClientWorld, node: SimNode, call: Call<ChatForm>, seen: Seen) {
    this.#world = world;
    this.#node = node;
    this.#call = call;
    this.#seen = seen;
  }

  async run(): Promise<void> {
    const { manner } = this.#seen.plan;
    const die = () => {
      this.#seen.cut = true;
    };
    this.#node.onDeath.add(die);
    if (manner.kind === "leaves at") this.#world.clock.after(manner.afterMs, () => this.#leave());
    try {
      if (this.#call.ask.stream === true) await this.#stream();
      else await this.#whole();
    } catch (thrown) {
      if (this.#isGone) return;
      this.#seen.fault = toFault(thrown);
      this.#world.tell(`${this.#seen.id} is told ${this.#seen.fault.code}`);
      if (this.#seen.fault.code === "internal_error") throw thrown;
    } finally {
      this.#node.onDeath.delete(die);
    }
  }

  get #isGone(): boolean {
    return this.#seen.cut || this.#seen.left;
  }

  /** Leaves as the HTTP layer does. */
  #leave(): void {
    const { fault, whole } = this.#seen;
    if (this.#isGone || fault || whole) return;
    this.#seen.left = true;
    this.#seen.leftAtMs = this.#world.clock.monotonicMs;
    this.#world.tell(`${this.#seen.id} hangs up`);
    this.#call.ending.end();
    this.#answer?.leave();
  }

  #begin(): RequestContext<ChatForm> {
    const context = this.#node.gateway.begin(this.#call);
    this.#seen.facts = context;
    return context;
  }

  async #whole(): Promise<void> {
    const reply: ChatReply = await this.#node.gateway.complete(this.#begin());
    if (this.#isGone) return;
    this.#lookAtSync();
    for (const { index, message } of reply.choices) this.#seen.texts.set(index, message.content ?? "");
    this.#seen.usage = reply.usage ?? null;
    this.#seen.json = JSON.stringify(reply);
    this.#end();
  }

  async #stream(): Promise<void> {
    this.#answer = this.#node.gateway.stream(this.#begin());
    await this.#answer.begin();
    let count = 0;
    await this.#answer.pour((parts) => {
      if (this.#isGone) return null;
      count++;
      if (count === 1) this.#lookAtSync();
      for (const chunk of listChunks(parts)) this.#take(chunk);
      return this.#rest(count);
    });
    if (!this.#isGone) this.#end();
  }

  /** Leaves or pauses between two parts. */
  #rest(count: number): Promise<void> | null {
    const { manner } = this.#seen.plan;
    if (manner.kind === "leaves after parts" && count >= manner.parts) this.#leave();
    return manner.kind === "reads slowly" ? this.#world.clock.wait(manner.pauseMs) : null;
  }

  #take({ choices, usage }: ChatChunk): void {
    for (const { index, delta } of choices) {
      this.#seen.texts.set(index, (this.#seen.texts.get(index) ?? "") + (delta.content ?? ""));
    }
    if (!usage) return;
    this.#seen.usage = usage;
    this.#seen.rowAtEnd = this.#world.look(this.#seen.id);
  }

  #lookAtSync(): void {
    const { granted, durableUpTo } = this.#node.life;
    this.#seen.synced = (granted.get(this.#seen.id) ?? 0) <= durableUpTo;
  }

  #end(): void {
    this.#seen.whole = true;
    this.#seen.rowAtEnd ??= this.#world.look(this.#seen.id);
    const again = this.#seen.facts.replayed ? `, the answer of ${this.#seen.facts.replayed.id}` : "";
    this.#world.tell(`${this.#seen.id} has it all${again}`);
  }
}
