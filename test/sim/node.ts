// One life of the gateway's process, which can be killed: the real core and store with simulated clock and providers.
import { rmSync, writeFileSync } from "node:fs";
import { startUpkeep } from "../../src/app/upkeep/upkeep.ts";
import type { Answer, Demand } from "../../src/core/demand.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { PruneBefore, Store } from "../../src/core/store.ts";
import type { Log } from "../../src/core/world/world.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import { KnownPrompts } from "../../src/health/prompts.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { createVault } from "../../src/keys/vault.ts";
import { AnswerLessons } from "../../src/learning/answer-lessons.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { decide } from "../../src/ledger/decide.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import type { Dice } from "./dice.ts";
import type { EventClock } from "./event-clock.ts";
import { faultyStore, type StoreLife } from "./faulty-store.ts";
import type { Providers } from "./providers.ts";
import type { Scenario } from "./scenario.ts";

/** Changes to the books, in the order decided under the store's lock. */
export type BookEvent =
  | { readonly kind: "decided"; readonly demand: Demand; readonly answer: Answer; readonly node: string }
  | { readonly kind: "revoked"; readonly keyId: string; readonly atMs: number }
  | { readonly kind: "pruned"; readonly before: PruneBefore };

export interface NodeWorld {
  readonly scenario: Scenario;
  readonly clock: EventClock;
  readonly dice: Dice;
  readonly providers: Providers;
  readonly path: string;
  readonly events: BookEvent[];
  /** Receives events in words, for the story of a day that went wrong. */
  readonly tell: (what: string) => void;
  /** Ids of dead nodes, and of living ones that lost their lock. */
  readonly dead: Set<string>;
  readonly frozen: Set<string>;
  /** Nodes that shut down in order with a working store, and so leave nothing behind. */
  readonly retired: Set<string>;
}

/** The same time as in the program's own shutdown. */
const SETTLE_MS = 5000;
const KEEP_MS = 400 * 86_400_000;
/** No simulated client gives a score. */
const NOTHING_LEARNED = { refresh: async () => {} };
const SEALING_KEY = new Uint8Array(32).fill(7);

export class SimNode {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly life: StoreLife;
  /** Called when it dies, for every connected client. */
  readonly onDeath = new Set<() => void>();
  readonly #world: NodeWorld;
  readonly #real: Store;
  readonly #stop: () => void;
  #leaving = false;

  private constructor(world: NodeWorld, parts: Parts) {
    this.#world = world;
    this.#real = parts.real;
    this.#stop = parts.stop;
    this.life = parts.life;
    this.store = parts.store;
    this.gateway = gatewayOn(world, parts, this.onDeath);
  }

  static async open(world: NodeWorld): Promise<SimNode> {
    const { clock, dice, scenario, events, path } = world;
    const life: StoreLife = {
      dead: false,
      working: 0,
      granted: new Map(),
      durableUpTo: 0,
      faults: 0,
      delays: 0,
      unheard: new Set(),
      onPrune: (before) => events.push({ kind: "pruned", before }),
    };
    const own: { node: string; gateway: Gateway | null } = { node: "", gateway: null };
    const real = await openSqliteStore({
      path,
      decide: (rows, demands) => {
        if (life.dead) throw new Error("The process is gone.");
        const decision = decide(rows, demands);
        for (const [at, demand] of demands.entries()) {
          const answer = decision.answers[at];
          if (answer) events.push({ kind: "decided", demand, answer, node: own.node });
        }
        return decision;
      },
    });
    own.node = real.node;
    const troubles = { chance: scenario.storeFaults, outages: scenario.outages };
    const store = faultyStore(real, life, { clock, dice, troubles });
    const lifeClock = clock.forLife(() => life.dead);
    const ledger = createLedger({ store, clock: lifeClock, rules: () => scenario });
    const stop = await startUpkeep({
      store,
      ledger,
      listRunning: () => own.gateway?.listRunning() ?? [],
      learning: NOTHING_LEARNED,
      clock: lifeClock,
      log: () => {},
      responsesKeepMs: () => 0,
      keepMs: () => KEEP_MS,
      auditKeepMs: () => 86_400_000,
      random: { bytes: (count) => new Uint8Array(count) },
    });
    world.tell(`${real.node} lives`);
    const opened = new SimNode(world, { real, store, ledger, life, stop });
    own.gateway = opened.gateway;
    return opened;
  }

  get id(): string {
    return this.#real.node;
  }

  /** From this instant nothing it does reaches the store, a provider or a client. */
  async kill(): Promise<void> {
    const { life, id } = this;
    if (life.dead) return;
    this.#world.tell(`${id} is killed`);
    life.dead = true;
    this.#world.dead.add(id);
    for (const end of this.onDeath) end();
    life.working++;
    await this.#real.close();
    // The lock's file may outlive its process.
    if (this.#world.dice.chance(0.5)) writeFileSync(`${this.#world.path}-${id}`, "");
    life.working--;
  }

  /** Refuses new requests, lets the open ones finish for `drainMs`, ends the rest, and exits. */
  async retire(drainMs: number): Promise<void> {
    const { life, id } = this;
    const { clock, tell, dead } = this.#world;
    if (!this.takesRequests) return;
    tell(`${id} retires`);
    this.#leaving = true;
    await clock.wait(drainMs);
    if (life.dead) return;
    this.gateway.underWay.end(new Fault("shutting_down", "The gateway is shutting down."));
    await this.gateway.waitUntilSettled(SETTLE_MS);
    if (life.dead) return;
    this.#stop();
    await this.#real.close();
    tell(`${id} has retired`);
    life.dead = true;
    for (const end of this.onDeath) end();
    const isSound = life.faults + life.delays === 0;
    (isSound ? this.#world.retired : dead).add(id);
  }

  get takesRequests(): boolean {
    return !this.life.dead && !this.#leaving;
  }

  /** Other nodes consider it dead, and it doesn't know. */
  freeze(): void {
    if (this.life.dead) return;
    this.#world.tell(`${this.id} is taken for dead`);
    this.#world.frozen.add(this.id);
    rmSync(`${this.#world.path}-${this.id}`, { force: true });
  }

  /** Applied immediately, like everything that isn't batched. */
  revoke(keyId: string): void {
    const { clock, events } = this.#world;
    const atMs = clock.nowMs;
    void unrecorded(this.#real).revokeKey(keyId, atMs);
    events.push({ kind: "revoked", keyId, atMs });
  }

  async stop(): Promise<void> {
    if (this.life.dead) return;
    this.#stop();
    await this.#real.close();
  }
}

interface Parts {
  readonly real: Store;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly life: StoreLife;
  readonly stop: () => void;
}

function gatewayOn(world: NodeWorld, { ledger, life, store }: Parts, onDeath: Set<() => void>): Gateway {
  const { clock, dice, providers, tell } = world;
  const lifeClock = clock.forLife(() => life.dead);
  const deadlines = new DeadlineSweep(lifeClock);
  const random = { bytes: (count: number) => dice.bytes(count) };
  const log: Log = ({ event, record, request_id, fault, id, cause }) => {
    const whose = record?.id ?? request_id ?? id;
    tell(`${event} ${whose} ${fault ?? record?.ended ?? ""} ${cause ?? ""}`);
  };
  const learned = new LearnedModels();
  const lessons = new AnswerLessons({ store, learned, clock: lifeClock, log });
  return new Gateway({
    clock: lifeClock,
    random,
    ledger,
    vault: createVault(SEALING_KEY, random),
    log,
    deadlines,
    health: new Health(() => {}),
    stickiness: new Stickiness(),
    caches: new Caches(),
    prompts: new KnownPrompts(random),
    learning: { known: learned, learn: (answer) => lessons.learn(answer) },
    fetch: providers.fetchFor(() => life.dead, onDeath),
    reachability: new Reachability(deadlines, providers.reach),
    kept: new KeptConnections(),
    authorize: createAuthorize(NO_TOKENS),
  });
}
