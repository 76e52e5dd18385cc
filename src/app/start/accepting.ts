// Stops accepting connections before file descriptors run out, when Bun would retry accept in a loop that takes a core.
import { closeSync, openSync } from "node:fs";
import type { Clock, Log } from "../../core/world/world.ts";
import { listen } from "../../http/serve/app.ts";
import { PROCESS_READINGS } from "../upkeep/process-readings.ts";

type App = ReturnType<typeof listen>;

const CHECK_EVERY_MS = 250;
/** The maximum number of descriptors kept from clients: for provider calls, the store, and a reopened listener. */
const SPARE_MAX = 64;
const SPARE_SHARE = 1 / 8;

interface Descriptors {
  /** The process's limit on open descriptors. */
  readonly max: number;
  /** Opens one and returns it, or null if none is free. */
  take(): number | null;
  give(descriptor: number): void;
}

export interface Listener {
  /** Closes the connections that have no request, and returns their number. */
  closeIdle(): number;
  pause(): void;
  /** Throws if the address can't be used. */
  resume(): void;
}

/**
 * Keeps some descriptors open so that clients can't take them. Once all others are taken, it closes idle connections;
 * if there are none, it stops the listener and frees the kept descriptors for the running requests. It reopens the
 * listener when twice as many are free.
 */
export class AcceptGuard {
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

  check(): void {
    if (this.#isPaused) this.#resumeIfFree();
    else if (!this.#keep(this.#spare, 1) && this.#listener.closeIdle() === 0) this.#pause();
  }

  /** Keeps `count` descriptors. Returns true if `more` could be opened besides them. */
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
      // The next check tries again.
      return;
    }
    this.#isPaused = false;
    this.#log({ event: "connections_resumed", level: "info" });
  }
}

/** Guards the process's listener until the returned function is called. Does nothing if the process has no limit. */
export function startAcceptGuard(listener: Listener, clock: Clock, log: Log): () => void {
  const max = PROCESS_READINGS.process_max_fds();
  if (max === null) return () => {};
  const guard = new AcceptGuard({ max, take: openDescriptor, give: closeSync }, listener, log);
  return clock.every(CHECK_EVERY_MS, () => guard.check());
}

function openDescriptor(): number | null {
  try {
    return openSync("/dev/null", "r");
  } catch {
    return null;
  }
}

export function findListener(app: App): Listener {
  // A stopped server no longer knows its port.
  const port = app.server?.port;
  return {
    closeIdle: () => app.server?.closeIdleConnections() ?? 0,
    // Running requests are completed.
    pause: () => void app.server?.stop(),
    resume() {
      // Elysia adds a `beforeExit` listener to the process each time. They would pile up.
      const before = process.listeners("beforeExit");
      listen(app, port);
      for (const added of process.listeners("beforeExit").slice(before.length)) {
        process.off("beforeExit", added);
      }
    },
  };
}
