// The notes of this node: whether it may make any, and those of requests that have ended since.
import type { Admission, GrantAnswer, Noting, Unnoting } from "../core/demand.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { Hold, Place } from "../core/rows.ts";
import type { Store } from "../core/store.ts";
import { NotingNodes } from "./noting-nodes.ts";

/** A meter that no admission writes meanwhile is written for the notes of requests that ended this long ago. */
const WAIT_MS = 30_000;
const AT_ONCE = 500;

/** The requests that one meter still notes although they have ended. */
interface EndedRequests extends Pick<Unnoting, "accountId" | "owner" | "day" | "ids"> {
  readonly ids: string[];
  /** Since when there are some, in Unix milliseconds. */
  sinceMs: number;
}

const NONE_ENDED: Noting = { owner: "", day: "", ended: [], nowMs: 0 };

export class Notes {
  readonly #store: Pick<Store, "transact">;
  readonly nodes: NotingNodes;
  /** By owner. Each is written within a minute. */
  readonly #ended = new Map<string, EndedRequests>();
  /** Those of an owner's earlier day or account. */
  #earlier: EndedRequests[] = [];
  /** The notes that admissions under way are to remove. */
  readonly #carried = new Map<Noting, string>();
  /** Noted requests whose first settlement is under way, or has failed. */
  readonly settling = new Set<string>();

  constructor(store: ConstructorParameters<typeof NotingNodes>[0] & Pick<Store, "transact">) {
    this.#store = store;
    this.nodes = new NotingNodes(store);
  }

  /** Returns the terms of an admission. Null if it must have a hold. */
  begin(key: Pick<GatewayKey, "id" | "accountId">, nowMs: number): Noting | null {
    if (!this.nodes.mayNote(nowMs)) return null;
    if (this.#ended.size === 0) return NONE_ENDED;
    const found = this.#ended.get(key.id) ?? this.#ended.get(key.accountId);
    if (found === undefined || found.ids.length === 0 || found.accountId !== key.accountId) return NONE_ENDED;
    const noting = { owner: found.owner, day: found.day, ended: found.ids.splice(0), nowMs };
    this.#carried.set(noting, found.accountId);
    return noting;
  }

  /** Keeps what an admission was to remove unless it was granted and did so. */
  keep({ noting = null, accountId, nowMs }: Admission, granted: GrantAnswer | null): void {
    if (noting === null || !this.#carried.delete(noting)) return;
    const { owner, day, ended } = noting;
    const isGone = granted?.isNoted === true && granted.place.owner === owner && granted.place.day === day;
    if (!isGone) for (const id of ended) this.end(accountId, noting, id, nowMs);
  }

  /** The row of a noted request is written. */
  end(accountId: string, { owner, day }: Pick<Place, "owner" | "day">, id: string, nowMs: number): void {
    const found = this.#ended.get(owner);
    if (found !== undefined && found.day === day && found.accountId === accountId) {
      if (found.ids.length === 0) found.sinceMs = nowMs;
      found.ids.push(id);
      return;
    }
    if (found !== undefined && found.ids.length > 0) this.#earlier.push(found);
    this.#ended.set(owner, { accountId, owner, day, ids: [id], sinceMs: nowMs });
  }

  /** True if the settlement of a request has failed and nothing runs for it any more. */
  takeFailed(running: readonly string[]): boolean {
    const known = new Set(running);
    let hasFailed = false;
    for (const id of this.settling) if (!known.has(id)) hasFailed = this.settling.delete(id);
    return hasFailed;
  }

  /** Removes the notes that have waited for an admission for too long. */
  async write(nowMs: number): Promise<void> {
    for (const [noting, accountId] of this.#carried) {
      if (Math.abs(nowMs - noting.nowMs) < WAIT_MS) continue;
      this.#carried.delete(noting);
      for (const id of noting.ended) this.end(accountId, noting, id, nowMs);
    }
    const due = this.#earlier.splice(0);
    for (const [owner, ended] of this.#ended) {
      if (Math.abs(nowMs - ended.sinceMs) < WAIT_MS) continue;
      this.#ended.delete(owner);
      if (ended.ids.length > 0) due.push(ended);
    }
    for (let at = 0; at < due.length; at += AT_ONCE)
      await Promise.all(due.slice(at, at + AT_ONCE).map((one) => this.#remove(one, nowMs)));
  }

  #remove({ accountId, owner, day, ids }: EndedRequests, nowMs: number): Promise<void> {
    return this.#write({ accountId, owner, day, ids }, nowMs).catch((error: unknown) => {
      for (const id of ids) this.end(accountId, { owner, day }, id, nowMs);
      throw error;
    });
  }

  /** Removes the note of a request that has ended, whichever node noted it. */
  remove({ id, accountId, place: { owner, day } }: Pick<Hold, "id" | "accountId" | "place">, nowMs: number) {
    return this.#write({ accountId, owner, day, ids: [id] }, nowMs);
  }

  async #write(of: Pick<Unnoting, "accountId" | "owner" | "day" | "ids">, nowMs: number): Promise<void> {
    const { accountId, owner, day } = of;
    const none = { keyId: null, requestId: null, replyId: null, movementId: null };
    const reads = { accountId, owners: [owner], days: [day], ...none };
    await this.#store.transact({ kind: "unnote", ...of, nowMs, reads });
  }
}
