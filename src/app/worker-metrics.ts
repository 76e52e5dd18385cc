// `/metrics` of several workers: whichever is asked, the process that started them asks all and answers the sum.
import { formatMetrics } from "../telemetry/exposition.ts";
import { addSums, type Sums } from "../telemetry/sums.ts";
import { parseToWorker, sendToParent, type ToWorker } from "./worker.ts";
import { clock } from "./world.ts";

/** A worker that is too busy to answer within this is counted as it was when it last answered. */
const ANSWER_MS = 1000;

/** In a worker: answers with `own` when it is asked to count; gives what asks for the text of the sum over all workers. */
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

/** A worker, to be asked. */
export interface Counting {
  readonly send: (message: ToWorker) => void;
}

/** In the process that started the workers: asks all of them when one is asked, and answers it the sum. */
export class MetricsSum {
  /** The last report of each living worker. */
  readonly #told = new Map<Counting, Sums>();
  /** The counts of workers that have ended. */
  #ended: Sums = {};
  readonly #askers = new Set<Counting>();
  /** Those whose answer the round under way waits for; empty between rounds. */
  readonly #missing = new Set<Counting>();
  #callOff = () => {};

  /** The worker serves from now on. */
  join(worker: Counting): void {
    if (!this.#told.has(worker)) this.#told.set(worker, {});
  }

  leave(worker: Counting): void {
    this.#ended = addSums([], [this.#ended, this.#told.get(worker) ?? {}]);
    this.#told.delete(worker);
    this.#askers.delete(worker);
    this.#answered(worker);
  }

  /** The worker wants the sum. Those who ask during a round share its answer. */
  scrape(asker: Counting): void {
    this.join(asker);
    this.#askers.add(asker);
    if (this.#missing.size > 0) return;
    for (const worker of this.#told.keys()) this.#missing.add(worker);
    this.#callOff = clock.after(ANSWER_MS, () => this.#end());
    for (const worker of this.#missing) worker.send("count");
  }

  counted(worker: Counting, sums: Sums): void {
    if (this.#told.has(worker)) this.#told.set(worker, sums);
    this.#answered(worker);
  }

  #answered(worker: Counting): void {
    if (this.#missing.delete(worker) && this.#missing.size === 0) this.#end();
  }

  #end(): void {
    this.#callOff();
    this.#missing.clear();
    const merged = formatMetrics(addSums([...this.#told.values()], [this.#ended]));
    for (const asker of this.#askers) asker.send({ merged });
    this.#askers.clear();
  }
}
