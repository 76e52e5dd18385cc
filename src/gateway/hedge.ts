// Two attempts at once: when the first takes long to answer a second is started beside it, and the first to answer wins.

/** Something under way that gives a result, or can be ended before it does. */
export interface Runner<Result> {
  readonly start: () => Promise<Result>;
  /** It failed so. Returns the failure as the others see it. */
  readonly fail: (thrown: unknown) => Error;
  /** The other one has won. */
  readonly end: () => void;
  /** It has lost, but had its result at the same moment. */
  readonly drop: (result: Result) => void;
}

export interface Race<Running extends Runner<Result>, Result> {
  readonly first: Running;
  /** Asked for once when the time has come; null: the first is waited for. */
  readonly second: () => Running | null;
  /** Calls back when it is time for the second; gives what calls it off. */
  readonly onTime: (task: () => void) => () => void;
  /** A failure that the other would meet too: it is not waited for. */
  readonly isFinal: (error: unknown) => boolean;
}

export interface Won<Running, Result> {
  readonly result: Result;
  readonly winner: Running;
  /** null: there was no second. */
  readonly loser: Running | null;
}

/** Rejects with the last failure when none answers. */
export function raced<Running extends Runner<Result>, Result>(
  race: Race<Running, Result>,
): Promise<Won<Running, Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<Won<Running, Result>>();
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
