// The uploads of an account that are under way, over all processes on the store: each takes one of a few slots, which are
// leases like those of a batch's blocks.
import type { BatchBlock, BatchStore } from "../core/batches/batch.ts";
import { Fault } from "../core/faults/fault.ts";
import { PlaceAskers, readAccount } from "../core/keys/payer.ts";
import type { Store } from "../core/store.ts";

/** The most uploads of an account at once. */
const SLOTS = 4;
const RETRY_MS = 1000;
/** No batch has this id, so that its blocks are the account's slots. */
const SLOTS_ID = "uploads";

type SlotStore = Pick<Store, "node" | "listDead"> & { readonly batches: Pick<BatchStore, "change"> };

interface SlotAttempt {
  readonly slot: number | null;
  /** The nodes of the other uploads. */
  readonly holders: readonly string[];
}

export class UploadSlots {
  readonly #store: SlotStore;
  /** Those of uploads here. One that names this node without being here was left by its last life. */
  readonly #own = new Set<string>();
  readonly #askers = new PlaceAskers();

  constructor(store: SlotStore) {
    this.#store = store;
  }

  /** Returns the function that ends a payer's upload. Throws the Fault `too_many_parallel_requests`. */
  async take(payer: string, nowMs: number): Promise<() => Promise<void>> {
    const accountId = readAccount(payer);
    const most = this.#askers.ask(nowMs, payer, SLOTS);
    let { slot, holders } = await this.#take(payer, most, new Set());
    if (slot === null) {
      const others = holders.filter((node) => node !== this.#store.node);
      const dead = others.length > 0 ? await this.#store.listDead(others) : [];
      if (dead.length > 0) ({ slot } = await this.#take(payer, most, new Set(dead)));
    }
    if (slot === null) throw makeTooMany(most);
    const taken = slot;
    return () => this.#free(accountId, taken);
  }

  #take(payer: string, most: number, dead: ReadonlySet<string>): Promise<SlotAttempt> {
    const accountId = readAccount(payer);
    const { node, batches } = this.#store;
    const numbers = Array.from({ length: SLOTS }, (_, at) => at);
    let chosen: number | undefined;
    return batches.change<SlotAttempt>({ accountId, id: SLOTS_ID }, { numbers }, (_, rows) => {
      const holderOf = (slot: number) => rows.find(({ block }) => block === slot)?.node ?? null;
      const isFree = (slot: number) => {
        const holder = holderOf(slot);
        if (holder === node) return !this.#own.has(nameSlot(accountId, slot));
        return holder === null || dead.has(holder);
      };
      // The transaction may run again.
      if (chosen !== undefined) this.#own.delete(nameSlot(accountId, chosen));
      const own = rows.filter(({ block, states }) => states === payer && !isFree(block));
      chosen = own.length < most ? numbers.find(isFree) : undefined;
      if (chosen === undefined)
        return { result: { slot: null, holders: rows.flatMap((row) => row.node ?? []) } };
      // The next one here sees it in the store before this one's answer comes.
      this.#own.add(nameSlot(accountId, chosen));
      return { blocks: [makeSlot(accountId, chosen, node, payer)], result: { slot: chosen, holders: [] } };
    });
  }

  /** A slot that can't be freed in the store is free to this node all the same, and to others once it has gone. */
  async #free(accountId: string, slot: number): Promise<void> {
    const { node, batches } = this.#store;
    this.#own.delete(nameSlot(accountId, slot));
    const free = batches.change({ accountId, id: SLOTS_ID }, { numbers: [slot] }, (_, [row]) =>
      row?.node === node && !this.#own.has(nameSlot(accountId, slot))
        ? { blocks: [makeSlot(accountId, slot, null, "")], result: null }
        : { result: null },
    );
    await free.catch(() => {});
  }
}

function nameSlot(accountId: string, slot: number): string {
  return `${accountId} ${slot}`;
}

/** The holder stands where a block has the states of its lines. */
function makeSlot(accountId: string, block: number, node: string | null, payer: string): BatchBlock {
  return {
    accountId,
    batchId: SLOTS_ID,
    block,
    node,
    lease: 0,
    remaining: 0,
    states: payer,
    places: [],
    pieces: [],
  };
}

function makeTooMany(most: number): Fault {
  const message =
    most < SLOTS
      ? `Others upload to this account, too: you may have ${most} of its ${SLOTS} uploads under way. Please wait for one to end.`
      : `This account has ${SLOTS} uploads under way. Please wait for one of them to end.`;
  return new Fault("too_many_parallel_requests", message, { retryAfterMs: RETRY_MS });
}
