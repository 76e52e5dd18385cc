// The facts of a tool server under one credential (its era, what it offers), kept for an hour, and a session for its lists.
import type { ServerFacts } from "../../tools/wire/server-facts.ts";
import type { Peer } from "./peer.ts";
import type { ToolServerPorts } from "./ports.ts";

const KEPT_MS = 3_600_000;

/** Found once for all who wait. */
export class KnownFacts {
  readonly #ports: ToolServerPorts;
  #facts: ServerFacts | null = null;
  #foundAtMs = 0;
  #finding: Promise<ServerFacts> | null = null;
  /** The gateway's own session, for lists and streams. No client's call ever uses it. */
  #session: string | null = null;
  #opening: Promise<string | null> | null = null;
  /** The ends of such sessions that the server hasn't answered yet. */
  readonly #ends = new Set<Promise<void>>();
  #isClosed = false;

  constructor(ports: ToolServerPorts) {
    this.#ports = ports;
  }

  get known(): ServerFacts | null {
    return this.#facts;
  }

  get session(): string | null {
    return this.#session;
  }

  /** Without a promise unless they are asked for. */
  find(peer: Peer): ServerFacts | Promise<ServerFacts> {
    const nowMs = this.#ports.deadlines.nowMs();
    if (this.#facts !== null && nowMs - this.#foundAtMs < KEPT_MS) return this.#facts;
    this.#finding ??= this.#ask(peer).finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #ask(peer: Peer): Promise<ServerFacts> {
    const { facts, session } = await peer.find();
    this.#keep(peer, session);
    this.#facts = facts;
    this.endUnkept(peer);
    this.#foundAtMs = this.#ports.deadlines.nowMs();
    return facts;
  }

  async get(peer: Peer): Promise<ServerFacts> {
    return this.find(peer);
  }

  /** The server has answered in the other era's words: it is asked again, unless that has happened meanwhile. */
  forget(facts: ServerFacts): void {
    if (this.#facts === facts) this.#foundAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns the gateway's own session, begun once by all who find none. Null if the server gives none. */
  async open(peer: Peer, facts: ServerFacts): Promise<string | null> {
    if (!facts.hasSessions || this.#session !== null) return this.#session;
    this.#opening ??= this.#begin(peer).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #begin(peer: Peer): Promise<string | null> {
    this.#keep(peer, await peer.begin());
    return this.#session;
  }

  /** Another may have been begun meanwhile. */
  #keep(peer: Peer, session: string | null): void {
    this.#endOwn(peer);
    this.#session = session;
  }

  /** The server doesn't know the gateway's own session any more. */
  forgetSession(session: string): void {
    if (this.#session === session) this.#session = null;
  }

  /** Call it once a use of the gateway's own session is over: ends one that nothing else would end later. */
  endUnkept(peer: Peer): void {
    // A client's credential isn't kept.
    if (this.#isClosed || peer.terms.pass !== null) this.#endOwn(peer);
  }

  /** From now on, only what is under way asks the server. */
  close(peer: Peer): void {
    this.#isClosed = true;
    this.#endOwn(peer);
  }

  /** Resolves once the server has heard of the ends of all sessions that were over. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends);
  }

  #endOwn(peer: Peer): void {
    const session = this.#session;
    this.#session = null;
    if (session === null || this.#facts === null) return;
    const end = peer.end(this.#facts.version, session).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }
}
