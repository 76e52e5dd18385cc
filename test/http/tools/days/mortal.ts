// A gateway in this process that can be killed at any step: nothing more is written or sent by it, and nobody gets an answer.
import { startGateway } from "../../../../src/app/composition.ts";
import { openStore } from "../../../../src/app/start/open-store.ts";
import type { Store } from "../../../../src/core/store.ts";
import type { Fetch, LogEvent } from "../../../../src/core/world/world.ts";
import { MASTER_KEY } from "../../../harness/harness.ts";
import { readSettings } from "../../../harness/settings.ts";

/** Methods of the store that return their results at once. */
const AT_ONCE = new Set<PropertyKey>(["changes", "clockAheadMs", "shareAfter"]);

function never<Result>(): Promise<Result> {
  return new Promise(() => {});
}

/** The life of a node's process, counted in its steps: each is something that it asks of its store or of the network. */
class Life {
  readonly #ended = new AbortController();
  readonly #onEnd: (() => void)[] = [];
  #left = Number.POSITIVE_INFINITY;
  #isBefore = false;

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  onEnd(task: () => void): void {
    this.#onEnd.push(task);
  }

  /** It ends at that step: before it is done, or once it is, without knowing so. */
  endAt(steps: number, isBefore: boolean): void {
    this.#left = steps;
    this.#isBefore = isBefore;
  }

  /** An end that it hasn't reached yet doesn't come. */
  spare(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  end(): void {
    if (this.isOver) return;
    this.#ended.abort();
    for (const task of this.#onEnd) task();
  }

  async pass<Result>(step: () => Promise<Result>): Promise<Result> {
    if (this.isOver) return never();
    const isLast = --this.#left === 0;
    if (isLast && this.#isBefore) this.end();
    if (this.isOver) return never();
    const outcome = await step().then(
      (result) => () => result,
      (thrown: unknown) => () => {
        throw thrown;
      },
    );
    if (isLast) this.end();
    return this.isOver ? never() : outcome();
  }
}

function bindTo<Part extends object>(life: Life, part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found === "object" && found !== null) return bindTo(life, found);
      if (typeof found !== "function") return found;
      const call = (given: readonly unknown[]): unknown => Reflect.apply(found, target, given);
      if (AT_ONCE.has(name)) return (...given: readonly unknown[]) => call(given);
      return (...given: readonly unknown[]) => life.pass(async () => call(given));
    },
  });
}

function makeFetch(life: Life): Fetch {
  return (url, init) =>
    life.pass(() => {
      const signals = [life.signal, ...(init.signal ? [init.signal] : [])];
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    });
}

export class MortalNode {
  readonly url: string;
  readonly life: Life;
  readonly reload: (yaml: string) => void;
  /** Failures that must not occur. */
  readonly bugs: LogEvent[];
  readonly #stop: () => Promise<void>;
  #isLeaving = false;

  private constructor(
    parts: Pick<MortalNode, "url" | "life" | "reload" | "bugs"> & { stop(): Promise<void> },
  ) {
    this.url = parts.url;
    this.life = parts.life;
    this.reload = parts.reload;
    this.bugs = parts.bugs;
    this.#stop = parts.stop;
  }

  static async start(yaml: string): Promise<MortalNode> {
    const settings = readSettings(yaml);
    const life = new Life();
    const bugs: LogEvent[] = [];
    const opened = await openStore(settings.store, MASTER_KEY);
    const store: Store = bindTo(life, opened.store);
    const running = await startGateway({
      settings,
      opened: { ...opened, store, world: { ...opened.world, store } },
      log: (event) => {
        if (event.event === "internal_error" && !life.isOver) bugs.push(event);
      },
      configSchema: () => ({}),
      reusePort: false,
      noticeMs: 0,
      fetch: makeFetch(life),
    });
    life.onEnd(() => {
      void opened.store.close();
      // Its listener and its timers end too, though nothing that they do has any effect.
      void running.stop();
    });
    return new MortalNode({
      url: `http://127.0.0.1:${running.port}`,
      life,
      bugs,
      reload: (next) => running.reload(readSettings(next)),
      stop: () => running.stop(),
    });
  }

  get takesRequests(): boolean {
    return !(this.#isLeaving || this.life.isOver);
  }

  /** Ends it as an operator would. */
  async drain(): Promise<void> {
    this.#isLeaving = true;
    await Promise.race([this.#stop(), new Promise<void>((resolve) => this.life.onEnd(resolve))]);
  }
}
