// The newest response of each lane of each connection, whatever the client has stored: turns send only what is new.
import { followEarlier, GrowingList, isGrowing, partFrom } from "../../core/json/growing.ts";
import { asArray } from "../../core/json/json.ts";
import type { KeptExchange } from "../../core/log/kept.ts";
import type { SocketRules } from "../../core/settings.ts";

/** A conversation up to a response, and the response's id. Lanes share the items that they have in common. */
export interface RememberedTurn {
  readonly id: string;
  readonly items: readonly unknown[];
}

/** Returns what a connection remembers of an answer. Its items are read and written once, however many turns go on from them. */
export function makeRemembered({ id, input, response }: KeptExchange): RememberedTurn {
  const items = [...input, ...asArray(response.output)];
  if (isGrowing(input)) followEarlier(input, items);
  else new GrowingList(true).follow(items);
  return { id, items };
}

type MemoryRules = Pick<SocketRules, "bytesMax" | "accountBytesMax" | "memoryBytesMax">;

interface MemoryLane {
  readonly owner: ConnectionMemory;
  readonly name: string;
  readonly turn: RememberedTurn;
}

/** The memory of all connections of a process, the oldest lane first. */
export class SocketMemory {
  readonly #rules: () => MemoryRules;
  readonly #lanes = new Set<MemoryLane>();
  readonly #accounts = new Map<string, number>();
  #bytes = 0;

  constructor(rules: () => MemoryRules) {
    this.#rules = rules;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(accountId: string): ConnectionMemory {
    return new ConnectionMemory(this, accountId);
  }

  /** Called by a connection whose bytes have changed. */
  count(accountId: string, more: number): void {
    this.#bytes += more;
    const bytes = (this.#accounts.get(accountId) ?? 0) + more;
    if (bytes === 0) this.#accounts.delete(accountId);
    else this.#accounts.set(accountId, bytes);
  }

  add(lane: MemoryLane): void {
    this.#lanes.add(lane);
    const { bytesMax, accountBytesMax, memoryBytesMax } = this.#rules();
    const { owner } = lane;
    this.#forget(
      () => owner.bytes > bytesMax,
      (one) => one.owner === owner,
    );
    this.#forget(
      () => (this.#accounts.get(owner.accountId) ?? 0) > accountBytesMax,
      (one) => one.owner.accountId === owner.accountId,
    );
    // Nobody loses a conversation to an account that holds more than its own.
    let hasMore = true;
    while (hasMore && this.#bytes > memoryBytesMax) hasMore = this.#forgetOldestOf(this.#findLargest());
  }

  remove(lane: MemoryLane): void {
    this.#lanes.delete(lane);
  }

  /** Returns the account that holds most. */
  #findLargest(): string {
    let largest = "";
    let most = 0;
    for (const [accountId, bytes] of this.#accounts) if (bytes > most) [largest, most] = [accountId, bytes];
    return largest;
  }

  /** False if the account has nothing that could be forgotten. */
  #forgetOldestOf(accountId: string): boolean {
    for (const lane of this.#lanes) {
      if (lane.owner.accountId !== accountId) continue;
      this.#lanes.delete(lane);
      lane.owner.forget(lane.name);
      return true;
    }
    return false;
  }

  /** Forgets the oldest of these lanes until there is room. */
  #forget(isFull: () => boolean, isMeant: (lane: MemoryLane) => boolean): void {
    if (!isFull()) return;
    for (const lane of [...this.#lanes]) {
      if (!isMeant(lane)) continue;
      lane.owner.forget(lane.name);
      if (!isFull()) return;
    }
  }
}

export class ConnectionMemory {
  readonly accountId: string;
  readonly #all: SocketMemory;
  readonly #lanes = new Map<string, MemoryLane>();
  /** The JSON's bytes of each item, and the number of lanes that hold it. */
  readonly #items = new Map<unknown, { readonly bytes: number; lanes: number }>();
  #bytes = 0;

  constructor(all: SocketMemory, accountId: string) {
    this.#all = all;
    this.accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(id: string): RememberedTurn | null {
    for (const { turn } of this.#lanes.values()) if (turn.id === id) return turn;
    return null;
  }

  /** Remembers the newest turn of a lane. One that has no room is forgotten at once. */
  keep(name: string, turn: RememberedTurn): void {
    const before = this.#lanes.get(name);
    const lane = { owner: this, name, turn };
    for (const other of this.#lanes.values()) if (other !== before) partFrom(other.turn.items, turn.items);
    for (const item of turn.items) this.#hold(item);
    if (before) this.#drop(before);
    this.#lanes.set(name, lane);
    this.#all.add(lane);
  }

  forget(name: string): void {
    const lane = this.#lanes.get(name);
    if (lane) this.#drop(lane);
  }

  close(): void {
    for (const name of [...this.#lanes.keys()]) this.forget(name);
  }

  #drop(lane: MemoryLane): void {
    this.#lanes.delete(lane.name);
    this.#all.remove(lane);
    for (const item of lane.turn.items) this.#release(item);
  }

  #hold(item: unknown): void {
    const held = this.#items.get(item);
    if (held) {
      held.lanes++;
      return;
    }
    const bytes = Buffer.byteLength(JSON.stringify(item));
    this.#items.set(item, { bytes, lanes: 1 });
    this.#count(bytes);
  }

  #release(item: unknown): void {
    const held = this.#items.get(item);
    if (!held || --held.lanes > 0) return;
    this.#items.delete(item);
    this.#count(-held.bytes);
  }

  #count(more: number): void {
    this.#bytes += more;
    this.#all.count(this.accountId, more);
  }
}
