// Watches whether the store works: its last failure in its own words, for /readyz, the metrics, the log and the console.
import { toFault } from "../../core/faults/fault.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";

/** A store that failed is tried again this often, even if no request comes. */
const CHECK_MS = 2000;
/** A failed write is reported for this long, even if the store has passed a check since: the check writes only a little. */
const RECENT_MS = 30_000;
/** With a full disk, each request may find it down, and up again. */
const LOG_EVERY_MS = 1000;
/** A write that succeeds sooner after a failed one proves little: on a disk that is full, small writes still fit. */
const DOUBTFUL_MS = 5000;

interface WatchParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes the time of each transaction, in milliseconds. */
  readonly onTransaction: (tookMs: number) => void;
}

interface StoreFailure {
  /** On the wall clock. */
  readonly atMs: number;
  /** The engine's own words. */
  readonly reason: string;
}

export class StoreWatch {
  /** The same store, watched. */
  readonly store: Store;
  readonly #parts: WatchParts;
  /** The first failure since the last success. */
  #down: StoreFailure | null = null;
  /** The last write that failed, until a later one is proof that writes work again. */
  #failedWrite: StoreFailure | null = null;
  #isChecking = false;
  /** When it was last logged that it is down, and whether that was the failure before this. */
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #isLogged = false;
  /** The sync that was waited for last. */
  #sync: Promise<void> | null = null;

  constructor(parts: WatchParts) {
    const { store } = parts;
    this.#parts = parts;
    this.store = {
      ...store,
      transact: (demand) => this.#time(store.transact(demand)),
      durable: () => this.#watchSync(store.durable()),
      beat: () => store.beat().catch((error) => this.#fail(error, false)),
      ready: () => this.#check(),
    };
  }

  get isUp(): boolean {
    return this.#down === null;
  }

  /** The failure since which the store can't be used. Null while it can. */
  get down(): StoreFailure | null {
    return this.#down;
  }

  /** A write that failed lately although the store passes its check, as on a disk that is almost full. */
  get recentFailure(): StoreFailure | null {
    const failed = this.#failedWrite;
    return failed !== null && this.#parts.clock.nowMs() - failed.atMs < RECENT_MS ? failed : null;
  }

  /** False while it can't be used, and as long as a failed write isn't forgotten: a full disk still takes small ones. */
  get isSound(): boolean {
    return this.isUp && this.recentFailure === null;
  }

  /** Not async: it runs twice for each request. */
  #time<Answer>(running: Promise<Answer>): Promise<Answer> {
    const { clock, onTransaction } = this.#parts;
    const startedMs = clock.monotonicMs();
    return running.then(
      (answer) => {
        onTransaction(clock.monotonicMs() - startedMs);
        if (this.#failedWrite && clock.nowMs() - this.#failedWrite.atMs >= DOUBTFUL_MS)
          this.#failedWrite = null;
        this.#succeed();
        return answer;
      },
      (error) => {
        onTransaction(clock.monotonicMs() - startedMs);
        return this.#fail(error, true);
      },
    );
  }

  /** All who wait for one sync share its promise, which is watched once. */
  #watchSync(sync: Promise<void>): Promise<void> {
    if (sync === this.#sync) return sync;
    this.#sync = sync;
    sync.catch((error) => this.#note(error, true));
    return sync;
  }

  async #check(): Promise<readonly string[]> {
    try {
      const missing = await this.#parts.store.ready();
      this.#succeed();
      return missing;
    } catch (error) {
      return this.#fail(error, false);
    }
  }

  #succeed(): void {
    if (this.#down === null) return;
    const { clock, log } = this.#parts;
    if (this.#isLogged)
      log({ event: "store_up", level: "info", down_ms: Math.round(clock.nowMs() - this.#down.atMs) });
    this.#down = null;
  }

  /** Records the failure, and throws it again. */
  #fail(error: unknown, isWrite: boolean): never {
    this.#note(error, isWrite);
    throw error;
  }

  /** Records the failure if it is the store's. */
  #note(error: unknown, isWrite: boolean): void {
    const { code, details } = toFault(error);
    if (code !== "store_unavailable") return;
    const { clock } = this.#parts;
    const failure = { atMs: clock.nowMs(), reason: details.reason ?? String(error) };
    if (isWrite) this.#failedWrite = failure;
    if (this.#down === null) this.#logDown(failure);
    this.#down ??= failure;
    this.#checkLater();
  }

  #logDown({ reason }: StoreFailure): void {
    const { clock, log } = this.#parts;
    this.#isLogged = clock.monotonicMs() - this.#loggedAtMs >= LOG_EVERY_MS;
    if (!this.#isLogged) return;
    this.#loggedAtMs = clock.monotonicMs();
    log({ event: "store_down", level: "error", cause: reason });
  }

  #checkLater(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#parts.clock.after(CHECK_MS, () => {
      this.#isChecking = false;
      // A failure comes here again.
      if (this.#down !== null) void this.#check().catch(() => {});
    });
  }
}
