// `/metrics` of several workers: the worker that gets the request asks the parent process, which sums the counts of all.
import { formatMetrics } from "../telemetry/exposition.ts";
import { addSums, type Sums } from "../telemetry/sums.ts";
import { parseToWorker, sendToParent, type ToWorker } from "./worker.ts";
import { clock } from "./world.ts";

/** A worker that doesn't answer within this time is counted with its last answer. */
const ANSWER_MS = 1000;

/** In a worker: answers the parent's requests with `own`. Returns a function that asks for the sum over all workers as text. */
export function shareMetrics(own: () => Sums): () => Promise<string> {
  let waiting: PromiseWithResolvers<string> | null = null;
  const answer = (text: string) => {
    waiting?.resolve(text);
    waiting = null;
  };
  process.on("message", (received: unknown) => {
    const message = parseToWorker(received);
    if (message === "count") sendToParent({ counted: own() });
    else if (message !== null) answer(message.merged);
  });
  process.once("disconnect", () => answer(formatMetrics(own())));
  return () => {
    if (!process.connected) return Promise.resolve(formatMetrics(own()));
    if (waiting === null) {
      waiting = Promise.withResolvers<string>();
      sendToParent("scrape");
    }
    return waiting.promise;
  };
}

/** A worker whose counts can be asked for. */
export interface Counting {
  readonly send: (message: ToWorker) => void;
}

/** In the parent process: asks all workers for their counts when one of them is scraped, and sends it the sum. */
export class MetricsSum {
  /** The last report of each living worker. */
  readonly #reports = new Map<Counting, Sums>();
  /** The counts of workers that have ended. */
  #ended: Sums = {};
  readonly #askers = new Set<Counting>();
  /** The workers that the current round still waits for; empty between rounds. */
  readonly #missing = new Set<Counting>();
  #callOff = () => {};

  /** Adds a worker that serves from now on. */
  join(worker: Counting): void {
    if (!this.#reports.has(worker)) this.#reports.set(worker, {});
  }

  leave(worker: Counting): void {
    this.#ended = addSums([], [this.#ended, this.#reports.get(worker) ?? {}]);
    this.#reports.delete(worker);
    this.#askers.delete(worker);
    this.#answered(worker);
  }

  /** Sends the worker the sum. Workers that ask during a round share its answer. */
  scrape(asker: Counting): void {
    this.join(asker);
    this.#askers.add(asker);
    if (this.#missing.size > 0) return;
    for (const worker of this.#reports.keys()) this.#missing.add(worker);
    this.#callOff = clock.after(ANSWER_MS, () => this.#end());
    for (const worker of this.#missing) worker.send("count");
  }

  counted(worker: Counting, sums: Sums): void {
    if (this.#reports.has(worker)) this.#reports.set(worker, sums);
    this.#answered(worker);
  }

  #answered(worker: Counting): void {
    if (this.#missing.delete(worker) && this.#missing.size === 0) this.#end();
  }

  #end(): void {
    this.#callOff();
    this.#missing.clear();
    const merged = formatMetrics(addSums([...this.#reports.values()], [this.#ended]));
    for (const asker of this.#askers) asker.send({ merged });
    this.#askers.clear();
  }
}
