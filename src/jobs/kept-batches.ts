// Batches as their clients use them: made, found, listed, cancelled, deleted.

import {
  type Batch,
  type BatchDetail,
  type BatchForm,
  hasEnded,
  NO_COUNTS,
  NO_SUMS,
} from "../core/batches/batch.ts";
import { Fault } from "../core/faults/fault.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import { namePayer, PlaceAskers } from "../core/keys/payer.ts";
import type { Page } from "../core/world/page.ts";
import { cancel } from "./job.ts";
import { listObjects } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

/** A client's order. */
interface NewBatch
  extends Pick<
    BatchDetail,
    | "bodyDigest"
    | "endpoint"
    | "window"
    | "metadata"
    | "headers"
    | "inputFileId"
    | "inputBytes"
    | "outputSeconds"
  > {
  readonly id: string;
  readonly surface: BatchForm;
  readonly windowMs: number;
  readonly claim: string | null;
  readonly maxCostNanoUsd: number | null;
  /** The number of its lines. 0 if only validation tells. */
  readonly lines: number;
}

export type BatchOwner = Pick<Batch, "accountId" | "memberId">;

type KeptBatchPorts = Pick<JobPorts, "store" | "files" | "clock" | "rules" | "nextTurn">;

const BATCHES_AT_ONCE = 500;

export class KeptBatches {
  readonly #ports: KeptBatchPorts;
  readonly #askers = new PlaceAskers();
  /** Called once there is something to do. */
  readonly #wake: () => void;

  constructor(ports: KeptBatchPorts, wake: () => void) {
    this.#ports = ports;
    this.#wake = wake;
  }

  get store(): KeptBatchPorts["store"] {
    return this.#ports.store;
  }

  get nextTurn(): KeptBatchPorts["nextTurn"] {
    return this.#ports.nextTurn;
  }

  /** Returns the batch of the same Idempotency-Key if there is one. Throws the Faults `idempotency_mismatch` and `too_many_batches`. */
  async add(key: GatewayKey, asked: NewBatch): Promise<Batch> {
    const { store, clock, rules } = this.#ports;
    const { unfinishedMax } = rules();
    const batch = makeBatch(key, asked, clock.nowMs());
    const ownMax = this.#askers.ask(clock.monotonicMs(), namePayer(key), unfinishedMax);
    const added = await store.batches.add(batch, unfinishedMax, ownMax);
    if (added === null) {
      const whose =
        ownMax < unfinishedMax
          ? `Others have batches in this account, too: you may have ${ownMax} of its ${unfinishedMax} that haven't ended`
          : `This account has ${unfinishedMax} batches that haven't ended`;
      const message = `${whose}. Wait for one of them, or cancel it.`;
      throw new Fault("too_many_batches", message);
    }
    if (added.detail.bodyDigest !== asked.bodyDigest) {
      const message = "This Idempotency-Key was already used with a different body.";
      throw new Fault("idempotency_mismatch", message, { param: "Idempotency-Key" });
    }
    this.#wake();
    return added;
  }

  /** Throws the Fault `batch_not_found` for one of another owner or form. */
  async find(id: string, owner: BatchOwner, surface: BatchForm): Promise<Batch> {
    const batch = await this.#ports.store.batches.find(id);
    if (batch === null || !belongsTo(batch, owner) || batch.surface !== surface) throw makeBatchNotFound(id);
    return batch;
  }

  list({ accountId, memberId }: BatchOwner, surface: BatchForm, page: Page): Promise<readonly Batch[]> {
    return this.#ports.store.batches.list({ accountId, memberId, surface }, page);
  }

  /** Throws the Fault `batch_ended`. */
  async cancel(batch: Batch): Promise<Batch> {
    const cancelled = await cancelKept(this.#ports, batch);
    this.#wake();
    return cancelled;
  }

  /** Throws the Fault `batch_not_ended`. */
  async remove(batch: Batch): Promise<void> {
    if (!hasEnded(batch)) {
      const message = `The batch '${batch.id}' hasn't ended. Cancel it first, or wait for its end.`;
      throw new Fault("batch_not_ended", message);
    }
    await removeBatch(this.#ports, batch);
  }
}

/** Throws the Fault `batch_ended`. */
export async function cancelKept(
  {
    store,
    clock,
  }: Pick<KeptBatchPorts, "store"> & { readonly clock: Pick<KeptBatchPorts["clock"], "nowMs"> },
  batch: Batch,
): Promise<Batch> {
  if (hasEnded(batch)) throw new Fault("batch_ended", `The batch '${batch.id}' has ended (${batch.status}).`);
  return store.batches.change(batch, { numbers: [] }, (found) => {
    if (found === null) return { result: batch };
    const moved = cancel(found, clock.nowMs());
    return { batch: moved.batch, events: moved.events, result: moved.batch };
  });
}

export async function removeBatch({ store, files }: Pick<KeptBatchPorts, "store" | "files">, batch: Batch) {
  await store.batches.remove(batch);
  for (const { accountId, object } of listObjects(batch)) await files.pieces.remove(accountId, object);
}

type Filter = Parameters<KeptBatchPorts["store"]["batches"]["list"]>[0];

/** Yields all batches that match, newest first. */
export async function* listAll(
  { store }: Pick<KeptBatchPorts, "store">,
  filter: Filter,
): AsyncGenerator<Batch> {
  for (let after: Page["after"] = null; ; ) {
    const found: readonly Batch[] = await store.batches.list(filter, { limit: BATCHES_AT_ONCE, after });
    yield* found;
    const last = found.at(-1);
    if (found.length < BATCHES_AT_ONCE || last === undefined) return;
    after = { atMs: last.createdAtMs, id: last.id };
  }
}

function belongsTo(batch: Batch, { accountId, memberId }: BatchOwner): boolean {
  return batch.accountId === accountId && batch.memberId === memberId;
}

function makeBatchNotFound(id: string): Fault {
  return new Fault("batch_not_found", `No batch found with id '${id.slice(0, 100)}'.`, { param: "batch_id" });
}

function makeBatch(
  { id: keyId, accountId, memberId }: GatewayKey,
  { id, surface, windowMs, claim, lines, ...asked }: NewBatch,
  nowMs: number,
): Batch {
  return {
    accountId,
    id,
    keyId,
    memberId,
    surface,
    status: "validating",
    createdAtMs: nowMs,
    expiresAtMs: nowMs + windowMs,
    endedAtMs: null,
    claim,
    bytes: asked.inputFileId === null ? asked.inputBytes : 0,
    detail: {
      ...asked,
      outputFileId: null,
      errorFileId: null,
      model: null,
      estimatedNanoUsd: null,
      worstNanoUsd: null,
      counts: { ...NO_COUNTS, total: lines },
      sums: NO_SUMS,
      errors: [],
      times: {},
      waiting: null,
    },
  };
}
