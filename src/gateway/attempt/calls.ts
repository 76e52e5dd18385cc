// Splits a request for several answers into as many calls as the provider needs, and joins their answers.
import type { Attempt } from "../../core/attempt.ts";
import { Ending } from "../../core/world/ending.ts";
import { limitCallsAtOnce } from "../../health/rate.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Ports } from "../../transport/client.ts";
import type { Take } from "../answer/flow.ts";
import type { Call } from "../call.ts";
import { type AttemptCall, runWhole } from "./attempt.ts";
import { type PieceStream, StreamedAttempt } from "./streamed.ts";

type Splitting<F extends Form> = Pick<AttemptCall<F>, "operation" | "routes" | "card" | "ask" | "raw">;

function splitAsk<F extends Form>(attempt: Splitting<F>): readonly F["ask"][] {
  const { operation, routes, card, ask, raw } = attempt;
  const { codec } = routes.require(card, ask, raw);
  return operation.split(ask, Math.max(1, codec.answersPerCall(card, ask)));
}

/** Returns the number of calls that the request takes. */
export function countCalls<F extends Form>(attempt: Splitting<F>): number {
  return splitAsk(attempt).length;
}

/** Returns the places in the allowance that a request takes: one per answer, or per call if there are more. */
export function countPlaces<F extends Form>(
  { operation, ask, routes }: Pick<Call<F>, "operation" | "ask" | "routes">,
  attempts: readonly Attempt[],
): number {
  let places = operation.countAnswers(ask);
  // A chat never takes more calls than answers, and checking each of a selector's hundreds of attempts would be slow.
  if (operation.choosing) return places;
  for (const { card } of attempts) {
    if (routes.find(card, ask, null) === null) continue;
    places = Math.max(places, countCalls({ operation, routes, card, ask, raw: null }));
  }
  return places;
}

/** Returns the calls to make, or null if the attempt is the only one, as usual. */
function splitCalls<F extends Form>(attempt: AttemptCall<F>): readonly AttemptCall<F>[] | null {
  const asks = splitAsk(attempt);
  return asks.length === 1 ? null : makeCalls(attempt, asks);
}

function makeCalls<F extends Form>(
  attempt: AttemptCall<F>,
  asks: readonly F["ask"][],
): readonly AttemptCall<F>[] {
  const { operation } = attempt;
  const reports = new Map<number, F["usage"]>();
  const whole = new Set<number>();
  let next = attempt.offset;
  return asks.map((ask) => {
    const offset = next;
    next += operation.countAnswers(ask);
    const onUsage = (usage: F["usage"], isWhole: boolean) => {
      reports.set(offset, usage);
      if (isWhole) whole.add(offset);
      const sum = reports.size === asks.length ? operation.addUsages([...reports.values()]) : null;
      if (sum) attempt.onUsage(sum, whole.size === reports.size);
    };
    return { ...attempt, ask, offset, onUsage };
  });
}

/** Returns all answers as one stream. If one call fails, the others are ended. */
export function streamAnswers<F extends Form>(ports: Ports, attempt: AttemptCall<F>): PieceStream<F> {
  const calls = splitCalls(attempt);
  return calls ? new JoinedStream(ports, attempt, calls) : new StreamedAttempt(ports, attempt);
}

class JoinedStream<F extends Form> implements PieceStream<F> {
  readonly #operation: Operation<F>;
  readonly #ending: Ending;
  readonly #streams: readonly PieceStream<F>[];
  readonly #atOnce: number;

  constructor(ports: Ports, attempt: AttemptCall<F>, calls: readonly AttemptCall<F>[]) {
    this.#operation = attempt.operation;
    const ending = new Ending(attempt.client);
    this.#ending = ending;
    const { parallel } = attempt.credential;
    this.#atOnce = parallel === undefined ? calls.length : limitCallsAtOnce(calls.length, parallel);
    this.#streams = calls.map((call) => new StreamedAttempt(ports, { ...call, client: ending }));
  }

  get usage(): F["usage"] | null {
    return this.#operation.addUsages(this.#streams.map(({ usage }) => usage));
  }

  async pour(take: Take<readonly F["piece"][]>): Promise<void> {
    try {
      await runInTurns(this.#streams, this.#atOnce, (stream) => stream.pour(take));
    } catch (thrown) {
      this.leave();
      throw thrown;
    }
  }

  leave(): void {
    this.#ending.end();
    for (const stream of this.#streams) stream.leave();
  }
}

/** Returns all answers as one reply. If one call fails, the others are ended. */
export function completeAnswers<F extends Form>(ports: Ports, attempt: AttemptCall<F>): Promise<F["reply"]> {
  const calls = splitCalls(attempt);
  return calls ? joinReplies(ports, attempt, calls) : runWhole(ports, attempt);
}

async function joinReplies<F extends Form>(
  ports: Ports,
  attempt: AttemptCall<F>,
  calls: readonly AttemptCall<F>[],
): Promise<F["reply"]> {
  const client = new Ending(attempt.client);
  try {
    const atOnce = limitCallsAtOnce(calls.length, attempt.credential.parallel);
    const replies = await runInTurns(calls, atOnce, (call) => runWhole(ports, { ...call, client }));
    return attempt.operation.merge(replies);
  } finally {
    client.end();
  }
}

/** Runs tasks with bounded concurrency and returns their results in order. The first failure stops the rest. */
async function runInTurns<Task, Result>(
  tasks: readonly Task[],
  atOnce: number,
  run: (task: Task) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = tasks.entries();
  const work = async () => {
    for (const [at, task] of left) results[at] = await run(task);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, work));
  return results;
}
