// Group commit: the demands of one turn of the event loop become one transaction, and are answered after its COMMIT.
import { Fault } from "../../core/fault.ts";
import type { Answer, Decide, Decision, Demand } from "../../core/store.ts";
import type { Connection } from "./connection.ts";
import type { Lifeline } from "./lifeline.ts";
import type { RowCache } from "./row-cache.ts";
import { requestValues, usageValues } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** So many demands take a few milliseconds, for which the event loop stands still. */
const BATCH_DEMANDS_MAX = 500;
const WAITING_DEMANDS_MAX = 100_000;

interface Waiting {
  readonly demand: Demand;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Batches {
  readonly #lifeline: Lifeline;
  readonly #cache: RowCache;
  readonly #decide: Decide;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(lifeline: Lifeline, cache: RowCache, decide: Decide) {
    this.#lifeline = lifeline;
    this.#cache = cache;
    this.#decide = decide;
  }

  add(demand: Demand): Promise<Answer> {
    if (this.#waiting.length >= WAITING_DEMANDS_MAX) {
      return Promise.reject(
        new Fault("overloaded", "Too many requests are waiting for the gateway's store."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ demand, resolve, reject });
      this.#running ??= this.#runAll();
    });
  }

  /** Waits until everything demanded so far is answered. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#run(this.#waiting.splice(0, BATCH_DEMANDS_MAX));
    }
    this.#running = null;
  }

  /** One transaction for all. A demand that the database refuses must not fail the others, so then each has its own. */
  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const demands = batch.map(({ demand }) => demand);
      const answers = await this.#lifeline.run((connection) => this.#transact(connection, demands));
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer) resolve(answer);
        else reject(new Error("A demand was left without an answer."));
      });
    } catch (error) {
      if (error instanceof Fault || batch.length === 1) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.#run([waiting]);
    }
  }

  #transact(connection: Connection, demands: readonly Demand[]): readonly Answer[] {
    const { sql } = connection;
    const decision = connection.write(() => {
      const rows = this.#cache.rowsFor(
        sql,
        demands.map(({ reads }) => reads),
      );
      const decided = this.#decide(rows, demands);
      writeDecision(sql, decided);
      return decided;
    });
    this.#cache.keep(decision);
    return decision.answers;
  }
}

function writeDecision(sql: Statements, decision: Decision): void {
  for (const { owner, day, used, lastAtMs } of decision.meters) sql.putMeter.run(owner, day, used, lastAtMs);
  for (const { owner, taken } of decision.slots)
    sql.putSlot.run(owner, taken?.atMs ?? null, taken?.by ?? null);
  for (const record of decision.requests) sql.addRequest.run(...requestValues(record));
  for (const sum of decision.usage) sql.addUsage.run(...usageValues(sum));
}
