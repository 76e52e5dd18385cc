// The open connections of a process, and what they remember: who has how many, for bounds and figures.
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { SocketRules } from "../../core/settings.ts";
import { SocketMemory } from "./memory.ts";

/** The owner of one connection. */
interface SocketOwner {
  readonly keyId: string;
  readonly accountId: string;
}

export class OpenSockets {
  readonly memory: SocketMemory;
  readonly #rules: () => SocketRules;
  readonly #open = new Set<SocketOwner>();

  constructor(rules: () => SocketRules) {
    this.#rules = rules;
    this.memory = new SocketMemory(rules);
  }

  get count(): number {
    return this.#open.size;
  }

  /** The most that may be open. 0 if they are turned off. */
  get most(): number {
    const { isOn, allMax } = this.#rules();
    return isOn ? allMax : 0;
  }

  add(owner: SocketOwner): void {
    this.#open.add(owner);
  }

  remove(owner: SocketOwner): void {
    this.#open.delete(owner);
  }

  /** Throws the Faults of a connection too many, with which clients go on by HTTP. */
  checkRoom({ id, accountId, name }: GatewayKey): void {
    const { isOn, allMax, perAccountMax, perKeyMax } = this.#rules();
    if (!isOn) throw makeTurnedOff();
    let ofKey = 0;
    let ofAccount = 0;
    for (const owner of this.#open) {
      if (owner.keyId === id) ofKey++;
      if (owner.accountId === accountId) ofAccount++;
    }
    const bounds = [
      ["key", name, perKeyMax, ofKey],
      ["account", accountId, perAccountMax, ofAccount],
      ["account", accountId, allMax, this.#open.size],
    ] as const;
    for (const [scope, owner, limit, used] of bounds) {
      if (used < limit) continue;
      const message = `At most ${limit} WebSockets may be open${scope === "key" ? " with one key" : ""}: go on by HTTP.`;
      const refusing = { scope, name: owner, kind: "sockets", limit, used };
      throw new Fault("too_many_sockets", message, { limit: refusing });
    }
  }
}

export function makeTurnedOff(): Fault {
  return new Fault("websockets_off", "WebSockets are turned off here: go on by HTTP.");
}
