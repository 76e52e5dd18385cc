// Demands that wait for a transaction, and the answering of one batch, or of one demand without a transaction.
import type { Decide, Rows } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Heart } from "./heart.ts";

export const WAITING_DEMANDS_MAX = 100_000;

export interface Waiting {
  readonly demand: Demand;
  readonly sinceMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export function tooMany(): Fault {
  return new Fault("overloaded", "Too many requests are waiting for the gateway's store.");
}

/**
 * Runs one transaction for the whole batch. Never throws. If the database refuses a demand, each demand gets its own
 * transaction, so that the others don't fail with it.
 */
export async function answerAll(batch: readonly Waiting[], transact: Transact): Promise<void> {
  try {
    answerWaiting(batch, await transact(batch.map(({ demand }) => demand)));
  } catch (error) {
    if (error instanceof Fault || batch.length === 1) for (const { reject } of batch) reject(error);
    else await answerEach(batch, transact);
  }
}

interface DemandTaker {
  add(demand: Demand): Promise<Answer>;
}

/** Adds a demand to its batch, but an admission only once requests may be admitted. */
export function addDemand(heart: Pick<Heart, "wait">, batches: DemandTaker, demand: Demand): Promise<Answer> {
  const waiting = demand.kind === "admit" ? heart.wait() : null;
  return waiting === null ? batches.add(demand) : addLater(waiting, batches, demand);
}

function addLater(waiting: Promise<void>, batches: DemandTaker, demand: Demand): Promise<Answer> {
  return waiting.then(() => batches.add(demand));
}

type Transact = (demands: readonly Demand[]) => Promise<readonly Answer[]>;

/** Runs a transaction for each demand, one after the other. It never throws. */
export async function answerEach(batch: readonly Waiting[], transact: Transact): Promise<void> {
  for (const waiting of batch) await answerAll([waiting], transact);
}

/** Answers the demands of a batch that was committed. */
export function answerWaiting(batch: readonly Waiting[], answers: readonly Answer[]): void {
  for (let index = 0; index < batch.length; index++) {
    const answer = answers[index];
    if (answer) batch[index]?.resolve(answer);
    else batch[index]?.reject(new Error("A demand got no answer."));
  }
}

/** Returns the answer to a demand on these rows. Nothing is written. */
export function answerDry(decide: Decide, rows: Rows, demand: Demand): Answer {
  const decision = decide(rows, [demand]);
  const [answer] = decision.answers;
  decision.takeBack();
  if (answer === undefined) throw new Error("A demand got no answer.");
  return answer;
}
