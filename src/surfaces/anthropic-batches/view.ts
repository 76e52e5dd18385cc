// Batches as Anthropic's clients see them.

import { type Batch, hasEnded } from "../../core/batches/batch.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { viewSharedFields } from "../openai-batches/view.ts";

/** `address` is the gateway's own, under which clients find the results. */
export function viewAnthropicBatch(batch: Batch, address: string): JsonObject {
  const { id, createdAtMs, expiresAtMs, endedAtMs, detail } = batch;
  const { counts, times } = detail;
  const isOver = hasEnded(batch);
  const { completed, cancelled, expired } = counts;
  return {
    id,
    type: "message_batch",
    processing_status: isOver ? "ended" : times.cancellingMs === undefined ? "in_progress" : "canceling",
    // They add up to the total at all times.
    request_counts: {
      processing: isOver ? 0 : counts.total,
      succeeded: isOver ? completed : 0,
      errored: isOver ? counts.total - completed - cancelled - expired : 0,
      canceled: isOver ? cancelled : 0,
      expired: isOver ? expired : 0,
    },
    created_at: formatTime(createdAtMs),
    expires_at: formatTime(expiresAtMs),
    ended_at: endedAtMs === null ? null : formatTime(endedAtMs),
    archived_at: null,
    cancel_initiated_at: times.cancellingMs === undefined ? null : formatTime(times.cancellingMs),
    results_url: isOver ? `${address}/v1/messages/batches/${id}/results` : null,
    ...viewSharedFields(batch),
  };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
