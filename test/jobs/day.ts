// A day of batches by a seed: nodes that come and go, a provider that fails, a store that does, money that runs out.

import { type Batch, hasEnded } from "../../src/core/batches/batch.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { Store } from "../../src/core/store.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import { nameResults, numberPiece } from "../../src/jobs/objects.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { addKey } from "../harness/samples.ts";
import { Door } from "./day-door.ts";
import { DayModels } from "./day-models.ts";
import { addBatch, DAY_MS, MemoryFiles, makeJobPorts } from "./job-world.ts";

const STEP_MS = 2000;
export const MODEL_WAIT_MS = 600_000;

/** Numbers from 0 to 1 by a seed (mulberry32). */
function makeChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A node: killed, it sees nothing any more, and what it does reaches nobody. */
class Node {
  readonly name: string;
  isDead = false;
  /** True once it was asked to stop: it starts nothing any more. */
  isLeaving = false;
  readonly runner: BatchRunner;
  readonly kept: KeptBatches;

  constructor(day: Day, name: string) {
    const { store, clock, files, door, chance } = day;
    this.name = name;
    const alive = <T>(work: () => Promise<T>): Promise<T> => (this.isDead ? new Promise(() => {}) : work());
    const fail = (message: string) => {
      day.failures++;
      return new Fault("store_unavailable", message);
    };
    const shaky = <T>(work: () => Promise<T>) =>
      alive(async () => {
        if (chance() < day.trouble / 8) throw fail("The store is away.");
        const done = await clock.await(work);
        if (chance() >= day.trouble / 8) return done;
        day.lostAnswerMs = Math.ceil(clock.nowMs());
        throw fail("Its answer was lost.");
      });
    const change = door.keepWith(store.batches);
    const batches: Store["batches"] = {
      ...store.batches,
      list: (filter, page) => alive(() => clock.await(() => store.batches.list(filter, page))),
      change: (of, wanted, decide) => shaky(async () => change(of, wanted, decide)),
    };
    const { pieces } = files;
    const mortal: MemoryFiles["pieces"] = {
      write: (...given) =>
        alive(() => {
          const [, object, number] = given;
          day.writers.set(`${object} ${number}`, this);
          return pieces.write(...given);
        }),
      // Results that take time to be put together may be another node's by then.
      read: (...given) =>
        alive(async () => {
          if (chance() < 0.3) await new Promise<void>((resolve) => clock.after(chance() * 6000, resolve));
          return alive(() => pieces.read(...given));
        }),
      remove: (...given) => alive(() => pieces.remove(...given)),
    };
    const ports = makeJobPorts(
      { store, clock, files: files.withPieces(mortal) },
      {
        store: {
          batches,
          account: (id) => store.account(id),
          request: async (id) => door.findRow(id),
          node: name,
          listDead: async (nodes) => nodes.filter((one) => day.dead.has(one)),
        },
        log: (event) => void (event.level === "error" && day.bugs.push(event)),
        findKey: (id) => alive(() => clock.await(() => addKey(store, id))),
        call: (line) => alive(() => door.call(line, () => this.isDead)),
        isBusy: () => this.isDead,
      },
      { modelWaitMs: MODEL_WAIT_MS },
    );
    this.runner = new BatchRunner(ports);
    this.kept = new KeptBatches(ports, this.runner.wake);
    this.runner.start();
  }
}

export class Day {
  readonly clock = new ManualClock();
  readonly files = new MemoryFiles();
  readonly dead = new Set<string>();
  readonly bugs: object[] = [];
  readonly chance: () => number;
  readonly trouble: number;
  readonly door: Door;
  readonly store: Store;
  kills = 0;
  /** Changes of the store whose nodes don't know whether they were made. */
  failures = 0;
  /** The nodes that wrote pieces, by their objects and numbers. */
  readonly writers = new Map<string, Pick<Node, "isDead">>();
  /** The time at which the answer to a change of the store was last lost. */
  lostAnswerMs = 0;
  #nodes: Node[] = [];
  #names = 0;

  /** With models that fail, if `hasModels`. */
  constructor(store: Store, seed: number, hasModels = false) {
    this.store = store;
    this.chance = makeChance(seed);
    this.trouble = this.chance() * 0.3;
    this.door = new Door(this.chance, this.clock, this.trouble);
    if (hasModels) this.door.models = new DayModels(this.chance, this.clock);
  }

  /** Returns the batch at its end. */
  async run(id: string, lines: number, mayCancel: boolean): Promise<Batch> {
    const batch = await addBatch(this.#join().kept, this, id, lines, this.door.models?.nameModel);
    const cancelAt = mayCancel ? 3 + Math.floor(this.chance() * 20) : Number.POSITIVE_INFINITY;
    for (let step = 0; this.clock.nowMs() < 2 * DAY_MS; step++) {
      if (step === cancelAt) await this.#cancel(batch);
      await this.#happen(step);
      await this.clock.move(step < 60 ? STEP_MS : 60_000);
      await Bun.sleep(0);
      const found = await this.store.batches.find(id);
      if (found === null || !hasEnded(found)) continue;
      await this.#settle();
      return found;
    }
    throw new Error("The batch didn't end.");
  }

  /** A node that was given up, and lives, finds out that it comes too late. */
  async #settle(): Promise<void> {
    for (let step = 0; step < 10; step++) await this.clock.move(STEP_MS);
  }

  async #cancel(batch: Batch): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const isDone = await this.#join()
        .kept.cancel(batch)
        .then(
          () => true,
          () => false,
        );
      if (isDone) return;
    }
  }

  /** Nodes are killed and join, and the account's money comes and goes, in the first minutes. */
  async #happen(step: number): Promise<void> {
    if (step > 60) {
      this.door.isPoor = false;
      for (const { name } of this.#running) this.dead.delete(name);
      if (this.#running.length === 0) this.#join();
      return;
    }
    const dice = this.chance();
    if (dice < 0.08) this.#kill();
    else if (dice < 0.16 && this.#running.length < 4) this.#join();
    else if (dice < 0.24) this.door.isPoor = !this.door.isPoor;
    else if (dice < 0.28) this.#drain();
    else if (dice < 0.36) this.#silence();
    else if (dice < 0.44) for (const { name } of this.#running) this.dead.delete(name);
    if (this.#running.length === 0) this.#join();
  }

  get #running(): readonly Node[] {
    return this.#nodes.filter(({ isDead, isLeaving }) => !isDead && !isLeaving);
  }

  #join(): Node {
    const node = new Node(this, `node-${this.#names++}`);
    this.#nodes.push(node);
    return node;
  }

  #kill(): void {
    const victim = this.#choose(this.#nodes.filter(({ isDead }) => !isDead));
    if (victim === null) return;
    this.kills++;
    this.#bury(victim);
  }

  /** Lets a node end as an operator would. */
  #drain(): void {
    const leaving = this.#choose(this.#running);
    if (leaving === null) return;
    leaving.isLeaving = true;
    void leaving.runner.stop(STEP_MS).then(() => this.#bury(leaving));
  }

  /** Others give a node up that goes on: what it has is theirs by then. */
  #silence(): void {
    const silent = this.#choose(this.#running);
    if (silent !== null) this.dead.add(silent.name);
  }

  #bury(node: Node): void {
    node.isDead = true;
    this.dead.add(node.name);
  }

  #choose(nodes: readonly Node[]): Node | null {
    return nodes[Math.floor(this.chance() * nodes.length)] ?? null;
  }

  /**
   * Counts the pieces of a batch's results that neither its blocks nor the index of its file names. Those of a node that ended
   * before it named them stay until their file goes.
   */
  async countUnnamed(batch: Batch): Promise<number> {
    const blocks = await this.store.batches.change(batch, { from: 0, most: 99 }, (_, found) => ({
      result: found,
    }));
    const named = new Set(blocks.flatMap(({ pieces }) => pieces.map(({ number }) => number)));
    // Lines without an answer stand behind all blocks.
    const behind = numberPiece({ block: blocks.length, lease: 0 }, 0);
    return (["o", "e"] as const)
      .map((kind) => nameResults(batch, kind))
      .flatMap((object) =>
        [...(this.files.objects.get(object)?.keys() ?? [])].map((number) => ({ object, number })),
      )
      .filter(({ number }) => !named.has(number) && number < behind)
      .filter(({ object, number }) => this.writers.get(`${object} ${number}`)?.isDead === false).length;
  }
}
