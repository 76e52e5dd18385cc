// Keeps a mirror of a tool server's lists under one credential: asked for again behind its back, by one request at a time.
import { type Fault, toFault } from "../../core/faults/fault.ts";
import { logBug } from "../../core/world/bug.ts";
import { type ListTimes, planList } from "../../tools/freshness.ts";
import { areSameMirrors, buildMirror, type Mirror } from "../../tools/mirror.ts";
import type { MirrorPool } from "../../tools/mirror-pool.ts";
import { KnownFacts } from "./known-facts.ts";
import { readLists } from "./lists.ts";
import type { Peer } from "./peer.ts";
import type { ToolServerPorts } from "./ports.ts";

/** The longest that a list waits for a server. */
const WAIT_MS = 5_000;
/** The longest that a server may take for all of its pages. */
const READ_MS = 30_000;

/** Hears of a mirror that differs from the one before it, which is null for the first. */
export type OnMirror = (before: Mirror | null, after: Mirror) => void;

interface SourceListener {
  readonly onMirror: OnMirror;
  /** The lists could be read. `isBack` is true if they could not before. */
  readonly onRead: (isBack: boolean) => void;
}

export class MirrorSource {
  readonly known: KnownFacts;
  readonly #ports: ToolServerPorts;
  readonly #listener: SourceListener;
  readonly #pool: MirrorPool;
  #mirror: Mirror | null = null;
  #takenAtMs: number | null = null;
  #failedAtMs: number | null = null;
  #isOutdated = false;
  #reading: Promise<void> | null = null;
  #readingSinceMs = 0;
  #fault: Fault | null = null;
  #checkedAtMs: number | null = null;

  constructor(ports: ToolServerPorts, pool: MirrorPool, listener: SourceListener) {
    this.#ports = ports;
    this.#pool = pool;
    this.#listener = listener;
    this.known = new KnownFacts(ports);
  }

  get latest(): Mirror | null {
    return this.#mirror;
  }

  /** The reason for which the lists could not be read. Null since they could. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** When the server was last asked, by the wall clock. Null before. */
  get checkedAtMs(): number | null {
    return this.#checkedAtMs;
  }

  /** Returns what the server last said if it need not be asked again. */
  peek(): Mirror | null {
    const { canShow, mustAsk } = planList(this.#times(), this.#ports.deadlines.nowMs());
    return canShow && !mustAsk ? this.#mirror : null;
  }

  /** Returns what the server last said, or null if it says nothing within 5 s. */
  async get(peer: Peer): Promise<Mirror | null> {
    const plan = planList(this.#times(), this.#ports.deadlines.nowMs());
    if (plan.mustAsk) void this.refresh(peer);
    if (plan.canShow) return this.#mirror;
    if (this.#reading === null) return null;
    const waitMs = this.#readingSinceMs + WAIT_MS - this.#ports.deadlines.nowMs();
    if (waitMs <= 0) return null;
    const isRead = await this.#waitFor(this.#reading, waitMs);
    return isRead && planList(this.#times(), this.#ports.deadlines.nowMs()).canShow ? this.#mirror : null;
  }

  /** Returns false if the time has passed before. */
  async #waitFor(reading: Promise<void>, waitMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const cancel = this.#ports.clock.after(waitMs, () => resolve(false));
    try {
      return await Promise.race([reading.then(() => true), late]);
    } finally {
      cancel();
    }
  }

  #times(): ListTimes {
    return { takenAtMs: this.#takenAtMs, failedAtMs: this.#failedAtMs, isOutdated: this.#isOutdated };
  }

  /** True if the server has announced a change since the lists were last asked for. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** The server has said that its lists have changed, or a call shows it. */
  markOutdated(): void {
    this.#isOutdated = true;
  }

  /** Asks the server, once for all who want it meanwhile. Never rejects. */
  refresh(peer: Peer): Promise<void> {
    if (this.#reading !== null) return this.#reading;
    this.#readingSinceMs = this.#ports.deadlines.nowMs();
    this.#reading = this.#read(peer).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** From now on, only what is under way asks the server. Resolves once it is over, and the server has heard so. */
  async close(peer: Peer): Promise<void> {
    this.known.close(peer);
    await this.#reading;
    await this.known.ended();
  }

  async #read(peer: Peer): Promise<void> {
    const scope = peer.openScope(READ_MS);
    // A change that is announced while the lists are read may be in none of their pages.
    this.#isOutdated = false;
    try {
      this.#keep(buildMirror(await readLists({ peer, known: this.known, scope })));
    } catch (thrown) {
      logBug(this.#ports, thrown);
      this.#fault = toFault(thrown);
      this.#failedAtMs = this.#ports.deadlines.nowMs();
      this.#isOutdated = true;
    } finally {
      this.#checkedAtMs = this.#ports.clock.nowMs();
      this.known.endUnkept(peer);
      scope.close();
    }
  }

  #keep(mirror: Mirror): void {
    this.#takenAtMs = this.#ports.deadlines.nowMs();
    const isBack = this.#fault !== null;
    this.#failedAtMs = null;
    this.#fault = null;
    this.#listener.onRead(isBack);
    const before = this.#mirror;
    // The same object stays for the same lists, so that those merged of it stay too.
    if (before !== null && areSameMirrors(before, mirror)) return;
    this.#mirror = this.#pool.share(mirror);
    this.#listener.onMirror(before, mirror);
  }
}
