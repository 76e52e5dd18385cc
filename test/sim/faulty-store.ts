// A store that fails at random: before the commit, after it unnoticed, slowly, at the sync, and for good at a death.
import type { Demand } from "../../src/core/demand.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { PruneBefore, Store } from "../../src/core/store.ts";
import type { Dice } from "./dice.ts";
import type { EventClock } from "./event-clock.ts";

export interface StoreTroubles {
  readonly chance: number;
  readonly outages: readonly { readonly atMs: number; readonly forMs: number }[];
}

/** One process life's use of its store, as the simulation sees it. */
export interface StoreLife {
  /** True once its process is dead: nothing more is written, and no caller gets a reply. */
  dead: boolean;
  /** The number of pending calls to the real store. */
  working: number;
  /** Returned grants in order, and the last of them that a sync covers. */
  granted: Map<string, number>;
  durableUpTo: number;
  /** The number of calls that were made to fail or to take long. */
  faults: number;
  delays: number;
  /** Requests whose settlement was written without any caller learning of it. */
  unheard: Set<string>;
  onPrune: (before: PruneBefore) => void;
}

type Trouble = "none" | "before" | "after" | "twice" | "slow" | "slow after";

function repeated(demand: Demand): Demand {
  return { ...demand, reads: { ...demand.reads, isNew: false } };
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

function unavailable(outcomeUnknown: boolean): Fault {
  const unknown = outcomeUnknown ? ({ outcomeUnknown: true } as const) : {};
  return new Fault("store_unavailable", "The store was made to fail.", { retryAfterMs: 1000, ...unknown });
}

interface StoreParts {
  readonly clock: EventClock;
  readonly dice: Dice;
  readonly troubles: StoreTroubles;
}

/** Wraps the real store in random failures. All waits use the simulation's clock. */
export function faultyStore(real: Store, life: StoreLife, parts: StoreParts): Store {
  const calls = new FaultyCalls(life, parts);
  return {
    ...real,
    async transact(demand) {
      const answer = await calls.around(
        (isRepeated) => real.transact(isRepeated ? repeated(demand) : demand),
        () => {
          if (demand.kind === "settle") life.unheard.add(demand.record.id);
        },
      );
      if (demand.kind === "admit" && answer.kind === "granted")
        life.granted.set(demand.id, life.granted.size + 1);
      return answer;
    },
    durable() {
      const synced = calls.sync();
      synced.catch(() => {});
      return synced;
    },
    beat: () => calls.inTime(() => real.beat()),
    orphans: (most, running, noting) => calls.around(() => real.orphans(most, running, noting)),
    read: (reads) => calls.around(() => real.read(reads)),
    async prune(before, rowsMax) {
      if (life.dead) return never();
      const pruned = calls.inTime(() => real.prune(before, rowsMax));
      life.onPrune(before);
      return pruned;
    },
  };
}

/** Calls of a store that fail, are repeated or arrive late, as the dice fall. */
class FaultyCalls {
  readonly #life: StoreLife;
  readonly #parts: StoreParts;

  constructor(life: StoreLife, parts: StoreParts) {
    this.#life = life;
    this.#parts = parts;
  }

  async around<T>(work: (isRepeated: boolean) => Promise<T>, onUnheard = () => {}): Promise<T> {
    const { clock, dice } = this.#parts;
    const life = this.#life;
    if (life.dead) return never();
    const trouble = this.#draw();
    if (trouble.startsWith("slow")) life.delays++;
    if (trouble === "before" || trouble === "slow") {
      await clock.wait(dice.chance(0.1) ? dice.int(1000, 6000) : dice.int(1, 200));
      if (life.dead) return never();
    }
    if (trouble === "before") {
      life.faults++;
      throw unavailable(false);
    }
    // The engine missed the reply to its commit and repeated it, as it may for every demand.
    if (trouble === "twice") {
      await this.inTime(() => work(false));
      if (dice.chance(0.5)) await clock.wait(dice.int(1, 4000));
      if (life.dead) return never();
    }
    const result = await this.inTime(() => work(trouble === "twice"));
    if (trouble === "slow after") await clock.wait(dice.int(1, 3000));
    if (life.dead) return never();
    if (trouble === "after") {
      life.faults++;
      onUnheard();
      throw unavailable(true);
    }
    return result;
  }

  /** Real work, which the clock waits for. A dead process never gets the result. */
  inTime<T>(work: () => Promise<T>): Promise<T> {
    const life = this.#life;
    return new Promise((resolve, reject) => {
      life.working++;
      work().then(
        (result) => {
          life.working--;
          if (!life.dead) resolve(result);
        },
        (error: unknown) => {
          life.working--;
          if (!life.dead) reject(error);
        },
      );
    });
  }

  async sync(): Promise<void> {
    const { clock, dice } = this.#parts;
    const life = this.#life;
    const upTo = life.granted.size;
    await clock.wait(dice.int(1, 40));
    if (life.dead) return never();
    if (this.#draw() === "before") {
      life.faults++;
      throw unavailable(false);
    }
    life.durableUpTo = Math.max(life.durableUpTo, upTo);
  }

  #draw(): Trouble {
    const { clock, dice, troubles } = this.#parts;
    const nowMs = clock.monotonicMs;
    const isOut = troubles.outages.some(({ atMs, forMs }) => nowMs >= atMs && nowMs < atMs + forMs);
    // During an outage almost nothing is written, and no reply arrives.
    if (isOut) return dice.chance(0.02) ? "after" : "before";
    if (!dice.chance(troubles.chance)) return dice.chance(0.05) ? "slow" : "none";
    return dice.weighted({ before: 3, after: 3, twice: 3, slow: 2, "slow after": 2 });
  }
}
