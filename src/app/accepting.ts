// Connections are accepted while file descriptors are left: at the last one, Bun tries over and over, at the cost of a core.
import { closeSync, openSync } from "node:fs";
import type { Clock, Log } from "../core/world.ts";
import { listen } from "../http/app.ts";
import { PROCESS_READINGS } from "./process-readings.ts";

type App = ReturnType<typeof listen>;

const LOOK_EVERY_MS = 250;
/** File descriptors kept free of clients: for calls of providers, the store's files, and a listener that begins again. */
const SPARE_MAX = 64;
const SPARE_SHARE = 1 / 8;

export interface Descriptors {
  /** The most that this process may have. */
  readonly max: number;
  /** Takes one that is free; null: none is. */
  take(): number | null;
  give(descriptor: number): void;
}

export interface Listener {
  /** Closes the connections without a request; gives how many there were. */
  closeIdle(): number;
  pause(): void;
  /** Throws where it can't. */
  resume(): void;
}

/**
 * Some descriptors are kept taken, so that clients get none of them. Once all others are gone, idle connections are closed;
 * where there are none, nothing is accepted any more and the kept ones are free for those who are served. It begins again
 * when twice as many are free.
 */
export class Accepting {
  readonly #descriptors: Descriptors;
  readonly #listener: Listener;
  readonly #spare: number;
  readonly #log: Log;
  readonly #kept: number[] = [];
  #isPaused = false;

  constructor(descriptors: Descriptors, listener: Listener, log: Log) {
    this.#descriptors = descriptors;
    this.#listener = listener;
    this.#spare = Math.min(SPARE_MAX, Math.floor(descriptors.max * SPARE_SHARE));
    this.#log = log;
  }

  look(): void {
    if (this.#isPaused) this.#resumeIfFree();
    else if (!this.#keep(this.#spare, 1) && this.#listener.closeIdle() === 0) this.#pause();
  }

  /** Keeps so many if so many more can be had beside them; gives whether they can. */
  #keep(count: number, more: number): boolean {
    while (this.#kept.length < count + more) {
      const taken = this.#descriptors.take();
      if (taken === null) break;
      this.#kept.push(taken);
    }
    const isEnough = this.#kept.length === count + more;
    for (const descriptor of this.#kept.splice(count)) this.#descriptors.give(descriptor);
    return isEnough;
  }

  #pause(): void {
    this.#isPaused = true;
    this.#listener.pause();
    this.#keep(0, 0);
    this.#log({ event: "connections_paused", level: "warn", max: this.#descriptors.max });
  }

  #resumeIfFree(): void {
    if (!this.#keep(0, 2 * this.#spare)) return;
    try {
      this.#listener.resume();
    } catch {
      // The next look tries again.
      return;
    }
    this.#isPaused = false;
    this.#log({ event: "connections_resumed", level: "info" });
  }
}

/** Looks after the process's listener until the returned function is called. Without a limit there is nothing to look after. */
export function keepAccepting(listener: Listener, clock: Clock, log: Log): () => void {
  const max = PROCESS_READINGS.process_max_fds();
  if (max === null) return () => {};
  const accepting = new Accepting({ max, take, give: closeSync }, listener, log);
  return clock.every(LOOK_EVERY_MS, () => accepting.look());
}

function take(): number | null {
  try {
    return openSync("/dev/null", "r");
  } catch {
    return null;
  }
}

/** The listener of an app that listens. */
export function findListener(app: App): Listener {
  // A server that was stopped has none.
  const port = app.server?.port;
  return {
    closeIdle: () => app.server?.closeIdleConnections() ?? 0,
    // Requests under way are served to their end.
    pause: () => void app.server?.stop(),
    resume() {
      // Elysia adds a listener of its own to the process each time, which would pile up.
      const before = process.listeners("beforeExit");
      listen(app, port);
      for (const added of process.listeners("beforeExit").slice(before.length)) {
        process.off("beforeExit", added);
      }
    },
  };
}
