// Several worker processes on one port: the parent starts them, stops them, and restarts one that exits unasked.
import type { Log } from "../../core/world/world.ts";
import { formatMetrics } from "../../telemetry/exposition.ts";
import { addSums, type Sums } from "../../telemetry/sums.ts";
import { describeProgram } from "../program.ts";
import { EXIT } from "../terminal.ts";
import { clock } from "../world.ts";
import { endsWithTerminal } from "./terminal-end.ts";
import {
  type FromWorker,
  parseFromWorker,
  type SharedLook,
  type ToWorker,
  type WorkerPart,
  writeEnvironment,
} from "./worker.ts";

/**
 * A worker that ends before it listens, however long its start took, or sooner than this has a problem that its successor
 * will probably have too.
 */
const SHORT_LIFE_MS = 2000;
const SHORT_LIVES_MAX = 5;
/** The pause before a restart. Each short life in a row lengthens it by as much, up to `RESTART_PAUSES_MAX` times. */
const RESTART_PAUSE_MS = 500;
const RESTART_PAUSES_MAX = 20;

/** Throws if another process listens at the address. */
export async function checkPort(hostname: string, port: number): Promise<void> {
  const fetch = () => new Response(null, { status: 503 });
  await Bun.serve({ hostname, port, reusePort: false, fetch }).stop(true);
}

/** For a worker that doesn't answer within this time, its last answer is counted. */
const ANSWER_MS = 1000;

/** A worker that can be asked for its counts. */
export interface Counting {
  readonly send: (message: ToWorker) => void;
}

/** In the parent process: asks all workers for their counts when one of them is scraped, and sends it the sum. */
export class MetricsSum {
  /** The last report of each running worker. */
  readonly #reports = new Map<Counting, Sums>();
  /** The counts of workers that have ended. */
  #ended: Sums = {};
  readonly #askers = new Set<Counting>();
  /** The workers that the current round is waiting for. Empty between rounds. */
  readonly #missing = new Set<Counting>();
  #callOff = () => {};

  /** Adds a worker that has started serving. */
  join(worker: Counting): void {
    if (!this.#reports.has(worker)) this.#reports.set(worker, {});
  }

  leave(worker: Counting): void {
    this.#ended = addSums([], [this.#ended, this.#reports.get(worker) ?? {}]);
    this.#reports.delete(worker);
    this.#askers.delete(worker);
    this.#removeMissing(worker);
  }

  /** Sends the worker the sum. Workers that ask during a round share its answer. */
  scrape(asker: Counting): void {
    this.join(asker);
    this.#askers.add(asker);
    if (this.#missing.size > 0) return;
    for (const worker of this.#reports.keys()) this.#missing.add(worker);
    this.#callOff = clock.after(ANSWER_MS, () => this.#end());
    for (const worker of this.#missing) worker.send("count");
  }

  receiveSums(worker: Counting, sums: Sums): void {
    if (this.#reports.has(worker)) this.#reports.set(worker, sums);
    this.#removeMissing(worker);
  }

  #removeMissing(worker: Counting): void {
    if (this.#missing.delete(worker) && this.#missing.size === 0) this.#end();
  }

  #end(): void {
    this.#callOff();
    this.#missing.clear();
    const merged = formatMetrics(addSums([...this.#reports.values()], [this.#ended]));
    for (const asker of this.#askers) asker.send({ merged });
    this.#askers.clear();
  }
}

interface Supervision extends Omit<WorkerPart, "announces" | "place"> {
  readonly log: Log;
}

interface Worker extends Counting {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<WorkerExit>;
}

interface WorkerExit {
  readonly code: number;
  readonly signal: NodeJS.Signals | number | null;
}

/** Throws if the system can't start another process. */
function startWorker(part: WorkerPart, receive: (message: unknown) => void): Worker {
  const { command, cwd } = describeProgram();
  const child = Bun.spawn([...command], {
    ...(cwd !== undefined && { cwd }),
    env: writeEnvironment(part),
    stdio: ["ignore", "inherit", "inherit"],
    ipc: receive,
  });
  return {
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    send: (message) => {
      if (child.exitCode === null && child.signalCode === null) child.send(message);
    },
    exited: child.exited.then((code) => ({ code, signal: child.signalCode })),
  };
}

/** Runs the workers until a signal comes or none can be kept alive. */
export class Supervisor {
  readonly #supervision: Supervision;
  /** 0 until the first worker has a port, if it may be any. */
  #port: number;
  readonly #living = new Set<Worker>();
  readonly #listening = new Set<Worker>();
  readonly #metrics = new MetricsSum();
  readonly #firstListens = Promise.withResolvers<void>();
  #everListened = false;
  /** The last look at the watched list. */
  #looked: SharedLook | null = null;
  readonly #stop = Promise.withResolvers<void>();
  #stopping = false;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
    this.#port = supervision.port;
  }

  /**
   * Starts the first worker alone. It prepares the store, takes the port and announces; if it fails, the others would as
   * well. Returns the exit code.
   */
  async run(): Promise<number> {
    const hasTerminal = endsWithTerminal();
    process.on("SIGHUP", () => (hasTerminal ? this.#stopAll() : this.#reload()));
    process.on("SIGTERM", () => this.#stopAll());
    process.on("SIGINT", () => (this.#stopping ? this.#endAtOnce() : this.#stopAll()));
    const first = this.#keepAlive(0);
    await Promise.race([this.#firstListens.promise, first]);
    const others = Array.from({ length: this.#supervision.count - 1 }, (_, at) => this.#keepAlive(at + 1));
    return Math.max(...(await Promise.all([first, ...others])));
  }

  async #keepAlive(place: number): Promise<number> {
    let shortLives = 0;
    while (!this.#stopping) {
      const startedMs = performance.now();
      const { code, signal, hasListened } = await this.#live(place);
      // A worker that gets the signal before it can handle it just ends.
      if (this.#stopping) return signal === "SIGTERM" || signal === "SIGINT" ? EXIT.done : code;
      const isShort = !hasListened || performance.now() - startedMs < SHORT_LIFE_MS;
      shortLives = isShort ? shortLives + 1 : 0;
      if (this.#isHopeless(shortLives)) {
        this.#stopAll();
        return code === EXIT.lasting ? code : EXIT.failed;
      }
      const pauses = Math.min(shortLives + 1, RESTART_PAUSES_MAX);
      await Promise.race([Bun.sleep(RESTART_PAUSE_MS * pauses), this.#stop.promise]);
    }
    return EXIT.done;
  }

  /** True if no worker can be kept running. While one serves, others are restarted: few are better than none. */
  #isHopeless(shortLives: number): boolean {
    return !this.#everListened || (shortLives >= SHORT_LIVES_MAX && this.#listening.size === 0);
  }

  /** Runs one worker from start to end. Failing to start counts as a short life. */
  async #live(place: number): Promise<WorkerExit & { readonly hasListened: boolean }> {
    const worker = this.#start(place);
    if (worker === null) return { code: EXIT.failed, signal: null, hasListened: false };
    this.#living.add(worker);
    const ending = await worker.exited;
    this.#living.delete(worker);
    const hasListened = this.#listening.delete(worker);
    this.#metrics.leave(worker);
    if (!this.#stopping) {
      this.#supervision.log({ event: "worker_ended", level: "error", pid: worker.pid, ...ending });
    }
    return { ...ending, hasListened };
  }

  #start(place: number): Worker | null {
    const { log, ...shared } = this.#supervision;
    const part = { ...shared, port: this.#port, place, announces: !this.#everListened };
    try {
      const worker: Worker = startWorker(part, (message) => this.#receive(worker, parseFromWorker(message)));
      return worker;
    } catch (error) {
      log({ event: "worker_not_started", level: "error", cause: String(error) });
      return null;
    }
  }

  #receive(worker: Worker, message: FromWorker | null): void {
    if (message === null || !this.#living.has(worker)) return;
    if (message === "scrape") this.#metrics.scrape(worker);
    else if ("listening" in message) this.#serves(worker, message.listening);
    else if ("looked" in message) this.#passOn(worker, message.looked);
    else this.#metrics.receiveSums(worker, message.counted);
  }

  /** A worker that starts later gets it, too. */
  #passOn(from: Worker, looked: SharedLook): void {
    this.#looked = looked;
    for (const worker of this.#listening) if (worker !== from) worker.send({ looked });
  }

  #serves(worker: Worker, port: number): void {
    this.#port = port;
    this.#listening.add(worker);
    if (this.#looked !== null) worker.send({ looked: this.#looked });
    this.#metrics.join(worker);
    this.#everListened = true;
    this.#firstListens.resolve();
    this.#supervision.log({ event: "worker_listens", level: "info", pid: worker.pid });
  }

  /** Skips a worker that is still starting: it reads the configuration anyway, and the signal would end it. */
  #reload(): void {
    for (const worker of this.#listening) worker.kill("SIGHUP");
  }

  #stopAll(): void {
    this.#stopping = true;
    this.#stop.resolve();
    for (const worker of this.#living) worker.kill("SIGTERM");
  }

  #endAtOnce(): void {
    for (const worker of this.#living) worker.kill("SIGKILL");
    process.exit(EXIT.failed);
  }
}
