// Hedging: if the first attempt is slow, a second is started, and the first to answer wins.

/** A task that produces a result unless it is ended first. */
export interface Runner<Result> {
  readonly start: () => Promise<Result>;
  /** Records a failure. Returns it as a Fault. */
  readonly fail: (thrown: unknown) => Error;
  /** Ends it because the other one won. */
  readonly end: () => void;
  /** Releases the result of a loser that finished at the same moment. */
  readonly drop: (result: Result) => void;
}

export interface Race<Running extends Runner<Result>, Result> {
  readonly first: Running;
  /** Called once when it is time for a second task. Returns null to keep waiting for the first. */
  readonly second: () => Running | null;
  /** Schedules the second task. Returns a function that cancels it. */
  readonly onTime: (task: () => void) => () => void;
  /** True if the other task would fail in the same way, so there is no point in waiting for it. */
  readonly isFinal: (error: unknown) => boolean;
}

export interface RaceResult<Running, Result> {
  readonly result: Result;
  readonly winner: Running;
  /** Null if no second task was started. */
  readonly loser: Running | null;
}

/** Rejects with the last failure if neither answers. */
export function runRace<Running extends Runner<Result>, Result>(
  race: Race<Running, Result>,
): Promise<RaceResult<Running, Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<RaceResult<Running, Result>>();
  const started: Running[] = [];
  let running = 0;
  let over = false;
  const others = (own: Running) => started.filter((one) => one !== own);
  const close = (own: Running) => {
    over = true;
    callOff();
    for (const other of others(own)) other.end();
  };
  const start = (own: Running) => {
    started.push(own);
    running++;
    own.start().then(
      (result) => {
        if (over) return own.drop(result);
        close(own);
        resolve({ result, winner: own, loser: others(own)[0] ?? null });
      },
      (thrown: unknown) => {
        const error = own.fail(thrown);
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
