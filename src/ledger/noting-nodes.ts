// The nodes that may note requests in meters. They are registered, so that the notes of a dead one are looked for.
import { NOTING_NODES, type Store } from "../core/store.ts";

/**
 * A node notes requests for this long after it was last registered. While it does, the upkeep registers it again in time. It is
 * struck off once it has been dead for longer: if it only slept, it notes none before it is registered again.
 */
const REGISTERED_MS = 60_000;
const RENEWED_MS = 20_000;
const STRUCK_OFF_MS = 180_000;
const SEPARATOR = " ";

export class NotingNodes {
  readonly #store: Pick<Store, "node" | "setting" | "changeSetting" | "listDead" | "clockAheadMs">;
  #registeredAtMs = Number.NEGATIVE_INFINITY;
  #isRegistering = false;
  /** True if a request was to be noted since it was last registered. */
  #isUsed = false;
  /** Dead nodes that have left no notes, and since when that is known. */
  readonly #swept = new Map<string, number>();

  constructor(store: Pick<Store, "node" | "setting" | "changeSetting" | "listDead" | "clockAheadMs">) {
    this.#store = store;
  }

  /** True if this node may note a request at this time (Unix milliseconds). Registers it if need be, which isn't waited for. */
  mayNote(nowMs: number): boolean {
    // On a server a hold costs no statement of its own, and nodes would wait for each other to register.
    if (this.#store.clockAheadMs() !== null) return false;
    this.#isUsed = true;
    if (Math.abs(nowMs - this.#registeredAtMs) < REGISTERED_MS) return true;
    if (!this.#isRegistering) void this.#register(nowMs);
    return false;
  }

  /** Registers this node again if it notes requests. Called every few seconds. */
  async renew(nowMs: number): Promise<void> {
    const isDue = Math.abs(nowMs - this.#registeredAtMs) >= RENEWED_MS;
    if (isDue && this.#isUsed && !this.#isRegistering) await this.#register(nowMs);
  }

  /** If it fails, the next request tries again: requests have holds until then. */
  async #register(nowMs: number): Promise<void> {
    const { node } = this.#store;
    this.#isRegistering = true;
    this.#isUsed = false;
    try {
      await this.#store.changeSetting(NOTING_NODES, (value) => {
        const nodes = readNodes(value);
        return writeNodes(nodes.includes(node) ? nodes : [...nodes, node]);
      });
      this.#registeredAtMs = nowMs;
    } catch {
      this.#registeredAtMs = Number.NEGATIVE_INFINITY;
    } finally {
      this.#isRegistering = false;
    }
  }

  /** Returns the dead nodes whose notes are still to be looked for. */
  async listDead(): Promise<readonly string[]> {
    const { node: own } = this.#store;
    const nodes = readNodes(await this.#store.setting(NOTING_NODES));
    if (!nodes.includes(own)) this.#registeredAtMs = Number.NEGATIVE_INFINITY;
    const others = nodes.filter((node) => node !== own);
    const dead = others.length === 0 ? others : await this.#store.listDead(others);
    // One that lives again may note more.
    for (const node of this.#swept.keys()) if (!dead.includes(node)) this.#swept.delete(node);
    return dead.filter((node) => !this.#swept.has(node));
  }

  /** These nodes have left no notes any more. */
  async forget(nodes: readonly string[], nowMs: number): Promise<void> {
    for (const node of nodes) this.#swept.set(node, nowMs);
    // A process that holds no lock any more has ended for good. One that is silent may come back.
    const waitMs = this.#store.clockAheadMs() === null ? 0 : STRUCK_OFF_MS;
    const over = new Set<string>();
    for (const [node, sinceMs] of this.#swept) if (Math.abs(nowMs - sinceMs) >= waitMs) over.add(node);
    if (over.size === 0) return;
    await this.#store.changeSetting(NOTING_NODES, (value) =>
      writeNodes(readNodes(value).filter((node) => !over.has(node))),
    );
    for (const node of over) this.#swept.delete(node);
  }
}

function readNodes(value: string | null): readonly string[] {
  return value === null || value === "" ? [] : value.split(SEPARATOR);
}

function writeNodes(nodes: readonly string[]): string {
  return nodes.join(SEPARATOR);
}
