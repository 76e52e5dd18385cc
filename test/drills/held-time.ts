// Holds time back in a program, so that only what it does on request is counted, and takes the same code each time.

type Callback = (...given: unknown[]) => void;

/** No request waits as long for itself before a provider that answers at once: the longest is a shared sync of 4 ms. */
const OWN_MS = 50;
const SECOND_MS = 1000;

/** Goes on from where it stood, since a clock that went back would be a case of its own. */
class HeldClock {
  readonly #read: () => number;
  #aheadMs = 0;
  #atMs: number | null = null;

  constructor(of: { now(): number }) {
    this.#read = of.now.bind(of);
    Reflect.set(of, "now", () => this.#atMs ?? this.#read() + this.#aheadMs);
  }

  stop(): void {
    this.#atMs = Math.ceil((this.#read() + this.#aheadMs) / SECOND_MS) * SECOND_MS;
  }

  pass(ms: number): void {
    if (this.#atMs !== null) this.#atMs += ms;
  }

  go(): void {
    if (this.#atMs !== null) this.#aheadMs = this.#atMs - this.#read();
    this.#atMs = null;
  }
}

/**
 * Regular tasks wait by an interval, or by long timers each of which begins the next. It replaces the globals, so it comes
 * before all modules that keep them.
 */
export class HeldTime {
  readonly #clocks = [new HeldClock(Date), new HeldClock(performance)];
  #isHolding = false;
  #isHoldingTimeouts = false;
  /** Those that have come due meanwhile, each once. */
  readonly #due = new Map<unknown, () => void>();

  constructor() {
    const { setInterval, setTimeout, clearInterval, clearTimeout } = globalThis;
    this.#replace("setInterval", (run: Callback, ms?: number, ...given: unknown[]) => {
      const timer = setInterval(() => this.#run(timer, this.#isHolding, () => run(...given)), ms);
      return timer;
    });
    this.#replace("setTimeout", (run: Callback, ms = 0, ...given: unknown[]) => {
      const isLong = ms >= OWN_MS;
      const timer = setTimeout(
        () => this.#run(timer, isLong && this.#isHoldingTimeouts, () => run(...given)),
        ms,
      );
      return timer;
    });
    this.#replace("clearInterval", (timer: NodeJS.Timeout) => {
      this.#due.delete(timer);
      clearInterval(timer);
    });
    this.#replace("clearTimeout", (timer: NodeJS.Timeout) => {
      this.#due.delete(timer);
      clearTimeout(timer);
    });
  }

  /** Until `release`, no interval runs, nor any long timer unless the work that is counted waits by one. */
  hold(isWaiting = false): void {
    this.#isHolding = true;
    this.#isHoldingTimeouts = !isWaiting;
  }

  /** Runs what has come due. */
  release(): void {
    this.#isHolding = false;
    this.#isHoldingTimeouts = false;
    for (const clock of this.#clocks) clock.go();
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const run of due) run();
  }

  /** The clocks stand still until `release`, at the beginning of a second. */
  stop(): void {
    for (const clock of this.#clocks) clock.stop();
  }

  /** Moves the clocks that stand still. */
  pass(ms: number): void {
    for (const clock of this.#clocks) clock.pass(ms);
  }

  #run(timer: unknown, isHeld: boolean, run: () => void): void {
    if (isHeld) this.#due.set(timer, run);
    else run();
  }

  #replace(name: string, by: unknown): void {
    Reflect.set(globalThis, name, by);
  }
}
