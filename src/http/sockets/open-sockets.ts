// The open connections of a process, and what they remember: who has how many, for bounds and figures.
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { namePayer, PlaceAskers } from "../../core/keys/payer.ts";
import type { SocketRules } from "../../core/settings.ts";
import type { Deadlines } from "../../core/world/world.ts";
import { SocketMemory } from "./memory.ts";

/** The owner of one connection. */
interface SocketOwner {
  readonly keyId: string;
  readonly accountId: string;
  readonly payer: string;
}

export class OpenSockets {
  readonly memory: SocketMemory;
  readonly #rules: () => SocketRules;
  readonly #deadlines: Pick<Deadlines, "nowMs">;
  readonly #open = new Set<SocketOwner>();
  readonly #askers = new PlaceAskers();

  constructor(rules: () => SocketRules, deadlines: Pick<Deadlines, "nowMs">) {
    this.#rules = rules;
    this.#deadlines = deadlines;
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
  checkRoom(key: GatewayKey): void {
    const { id, accountId, name } = key;
    const { isOn, allMax, perAccountMax, perKeyMax } = this.#rules();
    if (!isOn) throw makeTurnedOff();
    const payer = namePayer(key);
    const share = this.#askers.ask(this.#deadlines.nowMs(), payer, perAccountMax);
    let ofKey = 0;
    let ofPayer = 0;
    let ofAccount = 0;
    for (const owner of this.#open) {
      if (owner.keyId === id) ofKey++;
      if (owner.payer === payer) ofPayer++;
      if (owner.accountId === accountId) ofAccount++;
    }
    const bounds = [
      ["key", name, perKeyMax, ofKey, " with one key"],
      ["account", accountId, perAccountMax, ofAccount, ""],
      ["account", accountId, share, ofPayer, " of one user while others of the account open some"],
      ["account", accountId, allMax, this.#open.size, ""],
    ] as const;
    for (const [scope, owner, limit, used, whose] of bounds) {
      if (used < limit) continue;
      const message = `At most ${limit} WebSockets may be open${whose}: go on by HTTP.`;
      const refusing = { scope, name: owner, kind: "sockets", limit, used };
      throw new Fault("too_many_sockets", message, { limit: refusing });
    }
  }
}

export function makeTurnedOff(): Fault {
  return new Fault("websockets_off", "WebSockets are turned off here: go on by HTTP.");
}
