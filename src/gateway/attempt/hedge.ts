// Hedging: if the first attempt is slow, a second is started, and the first to answer wins.

/** Two tasks that each produce a result unless they are ended first. */
export interface Race<Running, Result> {
  readonly first: Running;
  /** Called once when it is time for a second task. Returns null to keep waiting for the first. */
  readonly second: () => Running | null;
  readonly start: (task: Running) => Promise<Result>;
  /** Records a task's failure. Returns it as a Fault. */
  readonly fail: (task: Running, thrown: unknown) => Error;
  /** Ends a task because the other one won. */
  readonly end: (task: Running) => void;
  /** Releases the result of a loser that finished at the same moment. */
  readonly drop: (result: Result) => void;
  /** Schedules the second task. Returns a function that cancels it. */
  readonly onTime: (task: () => void) => () => void;
  /** True if the other task would fail in the same way, so there is no point in waiting for it. */
  readonly isFinal: (error: unknown) => boolean;
}

interface RaceResult<Running, Result> {
  readonly result: Result;
  readonly winner: Running;
  /** Null if no second task was started. */
  readonly loser: Running | null;
}

/** Rejects with the last failure if neither answers. */
export function runRace<Running, Result>(race: Race<Running, Result>): Promise<RaceResult<Running, Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<RaceResult<Running, Result>>();
  const started: Running[] = [];
  let running = 0;
  let over = false;
  const others = (own: Running) => started.filter((one) => one !== own);
  const close = (own: Running) => {
    over = true;
    callOff();
    for (const other of others(own)) race.end(other);
  };
  const start = (own: Running) => {
    started.push(own);
    running++;
    race.start(own).then(
      (result) => {
        if (over) return race.drop(result);
        close(own);
        resolve({ result, winner: own, loser: others(own)[0] ?? null });
      },
      (thrown: unknown) => {
        const error = race.fail(own, thrown);
        running--;
        if (over || (running > 0 && !race.isFinal(error))) return;
        close(own);
        reject(error);
      },
    );
  };
  const callOff = race.onTime(() => {
    const second = over ? null : race.second();
    if (second) start(second);
  });
  start(race.first);
  return promise;
}
