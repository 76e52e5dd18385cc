// The sessions that a tool server keeps for the gateway's callers: one for each owner, opened once by all who ask at the time.
import type { ToolSessionPlace, ToolSessions } from "../../core/tools/tool-sessions.ts";
import type { ServerFacts } from "../../tools/wire/server-facts.ts";
import type { Peer } from "./peer.ts";
import type { ToolServerPorts } from "./ports.ts";

export class CallerSessions {
  readonly #sessions: ToolSessions;
  readonly #digest: ToolServerPorts["digest"];
  readonly #opening = new Map<string, Promise<string | null>>();

  constructor({ sessions, digest }: ToolServerPorts) {
    this.#sessions = sessions;
    this.#digest = digest;
  }

  /** Returns the owner's session at the server, or null, without a promise, if the server has none. */
  open(peer: Peer, facts: ServerFacts, owner: string): null | Promise<string | null> {
    return facts.hasSessions ? this.#open(peer, facts, owner) : null;
  }

  async #open(peer: Peer, facts: ServerFacts, owner: string): Promise<string | null> {
    const place = this.#placeFor(peer, owner);
    const kept = await this.#sessions.find(place);
    if (kept !== null) return kept;
    const key = JSON.stringify([place.server, place.owner, place.passDigest]);
    const known = this.#opening.get(key);
    if (known !== undefined) return known;
    const opening = this.#begin(peer, facts, place).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #begin(peer: Peer, facts: ServerFacts, place: ToolSessionPlace): Promise<string | null> {
    const begun = await peer.begin();
    if (begun === null) return null;
    const kept = await this.#sessions.keep(place, begun);
    if (kept !== begun) void peer.end(facts.version, begun);
    return kept;
  }

  forget(peer: Peer, owner: string, session: string): Promise<void> {
    return this.#sessions.forget(this.#placeFor(peer, owner), session);
  }

  #placeFor({ terms: { server, pass } }: Peer, owner: string): ToolSessionPlace {
    return { server: server.name, owner, passDigest: pass === null ? null : this.#digest(pass) };
  }
}
