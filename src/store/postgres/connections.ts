// The open connections to the database: at most so many, handed out one at a time, and all ended together once one finds
// that its server is gone.
import { unavailable } from "../engine/unavailable.ts";
import type { Dialer } from "./dialer.ts";
import { LateError } from "./failures.ts";
import type { Session, SessionOptions } from "./session.ts";

/** While other connections serve, another is tried no sooner than this after one that failed. */
const REFUSED_MS = 500;
/**
 * The longest that a caller waits for one of the open connections before another is opened. The upkeep's lookups come several at
 * once: with a connection for each of them, an idle node would keep the whole pool open for ever.
 */
const GROW_MS = 5;
/** Firewalls forget connections that are idle for longer. */
const IDLE_MS = 300_000;

interface ConnectionsParts {
  readonly dialer: Dialer;
  readonly options: () => SessionOptions;
  readonly max: number;
}

interface IdleSession {
  readonly session: Session;
  readonly sinceMs: number;
}

interface SessionWaiter {
  readonly resolve: (session: Session) => void;
  readonly reject: (error: unknown) => void;
}

export class Connections {
  readonly #parts: ConnectionsParts;
  /** Each open connection with the generation in which its opening began. */
  readonly #open = new Map<Session, number>();
  /** The one that was used last comes last, and is taken first. */
  readonly #idle: IdleSession[] = [];
  readonly #waiters = new Set<SessionWaiter>();
  #opening = 0;
  #generation = 0;
  #pausedUntilMs = 0;
  #failure: unknown;
  #isClosed = false;
  #isGrowing = false;
  #onEmpty = () => {};

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  /** Takes an idle connection, or opens one. Throws a LateError if there is none in time. */
  async take(withinMs: number): Promise<Session> {
    if (this.#isClosed) throw unavailable("The store is closed.");
    this.#endLongIdle();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle.session;
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const waiter = { resolve, reject };
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter);
      reject(new LateError("No database connection was available.", { cause: this.#failure }));
    }, withinMs);
    this.#waiters.add(waiter);
    this.#grow();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Hands a connection that was taken to the next, or keeps it. A dead one is closed. */
  give(session: Session): void {
    if (this.#isClosed || session.isOver || this.#open.get(session) !== this.#generation) this.end(session);
    else this.#pass(session);
  }

  /** Closes a connection that was taken. */
  end(session: Session): void {
    session.close();
    this.#forget(session);
  }

  /**
   * Ends all connections that were opened before this one's server was found dead: idle ones now, others when they are given
   * back. The next are opened with the address as it is then.
   */
  renew(found: Session): void {
    // Several find the same death, and must not end the connections that have replaced the first's.
    if (this.#open.get(found) !== this.#generation) return;
    this.#generation++;
    for (const { session } of this.#idle.splice(0)) this.end(session);
  }

  /** Waits up to `withinMs` until the taken connections have been given back, then ends them too. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    this.#rejectAll(unavailable("The store is closed."));
    for (const { session } of this.#idle.splice(0)) this.end(session);
    if (this.#open.size > 0 && withinMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onEmpty = resolve;
      const timer = setTimeout(resolve, withinMs);
      await promise;
      clearTimeout(timer);
    }
    for (const session of [...this.#open.keys()]) this.end(session);
  }

  /** Needs no timer: a node's heartbeat takes a connection every few seconds. */
  #endLongIdle(): void {
    const beforeMs = performance.now() - IDLE_MS;
    const recent = this.#idle.findIndex(({ sinceMs }) => sinceMs >= beforeMs);
    for (const { session } of this.#idle.splice(0, recent === -1 ? this.#idle.length : recent))
      this.end(session);
  }

  #grow(): void {
    const count = this.#open.size + this.#opening;
    if (count === 0) this.#openMore();
    if (this.#isGrowing || count === 0 || count >= this.#parts.max) return;
    this.#isGrowing = true;
    setTimeout(() => {
      this.#isGrowing = false;
      this.#openMore();
    }, GROW_MS);
  }

  #openMore(): void {
    const isPaused = this.#open.size > 0 && performance.now() < this.#pausedUntilMs;
    if (isPaused || this.#isClosed) return;
    // A server that is slow to answer would spend its last connections on openings that nobody waits for any more.
    const openingMax = this.#failure === undefined ? this.#parts.max : 1;
    const free = Math.min(this.#parts.max - this.#open.size, openingMax) - this.#opening;
    const missing = Math.min(free, this.#waiters.size - this.#opening);
    for (let count = 0; count < missing; count++) void this.#openOne();
  }

  async #openOne(): Promise<void> {
    const { dialer, options } = this.#parts;
    const generation = this.#generation;
    this.#opening++;
    try {
      const session = await dialer.open(options());
      this.#opening--;
      this.#open.set(session, generation);
      this.#failure = undefined;
      this.#pausedUntilMs = 0;
      session.onEnd(() => this.#forget(session));
      this.give(session);
      this.#openMore();
    } catch (error) {
      this.#opening--;
      this.#failure = error;
      this.#pausedUntilMs = performance.now() + REFUSED_MS;
      // Otherwise those that wait get a connection that serves others now.
      if (this.#open.size === 0 && this.#opening === 0) this.#rejectAll(error);
    }
  }

  /** The caller that has waited longest comes first. */
  #pass(session: Session): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined) {
      this.#idle.push({ session, sinceMs: performance.now() });
      return;
    }
    this.#waiters.delete(waiter);
    waiter.resolve(session);
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters.clear();
  }

  #forget(session: Session): void {
    if (!this.#open.delete(session)) return;
    const at = this.#idle.findIndex((idle) => idle.session === session);
    if (at !== -1) this.#idle.splice(at, 1);
    if (this.#open.size === 0) this.#onEmpty();
    this.#openMore();
  }
}
