// Batches as the operator sees them: how far they are, what they cost, and why they wait.
import { type Static, Type } from "@sinclair/typebox";
import { BATCH_FORMS, BATCH_STATUSES, type Batch } from "../../core/batches/batch.ts";
import { Fault } from "../../core/faults/fault.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { isUnsorted, type ListPage, listPage, listSorted, sortedFields } from "../list.ts";
import { makeFilter } from "../log/log-filters.ts";
import {
  allowNull,
  allowWords,
  anyObject,
  closeObject,
  count,
  instant,
  text,
  usd,
  type View,
} from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { fileSchema, viewFile } from "./files.ts";

const FILES_OF = ["input", "output", "errors"] as const;

export const batchesQuery = closeObject({
  account: makeFilter("this account's id"),
  key: makeFilter("this key's id"),
  status: Type.Optional(allowWords(BATCH_STATUSES)),
  surface: Type.Optional(allowWords(BATCH_FORMS)),
  ...sortedFields("batches"),
});

export const batchSchema = Type.Object({
  id: text,
  surface: allowWords(BATCH_FORMS),
  endpoint: text,
  account_id: text,
  key_id: text,
  member_id: allowNull(text),
  status: allowWords(BATCH_STATUSES),
  // The reason for which no line starts.
  waiting: allowNull(
    Type.Object({
      code: text,
      message: text,
      limit: Type.Optional(anyObject),
      models: Type.Optional(Type.Array(text)),
      until: Type.Optional(instant),
      resets_at: allowNull(instant),
      since: instant,
    }),
  ),
  // `running` is what this process has in flight.
  counts: Type.Object({ total: count, completed: count, failed: count, running: count, left: count }),
  // The lines by how they ended. Those that weren't answered are `counts.failed` together.
  outcomes: Type.Object({
    answered: count,
    failed: count,
    cancelled: count,
    expired: count,
    // The ceiling left no money for them.
    unpaid: count,
    left: count,
  }),
  errors: Type.Array(
    Type.Object({ code: text, message: text, param: allowNull(text), line: allowNull(count) }),
  ),
  created_at: instant,
  expires_at: instant,
  ended_at: allowNull(instant),
  estimated_cost_usd: allowNull(usd),
  worst_cost_usd: allowNull(usd),
  max_cost_usd: allowNull(usd),
  cost_usd: usd,
  charged_usd: usd,
  tokens: Type.Object({ prompt: count, cached: count, completion: count, reasoning: count }),
});
export type BatchView = View<typeof batchSchema>;

export const batchDetailSchema = Type.Object({
  ...batchSchema.properties,
  window: text,
  metadata: allowNull(Type.Record(Type.String(), text)),
  // The input and the results, as long as they are kept. Batches in Anthropic's form have none.
  files: Type.Array(Type.Composite([Type.Object({ of: allowWords(FILES_OF) }), fileSchema])),
});
export type BatchDetailView = View<typeof batchDetailSchema>;

export interface BatchesParts extends Pick<AdminWorld, "store" | "clock"> {
  /** The lines of a batch that this process has in flight. */
  readonly countRunning: (id: string) => number;
  /** Throws the Fault `batch_ended`. */
  readonly cancel: (batch: Batch) => Promise<Batch>;
}

/** Returns a page of batches, newest first or as the query sorts them. */
export async function listBatches(
  parts: BatchesParts,
  query: Static<typeof batchesQuery>,
  scope: Scope,
): Promise<ListPage<BatchView>> {
  const { account: accountId, key: keyId, status, surface } = query;
  const filter = { accountId, keyId, status, surface, scope };
  if (!isUnsorted(query)) {
    const { data, next } = await listSorted("batches", query, (page) =>
      parts.store.things.sorted("batches", page, { filter }),
    );
    return { data: data.map((batch) => viewBatch(parts, batch)), next };
  }
  const positionOf = ({ createdAtMs: atMs, id }: Batch) => ({ atMs, id });
  return listPage(
    query,
    (page) => parts.store.batches.list(filter, page),
    positionOf,
    (batch) => viewBatch(parts, batch),
  );
}

/** Throws the Fault `batch_not_found`. */
export async function getBatch(parts: BatchesParts, id: string, scope?: Scope): Promise<BatchDetailView> {
  const batch = await findBatch(parts, id, scope);
  const { window, metadata } = batch.detail;
  return {
    ...viewBatch(parts, batch),
    window,
    metadata: metadata && { ...metadata },
    files: await findFiles(parts, batch),
  };
}

async function findFiles(
  { store, clock }: BatchesParts,
  { accountId, detail }: Batch,
): Promise<BatchDetailView["files"]> {
  const { inputFileId: input, outputFileId: output, errorFileId: errors } = detail;
  const ids = { input, output, errors };
  const aliveMs = clock.nowMs();
  const found = FILES_OF.map(async (of) => {
    const id = ids[of];
    if (id === null) return [];
    const files = await store.files.list({ id, accountId, aliveMs, order: "newest", limit: 1 });
    return files.map((file) => ({ of, ...viewFile(file) }));
  });
  return (await Promise.all(found)).flat();
}

/** Throws the Faults `batch_not_found` and `batch_ended`. */
export async function cancelBatch(parts: BatchesParts, id: string, scope?: Scope): Promise<BatchView> {
  return viewBatch(parts, await parts.cancel(await findBatch(parts, id, scope)));
}

async function findBatch({ store }: BatchesParts, id: string, scope: Scope | undefined): Promise<Batch> {
  const batch = await store.batches.find(id, scope);
  if (batch === null) throw new Fault("batch_not_found", "There is no batch with that id.");
  return batch;
}

function viewBatch({ countRunning }: BatchesParts, batch: Batch): BatchView {
  const { detail } = batch;
  const { counts, sums, waiting } = detail;
  const { total, completed, failed, cancelled, expired, unpaid } = counts;
  const unanswered = failed + cancelled + expired + unpaid;
  const left = Math.max(0, total - completed - unanswered);
  const usdOrNull = (nanoUsd: number | null) => (nanoUsd === null ? null : toUsd(nanoUsd));
  return {
    id: batch.id,
    surface: batch.surface,
    endpoint: detail.endpoint,
    account_id: batch.accountId,
    key_id: batch.keyId,
    member_id: batch.memberId,
    status: batch.status,
    waiting: waiting && {
      code: waiting.code,
      message: waiting.message,
      ...(waiting.limit ? { limit: { ...waiting.limit } } : {}),
      ...(waiting.models ? { models: [...waiting.models] } : {}),
      ...(waiting.untilMs === undefined ? {} : { until: formatInstant(waiting.untilMs) }),
      resets_at: formatInstantOrNull(waiting.resetsAtMs),
      since: formatInstant(waiting.sinceMs),
    },
    counts: {
      total,
      completed,
      failed: unanswered,
      running: countRunning(batch.id),
      left,
    },
    outcomes: { answered: completed, failed, cancelled, expired, unpaid, left },
    errors: detail.errors.map((one) => ({ ...one })),
    created_at: formatInstant(batch.createdAtMs),
    expires_at: formatInstant(batch.expiresAtMs),
    ended_at: formatInstantOrNull(batch.endedAtMs),
    estimated_cost_usd: usdOrNull(detail.estimatedNanoUsd),
    worst_cost_usd: usdOrNull(detail.worstNanoUsd),
    max_cost_usd: usdOrNull(detail.maxCostNanoUsd),
    cost_usd: toUsd(sums.costNanoUsd),
    charged_usd: toUsd(sums.chargedNanoUsd),
    tokens: {
      prompt: sums.promptTokens,
      cached: sums.cachedTokens,
      completion: sums.completionTokens,
      reasoning: sums.reasoningTokens,
    },
  };
}
