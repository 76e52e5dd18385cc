// A batch's life: validating → failed | in_progress → finalizing → completed | expired, or cancelling → cancelled.

import {
  type Batch,
  type BatchDetail,
  type BatchMistake,
  type BatchStatus,
  type BatchSums,
  type BatchWait,
  hasEnded,
} from "../core/batches/batch.ts";
import type { StoredFile } from "../core/batches/file.ts";
import { type EventType, makeEvent, type OutboxEvent } from "../core/events/events.ts";
import { countLeft, type LineEnd } from "./lines.ts";
import { needsResults } from "./objects.ts";

/** A batch as it is then, with the events of the change. */
export interface Transition {
  readonly batch: Batch;
  readonly events: readonly OutboxEvent[];
  /** Files that its results become. */
  readonly files?: readonly StoredFile[];
}

/** The reason to wait of a batch whose lines no model takes now. */
export const WAITS_FOR_MODELS = "no_provider_available";
/** The batch waits for a node that is too busy to start lines. */
export const NODE_BUSY = "node_busy";

const NO_EVENTS: readonly OutboxEvent[] = [];

export function changeDetail(batch: Batch, detail: Partial<BatchDetail>): Batch {
  return { ...batch, detail: { ...batch.detail, ...detail } };
}

/** The findings of a validation. */
interface ValidationFindings extends Pick<BatchDetail, "estimatedNanoUsd" | "worstNanoUsd" | "model"> {
  readonly total: number;
}

/** The lines may start, or end if the batch was cancelled meanwhile. */
export function startRunning(batch: Batch, validated: ValidationFindings, nowMs: number): Transition {
  if (batch.status !== "validating") return { batch, events: NO_EVENTS };
  const { total, ...estimates } = validated;
  const { counts, times } = batch.detail;
  const detail = { ...estimates, counts: { ...counts, total }, times: { ...times, runningMs: nowMs } };
  const status = times.cancellingMs === undefined ? "in_progress" : "cancelling";
  return { batch: changeDetail({ ...batch, status }, detail), events: NO_EVENTS };
}

/** No line has run, and nothing is charged. */
export function fail(batch: Batch, errors: readonly BatchMistake[], nowMs: number): Transition {
  if (hasEnded(batch)) return { batch, events: NO_EVENTS };
  return end(changeDetail(batch, { errors }), "failed", nowMs);
}

/** No line starts, and no results are put together, before there is room. */
const NO_ROOM = "storage_limit_exceeded";

export function waitsForRoom({ detail }: Batch): boolean {
  return detail.waiting?.code === NO_ROOM;
}

/**
 * Ends a batch whose lines aren't known yet at once, and lets the lines of another one end. If they are counted but
 * not validated yet, they end after that: each has a result. One whose results wait for room ends without waiting.
 */
export function cancel(batch: Batch, nowMs: number, wait: BatchWait | null = null): Transition {
  const { counts, times } = batch.detail;
  const isNearlyOver = batch.status === "finalizing" && !waitsForRoom(batch);
  if (hasEnded(batch) || times.cancellingMs !== undefined || isNearlyOver)
    return { batch, events: NO_EVENTS };
  const stopped = changeDetail(batch, { times: { ...times, cancellingMs: nowMs }, waiting: wait });
  if (batch.status !== "validating")
    return { batch: { ...stopped, status: "cancelling" }, events: NO_EVENTS };
  return counts.total > 0 ? { batch: stopped, events: NO_EVENTS } : end(stopped, "cancelled", nowMs);
}

/** Returns how the lines end that haven't by then. Null while they may still run. */
export function findRestEnd(batch: Batch, nowMs: number): LineEnd | null {
  if (batch.status === "cancelling") return "cancelled";
  return batch.status === "in_progress" && nowMs >= batch.expiresAtMs ? "expired" : null;
}

/** All lines have ended: their results are put together next. */
export function finalize(batch: Batch, nowMs: number): Transition {
  if (batch.status !== "in_progress" && batch.status !== "cancelling") return { batch, events: NO_EVENTS };
  if (countLeft(batch.detail.counts) > 0) return { batch, events: NO_EVENTS };
  const times = { ...batch.detail.times, finalizingMs: nowMs };
  // A batch that its key cancelled goes on saying so, and one without room waits on.
  const isKept = batch.status === "cancelling" || waitsForRoom(batch);
  const waiting = isKept ? batch.detail.waiting : null;
  return {
    batch: changeDetail({ ...batch, status: "finalizing" }, { times, waiting }),
    events: NO_EVENTS,
  };
}

/** The results stand. */
export function complete(
  batch: Batch,
  results: Pick<BatchDetail, "outputFileId" | "errorFileId"> & { readonly sums: BatchSums },
  nowMs: number,
): Transition {
  if (batch.status !== "finalizing") return { batch, events: NO_EVENTS };
  const { counts, times } = batch.detail;
  const isExpired = counts.expired > 0;
  const status = times.cancellingMs !== undefined ? "cancelled" : isExpired ? "expired" : "completed";
  return end(changeDetail(endWaitForRoom(batch).batch, results), status, nowMs);
}

/** True if its end waits for room: an end that was asked for, or that the window has set, doesn't. */
export function endNeedsRoom({ status, detail }: Batch): boolean {
  const { counts, times } = detail;
  return status === "finalizing" && times.cancellingMs === undefined && counts.expired === 0;
}

/** Notes that there is no room for results. */
export function waitForRoom(batch: Batch, message: string, nowMs: number): Transition {
  return wait(batch, { code: NO_ROOM, message, resetsAtMs: null }, nowMs);
}

/** There is room again. */
export function endWaitForRoom(batch: Batch): Transition {
  return {
    batch: waitsForRoom(batch) ? changeDetail(batch, { waiting: null }) : batch,
    events: NO_EVENTS,
  };
}

/** Notes why a batch doesn't go on. The event is sent once per stop: while it waits, only the reason's details change. */
export function wait(batch: Batch, waiting: Omit<BatchWait, "sinceMs">, nowMs: number): Transition {
  if (batch.status !== "in_progress" && !endNeedsRoom(batch)) return { batch, events: NO_EVENTS };
  const before = batch.detail.waiting;
  const sinceMs = before?.code === waiting.code ? before.sinceMs : nowMs;
  const stopped = changeDetail(batch, { waiting: { ...waiting, sinceMs } });
  const { code, message, models, untilMs } = waiting;
  const until = untilMs === undefined ? {} : { models, until: new Date(untilMs).toISOString() };
  const said = { code, message, ...until };
  const events = before === null ? [tell("batch.waiting", stopped, nowMs, said)] : NO_EVENTS;
  return { batch: stopped, events };
}

/**
 * A line has started again. A batch that was cancelled keeps the reason, also when a line ends that started before. So do one
 * without room, which the room itself ends, and one that waits for models that answered none of its lines.
 */
export function resume(batch: Batch, isAnswered: boolean): Batch {
  const { waiting } = batch.detail;
  if (waiting === null || batch.status !== "in_progress" || waitsForRoom(batch)) return batch;
  if (waiting.code === WAITS_FOR_MODELS && !isAnswered) return batch;
  return changeDetail(batch, { waiting: null });
}

const TOLD: Partial<Record<BatchStatus, EventType>> = {
  completed: "batch.completed",
  failed: "batch.failed",
  expired: "batch.expired",
  cancelled: "batch.cancelled",
};

function end(batch: Batch, status: BatchStatus, nowMs: number): Transition {
  const last: Batch = { ...batch, status, endedAtMs: nowMs };
  const ended = needsResults(last) ? last : { ...last, bytes: 0 };
  const type = TOLD[status];
  return { batch: ended, events: type === undefined ? NO_EVENTS : [tell(type, ended, nowMs, {})] };
}

function tell(
  type: EventType,
  batch: Batch,
  atMs: number,
  more: Readonly<Record<string, unknown>>,
): OutboxEvent {
  const { accountId, id, keyId, detail } = batch;
  const { total, completed, failed } = detail.counts;
  const data = { batch_id: id, account_id: accountId, key_id: keyId, total, completed, failed, ...more };
  return makeEvent(type, id, { accountId, atMs, data });
}
