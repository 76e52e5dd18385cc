// One seed's day from its first event to its last, recorded for the auditor.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Audit } from "../../src/core/books/audit.ts";
import { toFault } from "../../src/core/faults/fault.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { topUp } from "../ledger/top-up.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";
import type { CallTruth } from "./call-truth.ts";
import { ask, type ClientWorld, type RowGlimpse, type Seen } from "./client.ts";
import { Dice } from "./dice.ts";
import { EventClock } from "./event-clock.ts";
import { type BookEvent, type NodeWorld, SimNode } from "./node.ts";
import { Providers } from "./providers.ts";
import { makeScenario, type PlannedTopUp, type Scenario } from "./scenario.ts";

/** The record of a finished day. The database is open until `dispose`. */
export interface DayRecord {
  readonly scenario: Scenario;
  readonly calls: readonly CallTruth[];
  readonly seen: ReadonlyMap<string, Seen>;
  readonly events: readonly BookEvent[];
  readonly dead: ReadonlySet<string>;
  readonly frozen: ReadonlySet<string>;
  readonly retired: ReadonlySet<string>;
  /** The store's own audit. */
  readonly audit: Audit;
  /** Requests whose settlement was written without any caller learning of it. */
  readonly unheard: ReadonlySet<string>;
  /** The number of store calls that were made to fail. */
  readonly storeFaults: number;
  /** Errors that must never occur. */
  readonly wrongs: readonly string[];
  readonly story: readonly string[];
  readonly database: Database;
  readonly path: string;
  dispose(): void;
}

/** The run's folder in memory, where there is one, so that files need no disk. */
const ROOT = process.env.TEST_MEMORY ?? tmpdir();
const TOP_UP_TRIES = 8;

export async function liveThrough(seed: number): Promise<DayRecord> {
  const folder = mkdtempSync(join(ROOT, "poundkey-sim-"));
  try {
    return await new Day(seed, folder).run();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

class Day {
  readonly #folder: string;
  readonly #path: string;
  readonly #clock: EventClock;
  readonly #scenario: Scenario;
  readonly #providers: Providers;
  readonly #nodes: SimNode[] = [];
  readonly #lives: SimNode[] = [];
  readonly #events: BookEvent[] = [];
  readonly #seen = new Map<string, Seen>();
  readonly #dead = new Set<string>();
  readonly #frozen = new Set<string>();
  readonly #retired = new Set<string>();
  readonly #story: string[] = [];
  readonly #wrongs: string[] = [];
  readonly #database: Database;
  readonly #world: NodeWorld;
  readonly #clients: ClientWorld;
  #opening = 0;

  constructor(seed: number, folder: string) {
    this.#folder = folder;
    this.#path = join(folder, "day.db");
    this.#scenario = makeScenario(seed, new Dice(seed));
    const { startMs, troubles, keys, billing } = this.#scenario;
    this.#clock = new EventClock(startMs);
    this.#providers = new Providers({
      clock: this.#clock,
      dice: new Dice(seed + 1_000_003),
      weights: troubles,
      attemptOf: (id) => this.#seen.get(id)?.facts.attempts ?? 0,
    });
    writeEmptyStore(this.#path);
    this.#database = new Database(this.#path);
    const tell = (what: string) => {
      this.#story.push(`${(this.#clock.monotonicMs / 1000).toFixed(3)} ${what}`);
    };
    this.#world = {
      scenario: this.#scenario,
      clock: this.#clock,
      dice: new Dice(seed + 2_000_003),
      providers: this.#providers,
      path: this.#path,
      events: this.#events,
      tell,
      dead: this.#dead,
      frozen: this.#frozen,
      retired: this.#retired,
    };
    this.#clients = {
      clock: this.#clock,
      markup: billing.markup,
      keys: new Map(keys.map((key) => [key.id, key])),
      seen: this.#seen,
      look: (id) => this.#look(id),
      tell,
    };
  }

  async run(): Promise<DayRecord> {
    await this.#begin();
    this.#schedule();
    await this.#untilIdle();
    // A dead node's holds are resolved a little later or, if the store is away, once it is back.
    for (let seconds = 3; seconds <= 60; seconds += 3) this.#clock.after(seconds * 1000, () => {});
    await this.#untilIdle();
    const audit = await this.#audit();
    this.#checkCounts();
    for (const node of this.#nodes) await node.stop();
    return {
      audit,
      scenario: this.#scenario,
      calls: this.#providers.calls,
      seen: this.#seen,
      events: this.#events,
      dead: this.#dead,
      frozen: this.#frozen,
      retired: this.#retired,
      unheard: new Set(this.#lives.flatMap(({ life }) => [...life.unheard])),
      storeFaults: this.#lives.reduce((sum, { life }) => sum + life.faults, 0),
      wrongs: this.#wrongs,
      story: this.#story,
      database: this.#database,
      path: this.#path,
      dispose: () => {
        this.#database.close();
        rmSync(this.#folder, { recursive: true, force: true });
      },
    };
  }

  async #begin(): Promise<void> {
    const { accounts, keys, nodes } = this.#scenario;
    await this.#openNode(0);
    const [first] = this.#nodes;
    if (first === undefined) throw new Error("No node has begun.");
    const changes = unrecorded(first.store);
    for (const account of accounts) {
      if (account.id === "default") await changes.changeAccount(account.id, account);
      else await changes.addAccount(account);
    }
    for (const key of keys) await changes.addKey(key, `digest of ${key.id}`);
    for (let node = 1; node < nodes; node++) await this.#openNode(node);
  }

  async #openNode(at: number): Promise<void> {
    this.#opening++;
    const node = await SimNode.open(this.#world);
    this.#nodes[at] = node;
    this.#lives.push(node);
    this.#opening--;
  }

  #untilIdle(): Promise<void> {
    const alive = () => this.#nodes.filter(({ life }) => !life.dead);
    return this.#clock.run({
      isBusy: () => this.#providers.open > 0 || alive().some(({ gateway }) => gateway.open > 0),
      isWorking: () => this.#opening > 0 || this.#lives.some(({ life }) => life.working > 0),
    });
  }

  #schedule(): void {
    const { plans, topUps, ends, freezes, jumps, revocations } = this.#scenario;
    for (const order of topUps) this.#clock.after(order.atMs, () => this.#wrongly(this.#topUp(order)));
    for (const end of ends) this.#clock.after(end.atMs, () => this.#wrongly(this.#end(end)));
    for (const { atMs, node } of freezes) this.#clock.after(atMs, () => this.#nodes[node]?.freeze());
    for (const { atMs, keyId } of revocations) {
      this.#clock.after(atMs, () => {
        this.#clients.tell(`${keyId} is revoked`);
        this.#alive(0)?.revoke(keyId);
      });
    }
    for (const { atMs, byMs } of jumps) {
      this.#clock.after(atMs, () => {
        this.#clients.tell(`the wall clock is set by ${byMs} ms`);
        this.#clock.wallAheadMs += byMs;
      });
    }
    for (const plan of plans) {
      this.#clock.after(plan.atMs, () => {
        const node = this.#alive(plan.node);
        // If the connection is refused, the client gives up.
        if (node) this.#wrongly(ask(this.#clients, node, plan));
      });
    }
  }

  /** Lines of batches would make way for ever for a request that is counted after its end. */
  #checkCounts(): void {
    for (const { life, gateway, id } of this.#nodes) {
      const { singles, working } = gateway.underWay;
      if (!life.dead && singles + working !== 0)
        this.#wrongs.push(`${id} counts ${singles} requests and works on ${working} without any.`);
    }
  }

  /** The node at that place, or null if it is down. */
  #alive(at: number): SimNode | null {
    const node = this.#nodes[at];
    return node?.takesRequests ? node : null;
  }

  async #end({ node: at, downMs, drainMs }: Scenario["ends"][number]): Promise<void> {
    const node = this.#nodes[at];
    if (!node || node.life.dead) return;
    if (drainMs === null) await node.kill();
    else if (node.takesRequests) await node.retire(drainMs);
    else return;
    await this.#clock.wait(downMs);
    // A node that was killed while it retired was started again by the code that killed it.
    if (this.#nodes[at] !== node) return;
    await this.#openNode(at);
  }

  /** The operator repeats a top-up until it is confirmed. A repeat with another amount is refused. */
  async #topUp({ accountId, id, nanoUsd }: PlannedTopUp): Promise<void> {
    for (let tries = 0; tries < TOP_UP_TRIES; tries++) {
      const node = this.#alive(0);
      try {
        if (node) {
          await topUp(node.store, {
            accountId,
            id,
            nanoUsd,
            note: null,
            entry: null,
            nowMs: this.#clock.nowMs,
          });
          this.#clients.tell(`${accountId} is topped up by ${nanoUsd}`);
          return;
        }
      } catch (thrown) {
        const { code } = toFault(thrown);
        if (code === "idempotency_mismatch") return;
        if (code !== "store_unavailable") throw thrown;
      }
      await this.#clock.wait(700);
    }
  }

  #audit(): Promise<Audit> {
    const node = this.#alive(0);
    if (!node) throw new Error("Nobody lives to see the end of the day.");
    return node.store.audit();
  }

  #look(id: string): RowGlimpse | null {
    return this.#database
      .query<RowGlimpse, [string]>("SELECT ended, charged_nano AS chargedNanoUsd FROM request WHERE id = ?")
      .get(id);
  }

  #wrongly(work: Promise<void>): void {
    work.catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.stack : "";
      this.#wrongs.push(`${String(error)} ${cause}`);
    });
  }
}
