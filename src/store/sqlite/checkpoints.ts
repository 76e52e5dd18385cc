// Has the write-ahead log copied into the database file by another thread, once it is long enough.
import type { CheckpointReport, CheckpointTask } from "./checkpoint-thread.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";

/** 16 MB: a page that changed often is then copied only once. */
const LOG_PAGES = 8000;
const LOOK_EVERY_MS = 500;

/**
 * SQLite itself checkpoints during a commit. That takes two syncs and thousands of writes, and on a disk that hesitates
 * it would stop the event loop for as long.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #connector: Connector;
  /** Starts with the first checkpoint: most processes of the command line never need one. */
  #thread: Worker | null = null;
  #isRunning = false;
  #lookedMs = 0;

  constructor(path: string, connector: Connector) {
    this.#path = path;
    this.#connector = connector;
  }

  /** Starts a checkpoint if it is time for one. Called after transactions. */
  look(): void {
    const nowMs = performance.now();
    if (this.#isRunning || nowMs < this.#lookedMs + LOOK_EVERY_MS) return;
    this.#lookedMs = nowMs;
    this.#begin();
  }

  #begin(): void {
    // If the store is out of order, its next user reports that.
    void this.#connector.run((connection) => this.#start(connection)).catch(() => {});
  }

  /** Copies the whole log and empties it. Returns false if somebody still read it. */
  truncate(): Promise<boolean> {
    return new Promise((resolve) => {
      const thread = new Worker(new URL("./checkpoint-thread.ts", import.meta.url), {
        ref: false,
        smol: true,
      });
      const end = (isDone: boolean) => {
        thread.terminate();
        resolve(isDone);
      };
      thread.onmessage = ({ data }: MessageEvent<CheckpointReport>) => {
        if (data.syncFailed) this.#connector.distrust();
        end(data.isDone);
      };
      thread.onerror = () => end(false);
      thread.postMessage({ path: this.#path, isTruncating: true } satisfies CheckpointTask);
    });
  }

  close(): void {
    this.#thread?.terminate();
  }

  #start(connection: Connection): void {
    if (this.#isRunning || connection.countLogPages() < LOG_PAGES) return;
    this.#isRunning = true;
    this.#thread ??= this.#startThread();
    this.#thread.postMessage({ path: this.#path, isTruncating: false } satisfies CheckpointTask);
  }

  #startThread(): Worker {
    const thread = new Worker(new URL("./checkpoint-thread.ts", import.meta.url), { ref: false, smol: true });
    thread.onmessage = ({ data }: MessageEvent<CheckpointReport>) => {
      this.#isRunning = false;
      // The system may have dropped what it could not write, as after any other failed sync.
      if (data.syncFailed) this.#connector.distrust();
    };
    const lose = () => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      this.#isRunning = false;
    };
    thread.onerror = lose;
    thread.addEventListener("close", lose);
    return thread;
  }
}
