// The requests' rows as the auditor reads them, and bounds on what a provider can truthfully report.
import type { Database } from "bun:sqlite";
import type { CallTruth } from "./call-truth.ts";
import { type Counted, findModel } from "./cards.ts";

export interface RequestRow extends Counted {
  readonly id: string;
  /** The model that answered, or else the last one called. */
  readonly model: string | null;
  readonly attempts: number;
  readonly status: number;
  readonly fault: string | null;
  readonly cost: number;
  readonly charged: number;
  readonly held: number;
  readonly source: string;
  readonly ended: string;
}

export function requestRows(database: Database): ReadonlyMap<string, RequestRow> {
  const found = database
    .query<RequestRow, []>(
      `SELECT id, coalesce(model_used, model_tried) AS model, attempts, status, fault_code AS fault, cost_nano AS cost, charged_nano AS charged, hold_nano AS held,
         usage_source AS source, ended, prompt_tokens AS prompt, completion_tokens AS completion,
         cached_tokens AS cached, cache_write_tokens AS cacheWrite, reasoning_tokens AS reasoning FROM request`,
    )
    .all();
  return new Map(found.map((row) => [row.id, row]));
}

/** Bounds a report: a model reads at most its context and writes little more than its limit. */
export function possible(invoice: Counted, calls: readonly CallTruth[]): Counted {
  const outputMax = ({ asked, cardId }: CallTruth) =>
    asked.limit ?? findModel(cardId).outputTokensMax ?? CONTEXT;
  const limits = calls.map((call) => call.asked.choices * (1.1 * outputMax(call) + 64));
  const completion = Math.min(invoice.completion, Math.ceil(limits.reduce((sum, limit) => sum + limit, 0)));
  return { ...invoice, completion, reasoning: Math.min(invoice.reasoning, completion) };
}

/** The context of every model, in tokens. */
const CONTEXT = 200_000;
