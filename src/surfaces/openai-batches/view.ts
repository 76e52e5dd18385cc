// Batches as OpenAI's clients see them, and the lines of their results.

import type { Batch, BatchWait } from "../../core/batches/batch.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { toUsd } from "../../core/money/money.ts";

/** Returns the fields that a batch has in all forms. */
export function viewSharedFields({ detail }: Batch): JsonObject {
  const { estimatedNanoUsd, worstNanoUsd, maxCostNanoUsd, sums, waiting } = detail;
  const usd = (nanoUsd: number | null) => (nanoUsd === null ? null : toUsd(nanoUsd));
  return {
    estimated_cost_usd: usd(estimatedNanoUsd),
    worst_cost_usd: usd(worstNanoUsd),
    max_cost_usd: usd(maxCostNanoUsd),
    cost_usd: toUsd(sums.costNanoUsd),
    charged_usd: toUsd(sums.chargedNanoUsd),
    waiting: waiting && viewWait(waiting),
  };
}

function viewWait({ code, message, limit, models, untilMs, resetsAtMs, sinceMs }: BatchWait): JsonObject {
  return {
    code,
    message,
    ...(limit ? { limit } : {}),
    ...(models ? { models: [...models] } : {}),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
  };
}

export function viewOpenaiBatch(batch: Batch): JsonObject {
  const { detail, status, endedAtMs } = batch;
  const { counts, times, errors, sums } = detail;
  const { total, completed, ...others } = counts;
  const endedAs = (name: string) => (status === name ? toSeconds(endedAtMs) : null);
  return {
    id: batch.id,
    object: "batch",
    endpoint: detail.endpoint,
    model: detail.model,
    errors: errors.length === 0 ? null : { object: "list", data: errors },
    input_file_id: detail.inputFileId,
    completion_window: detail.window,
    status,
    output_file_id: detail.outputFileId,
    error_file_id: detail.errorFileId,
    created_at: toSeconds(batch.createdAtMs),
    in_progress_at: toSeconds(times.runningMs),
    expires_at: toSeconds(batch.expiresAtMs),
    finalizing_at: toSeconds(times.finalizingMs),
    completed_at: endedAs("completed"),
    failed_at: endedAs("failed"),
    expired_at: endedAs("expired"),
    cancelling_at: toSeconds(times.cancellingMs),
    cancelled_at: endedAs("cancelled"),
    request_counts: {
      total,
      completed,
      failed: others.failed + others.cancelled + others.expired + others.unpaid,
    },
    usage: {
      input_tokens: sums.promptTokens,
      input_tokens_details: { cached_tokens: sums.cachedTokens },
      output_tokens: sums.completionTokens,
      output_tokens_details: { reasoning_tokens: sums.reasoningTokens },
      total_tokens: sums.promptTokens + sums.completionTokens,
      cost: toUsd(sums.costNanoUsd),
      charged: toUsd(sums.chargedNanoUsd),
    },
    metadata: detail.metadata,
    ...viewSharedFields(batch),
  };
}

function toSeconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.floor(ms / 1000);
}
