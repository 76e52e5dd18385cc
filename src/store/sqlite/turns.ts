// Long look-ups in parts, each in a turn of the event loop of its own, which stands still for no longer than one.

/** Runs works one after the other. */
export function oneATurn(): <T>(work: () => Promise<T>) => Promise<T> {
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
