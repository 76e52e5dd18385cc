// Has slow reads run by another thread, so that requests go on meanwhile.
import type { Result, Statement } from "../engine/engine.ts";
import type { SlowAnswer, SlowAsk } from "./slow-thread.ts";

type TakeResults = (results: readonly Result[] | null) => void;

export class SlowReads {
  readonly #path: string;
  /** Starts with the first slow read: most processes of the command line have none. */
  #thread: Worker | null = null;
  readonly #waiting = new Map<number, TakeResults>();
  #latest = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves to null if the thread can't read. A connection that tries the same then says why. */
  run(statements: readonly Statement[]): Promise<readonly Result[] | null> {
    this.#thread ??= this.#startThread();
    const { promise, resolve } = Promise.withResolvers<readonly Result[] | null>();
    const ask: SlowAsk = { id: ++this.#latest, path: this.#path, statements };
    this.#waiting.set(ask.id, resolve);
    this.#thread.postMessage(ask);
    return promise;
  }

  close(): void {
    this.#thread?.terminate();
    this.#thread = null;
    for (const id of this.#waiting.keys()) this.#take({ id, results: null });
  }

  #startThread(): Worker {
    // It keeps the process until `close`: a command must not end before its answer.
    const thread = new Worker(new URL("./slow-thread.ts", import.meta.url), { smol: true });
    thread.onmessage = ({ data }: MessageEvent<SlowAnswer>) => this.#take(data);
    thread.onerror = () => this.#lose(thread);
    thread.addEventListener("close", () => this.#lose(thread));
    return thread;
  }

  /** The thread of `close` ends later than the call: another may have been started by then. */
  #lose(thread: Worker): void {
    if (this.#thread === thread) this.close();
  }

  #take({ id, results }: SlowAnswer): void {
    const take = this.#waiting.get(id);
    this.#waiting.delete(id);
    const counted = results?.map((rows) => Object.assign(rows, { count: rows.length }));
    take?.(counted ?? null);
  }
}
