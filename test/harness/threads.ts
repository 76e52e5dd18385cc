// Collects the threads that are started, so that a test can end them.

/** Real threads, as long as the result is not disposed. */
export function watchThreads(): Disposable & { readonly threads: readonly Worker[] } {
  const threads: Worker[] = [];
  const before = globalThis.Worker;
  globalThis.Worker = class extends before {
    constructor(...given: ConstructorParameters<typeof before>) {
      super(...given);
      threads.push(this);
    }
  };
  return {
    threads,
    [Symbol.dispose]: () => {
      globalThis.Worker = before;
    },
  };
}
