// Splits long lookups into parts, each in its own event loop turn, so that none blocks the loop for long.

/** Runs functions one after the other, each in its own turn. */
export function makeSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(nextTurn).then(work);
    last = next.catch(() => {});
    return next;
  };
}

export function nextTurn(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve));
}
