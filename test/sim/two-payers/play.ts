// Plays the requests of all payers, or those of the first alone, and returns what the first gets.
import { toFault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Store } from "../../../src/core/store.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import type { GatewayPorts } from "../../../src/gateway/gateway.ts";
import type { Selection } from "../../../src/gateway/plan/plan.ts";
import { Breaker } from "../../../src/health/breaker/breaker.ts";
import { fair } from "../../../src/selectors/fair.ts";
import { Hooks } from "../../../src/steps/hooks/hooks.ts";
import type { HookOutcome } from "../../../src/steps/hooks/server.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { give, makeAccount, openMemoryStore, QUOTA } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { answerWell, answerWithError, CoreWorld, type SimAsk, type SimCall } from "../core-world.ts";
import { answerBadly } from "./bad-answers.ts";
import { SideLines } from "./lines.ts";
import type { Planned, Shared, Side, Way } from "./plans.ts";
import { SideSockets } from "./sockets.ts";
import { SideTools } from "./tools.ts";

/** All that the first payer sees of one of its requests. */
export interface Outcome {
  readonly way: Way | "line";
  readonly kind: string;
  /** Its number for a line. */
  readonly atMs: number;
  /** `200`, or the status of the fault. */
  readonly status: string;
  readonly model: string | null;
  readonly hooks: string;
  readonly chargedNanoUsd: number | null;
}

const USD = 1_000_000_000;
const CALL_MS = 20;
/** While the provider works on it. */
const LEFT_AFTER_MS = 100;
const priced = (id: string, usd: number): ModelCard =>
  makeModelCard(id, {
    contextTokensMax: 100_000,
    outputTokensMax: 1000,
    price: { input: usd, output: usd * 4 },
  });
const ALPHA = priced("Alpha#small", 1);
const BETA = priced("Beta#small", 1.5);
const GAMMA = priced("Gamma#small", 1.02);

/** Plays a seed's requests, those of the other payers if `isBeside`, and returns what the first payer got. */
export async function playSide(side: Side, isBeside: boolean): Promise<readonly Outcome[]> {
  const store = await openStore(side.payers);
  try {
    return await new SidePlay(side, store).run(isBeside);
  } finally {
    await store.close();
  }
}

async function openStore(payers: Side["payers"]): Promise<Store> {
  const store = await openMemoryStore();
  for (const key of payers) {
    const { accountId } = key;
    if ((await store.account(accountId)) === null) await unrecorded(store).addAccount(makeAccount(accountId));
    await give(store, accountId, 1000 * USD);
    await unrecorded(store).addKey(key, `digest of ${key.id}`);
  }
  await store.beat();
  return store;
}

/** An outcome without what its row says. */
interface Seen extends Omit<Outcome, "model" | "chargedNanoUsd"> {
  readonly id: string;
  /** Null for a request without a row. */
  readonly requestId: string | null;
}

class SidePlay {
  readonly #side: Side;
  readonly #store: Store;
  readonly #world: CoreWorld;
  readonly #tools: SideTools;
  readonly #sockets: SideSockets;
  readonly #lines: SideLines;
  readonly #outcomes: Seen[] = [];
  /** Requests that failed once already. */
  readonly #met = new Set<string>();

  constructor(side: Side, store: Store) {
    this.#side = side;
    this.#store = store;
    const quota = { ...QUOTA, requestsPerDay: 0 };
    this.#world = new CoreWorld({
      seed: side.seed,
      store,
      rules: { quota, billing: { charge: "always", markup: 1 } },
      providers: { Alpha: 3, Beta: 2, Gamma: 1 },
      nodes: side.nodes,
      answer: (call) => this.#answer(call),
      makeSteps: (world) => makeHooks(world, side.onFailure),
    });
    const world = this.#world;
    const [first, ...others] = side.payers;
    const isOneAccount = others.some(({ accountId }) => accountId === first.accountId);
    this.#tools = new SideTools(world, side.nodes, isOneAccount || others.length > 1);
    this.#sockets = new SideSockets(world, side.nodes, isOneAccount);
    this.#lines = new SideLines({ world, selection: select("named"), model: ALPHA.id, isOneAccount });
  }

  async run(isBeside: boolean): Promise<readonly Outcome[]> {
    const sent: Promise<void>[] = [];
    for (const plan of this.#side.plans) {
      if (!plan.isFirst && !isBeside) continue;
      this.#world.clock.after(plan.atMs, () => void sent.push(this.#send(plan)));
    }
    const { payers, batches } = this.#side;
    for (const batch of batches) {
      if (!batch.isFirst && !isBeside) continue;
      const key = payers[batch.payer] ?? payers[0];
      this.#world.clock.after(batch.atMs, () => void sent.push(this.#lines.add(key, batch)));
    }
    await this.#world.run();
    await Promise.all(sent);
    const seen = [...this.#outcomes.toSorted(compareSeen), ...this.#listLines()];
    return Promise.all(seen.map((outcome) => this.#withRow(outcome)));
  }

  #listLines(): readonly Seen[] {
    const own = this.#side.batches.filter(({ isFirst }) => isFirst);
    return own
      .flatMap((batch) => this.#lines.list(batch))
      .map(({ line, kind, requestId, status }) => ({
        id: `${line}`,
        way: "line",
        kind,
        atMs: line,
        status,
        hooks: "",
        requestId,
      }));
  }

  async #withRow({ id: _, requestId, ...outcome }: Seen): Promise<Outcome> {
    if (requestId === null) return { ...outcome, model: null, chargedNanoUsd: null };
    const [row] = await this.#store.requests({ requestId }, { limit: 1, after: null });
    const { modelUsed: model = null, chargedNanoUsd = null } = row ?? {};
    return { ...outcome, model, chargedNanoUsd };
  }

  async #send(plan: Planned): Promise<void> {
    const { id, isFirst, way, kind, atMs } = plan;
    if (way === "tool") return this.#callTool(plan);
    if (way === "turn") return this.#runTurn(plan);
    const { call, ended, leave } = this.#world.send(makeAsk(this.#key(plan.payer), plan));
    if (kind === "left") this.#world.clock.after(LEFT_AFTER_MS, leave);
    const status = await ended.then(
      () => "200",
      (thrown: unknown) => describe(thrown),
    );
    if (!isFirst) return;
    const hooks = (call.hooks ?? []).map(({ action }) => action).join(" ");
    this.#outcomes.push({ id, way, kind, atMs, status, hooks, requestId: `req-${id}` });
  }

  async #callTool({ id, isFirst, payer, way, kind, atMs, node }: Planned): Promise<void> {
    const client = new Ending();
    const key = this.#key(payer);
    if (kind === "left") this.#world.clock.after(LEFT_AFTER_MS, () => client.end());
    const call = this.#world.count(this.#tools.call({ key, node, kind, client }));
    const status = await call.catch((thrown: unknown) => describe(thrown));
    if (isFirst) this.#outcomes.push({ id, way, kind, atMs, status, hooks: "", requestId: null });
  }

  async #runTurn(plan: Planned): Promise<void> {
    const { id, isFirst, payer, way, kind, atMs, node } = plan;
    const key = this.#key(payer);
    const send = () => this.#world.send(makeAsk(this.#key(plan.payer), plan));
    const turn = { id, isFirst, key, node, send, describe };
    if (kind === "left") this.#world.clock.after(LEFT_AFTER_MS, () => this.#sockets.leave(turn));
    const status = await this.#world.count(this.#sockets.run(turn));
    if (isFirst) this.#outcomes.push({ id, way, kind, atMs, status, hooks: "", requestId: `req-${id}` });
  }

  #key(payer: number): GatewayKey {
    return this.#side.payers[payer] ?? this.#side.payers[0];
  }

  async #answer({ provider, credential, body, signal }: SimCall): Promise<Response> {
    const { clock } = this.#world;
    const nowMs = clock.monotonicMs;
    const fault = this.#findShared(provider, credential, nowMs);
    if (fault?.kind === "no connection")
      throw Object.assign(new Error("refused"), { code: "ConnectionRefused" });
    await clock.wait(CALL_MS);
    const restS = Math.ceil(((fault?.untilMs ?? nowMs) - nowMs) / 1000);
    if (fault?.kind === "limit") return answerWithError(429, "Slow down.", { "retry-after": `${restS}` });
    if (fault?.kind === "wrong key") return answerWithError(401, "Incorrect API key provided.");
    const [, kind = "good", id = ""] = /say (\S+) (\w+)/.exec(body) ?? [];
    if (kind === "once" && !this.#met.has(id)) {
      this.#met.add(id);
      return answerWithError(500, "once");
    }
    return answerBadly(kind, signal) ?? answerWell(body.includes('"stream":true'));
  }

  /** Limits and wrong keys are those of one credential, of several that serve. */
  #findShared(provider: string, credential: number, nowMs: number): Shared | undefined {
    const hits = { limit: "Alpha 0", "wrong key": "Alpha 1", "no connection": `Beta ${credential}` };
    return this.#side.shared.find(
      ({ kind, fromMs, untilMs }) =>
        nowMs >= fromMs && nowMs < untilMs && hits[kind] === `${provider} ${credential}`,
    );
  }
}

/** By the time and the id: some are sent at one time. */
function compareSeen(a: Seen, b: Seen): number {
  return a.atMs - b.atMs || a.id.localeCompare(b.id);
}

function describe(thrown: unknown): string {
  const { code, row } = toFault(thrown);
  if (code === "internal_error") throw thrown;
  return `${row.status}`;
}

function makeAsk(key: GatewayKey, plan: Planned): SimAsk {
  const { id, way, kind, isStreamed, node } = plan;
  const content = `say ${kind} ${id.replace("-", "_")}`;
  const request = {
    model: ALPHA.id,
    messages: [{ role: "user" as const, content }],
    ...(isStreamed ? { stream: true } : {}),
  };
  return { id, key, selection: select(way), request, node };
}

const GROUP = [ALPHA, BETA].map((card) => ({ card, weight: 1 }));
const APART = [ALPHA, BETA];
const NEAR = [ALPHA, GAMMA];

function select(way: Way): Selection {
  switch (way) {
    case "named":
    case "tool":
    case "turn":
      return { kind: "card", card: ALPHA, fallbacks: [] };
    case "other":
      return { kind: "card", card: BETA, fallbacks: [] };
    case "fallback":
      return { kind: "card", card: ALPHA, fallbacks: [BETA] };
    case "alias":
      return { kind: "group", members: GROUP, fallbacks: [] };
    case "apart":
      return { kind: "selector", selector: fair, candidates: APART };
    case "near":
      return { kind: "selector", selector: fair, candidates: NEAR };
  }
}

/** A judge that refuses what is forbidden, fails on some texts, and hangs on others. */
function makeHooks(world: CoreWorld, onFailure: Side["onFailure"]): NonNullable<GatewayPorts["steps"]> {
  const hook = `{ name: own, url: "http://guard", timeout: 2s, on_failure: ${onFailure} }`;
  const hooks = new Hooks({
    clock: world.clock.forLife(() => false),
    random: { bytes: (count) => new Uint8Array(count) },
    log: () => {},
    ask: (_rule, { texts }) => world.rest(judge(world, texts.join(" "))),
    accountName: async (id) => id,
    makeBreaker: () => new Breaker(),
  });
  hooks.put(readSettings(`providers: { OpenAI: { keys: [sk-1] } }\nhooks: [${hook}]`).hooks);
  return ({ key }) => hooks.list(key);
}

async function judge({ clock }: CoreWorld, text: string): Promise<HookOutcome> {
  await clock.wait(text.includes("judged-late") ? 5000 : 5);
  if (text.includes("unjudged")) return { kind: "failed", reason: "status 500" };
  if (text.includes("forbidden")) return { kind: "blocked", reason: "forbidden" };
  return { kind: "judged", texts: [text], calls: new Map() };
}
