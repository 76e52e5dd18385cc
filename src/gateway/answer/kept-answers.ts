// Stored answers, encrypted with their conversation, that later requests of the same owner can continue.

import { Fault } from "../../core/faults/fault.ts";
import { parseWithTools } from "../../core/json/exact.ts";
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type {
  Earlier,
  EarlierAnswers,
  KeptExchange,
  KeptOwner,
  StoredResponse,
} from "../../core/log/kept.ts";
import type { ResponseRules } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Clock, Deadlines, Log, Vault } from "../../core/world/world.ts";

/** The longest that an answer waits to be stored before it ends. A client that continues at once must find it. */
const PATIENCE_MS = 1000;
/** Each stored response includes the conversation before it, so reading a few finds all items. */
const LOOKUPS_MAX = 8;

interface KeptAnswersPorts {
  readonly store: Pick<Store, "key" | "responses">;
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly rules: () => Pick<ResponseRules, "keepMs" | "bytesMax">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly deadlines: Deadlines;
  readonly log: Log;
  /** The memory for bodies, by owner. A short request may read a long conversation. */
  readonly bodies: { reserve(owner: string, bytes: number): { release(): void } };
  /** Resolves in a turn of the loop that no other caller gets. */
  readonly turns: { wait(owner: string): Promise<void> };
}

type Owner = KeptOwner & Pick<GatewayKey, "id" | "keepsResponses">;

export class KeptAnswers {
  readonly #ports: KeptAnswersPorts;
  #reading = 0;

  constructor(ports: KeptAnswersPorts) {
    this.#ports = ports;
  }

  /** True if this key's conversations are stored. */
  keepsFor({ keepsResponses }: Owner): boolean {
    return keepsResponses && this.#ports.rules().keepMs > 0;
  }

  /** Returns the answers that a request continues. `previous` is null for an id that isn't the owner's. */
  async findEarlier(owner: Owner, { id, itemIds }: Earlier): Promise<EarlierAnswers> {
    const previous = id === null ? null : await this.get(owner, id);
    const items = new Map<string, JsonObject>();
    for (let lookups = 0; lookups < LOOKUPS_MAX; lookups++) {
      const next = itemIds.findLast((itemId) => !items.has(itemId));
      if (next === undefined) break;
      const kept = await this.#read(owner, (store) => store.responses.findByItem(owner, next));
      if (!kept) break;
      for (const one of [...kept.input, ...asArray(kept.response.output)]) {
        const item = asObject(one);
        if (typeof item.id === "string") items.set(item.id, item);
      }
    }
    return { previous, items };
  }

  /** Returns one of the owner's answers, or null. */
  async get(owner: Owner, id: string): Promise<KeptExchange | null> {
    if (!this.keepsFor(owner)) return null;
    return this.#read(owner, (store) => store.responses.find(owner, id));
  }

  /** Returns the logged token counts of an answer and its prompt, or null if the owner has no such answer. */
  countTokens(owner: Owner, id: string): Promise<number | null> {
    return this.#ports.store.responses.countTokens(owner, id);
  }

  /** Returns false if the owner has no such answer. */
  async remove(owner: Owner, id: string): Promise<boolean> {
    return this.keepsFor(owner) && (await this.#ports.store.responses.remove(owner, id));
  }

  /** Stores an answer. Never rejects: the client gets its answer either way. */
  async keep({ accountId, id: keyId }: Owner, { id, itemIds, input, response }: KeptExchange): Promise<void> {
    const { store, vault, rules, clock, deadlines, log } = this.#ports;
    const { keepMs, bytesMax } = rules();
    if (keepMs === 0) return;
    const add = async () => {
      const sealed = vault.seal(JSON.stringify({ input, response }), makeUse(accountId, id));
      const row = { accountId, keyId, id, atMs: clock.nowMs(), bytes: sealed.length, sealed };
      await store.responses.add({ ...row, items: JSON.stringify(itemIds) }, bytesMax);
      // If the operator turned storing off in the meantime, the key's answers were deleted, maybe just before this
      // write.
      const key = await store.key(keyId);
      if (!key?.keepsResponses) await store.responses.removeAll(accountId, keyId);
    };
    const written = add().catch((thrown: unknown) => {
      log({ event: "response_lost", level: "warn", id, cause: String(thrown) });
      logBug(this.#ports, thrown);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = deadlines.watch(deadlines.nowMs() + PATIENCE_MS, { late: resolve });
    await Promise.race([written, promise]);
    deadline.clear();
  }

  /**
   * Reads and opens an answer, and several at once in a turn of the loop each: sixty of 20 MB would block it for 25
   * seconds. Throws the Faults `too_many_parallel_requests` and `overloaded` if there is no memory for it.
   */
  async #read(
    { accountId }: Owner,
    find: (store: KeptAnswersPorts["store"]) => Promise<StoredResponse | null>,
  ) {
    const { store, bodies, turns } = this.#ports;
    try {
      if (this.#reading++ > 0) await turns.wait(accountId);
      const row = await find(store);
      if (row === null) return null;
      const reservation = bodies.reserve(row.accountId, row.bytes);
      const kept = this.#open(row);
      reservation.release();
      return kept;
    } finally {
      this.#reading--;
    }
  }

  /** Returns null if the row was sealed under another key or tampered with. */
  #open({ accountId, id, sealed, items }: StoredResponse): KeptExchange | null {
    try {
      const kept = parseWithTools(this.#ports.vault.open(sealed, makeUse(accountId, id)));
      if (!isObject(kept)) return null;
      const itemIds = asArray(parseJson(items)).flatMap((one) => asString(one) ?? []);
      return { id, itemIds, input: asArray(kept.input), response: asObject(kept.response) };
    } catch {
      return null;
    }
  }
}

function makeUse(accountId: string, id: string): string {
  return `response ${accountId} ${id}`;
}

export function makeNotFound(id: string, param: string): Fault {
  return new Fault("not_found", `Response with id '${id.slice(0, 100)}' not found.`, { param });
}
