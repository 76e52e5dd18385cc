// Batches for tests, each with the few fields that matter to a test.
import {
  type Batch,
  type BatchBlock,
  type BatchDetail,
  NO_COUNTS,
  NO_SUMS,
} from "../../src/core/batches/batch.ts";
import { openLines } from "../../src/jobs/lines.ts";
import { HOUR, NOON } from "./samples.ts";

const DETAIL: BatchDetail = {
  bodyDigest: "digest",
  endpoint: "/v1/chat/completions",
  window: "24h",
  metadata: null,
  headers: {},
  inputFileId: "file-input",
  inputBytes: 1000,
  outputFileId: null,
  errorFileId: null,
  outputSeconds: null,
  model: null,
  maxCostNanoUsd: null,
  estimatedNanoUsd: null,
  worstNanoUsd: null,
  counts: NO_COUNTS,
  sums: NO_SUMS,
  errors: [],
  times: {},
  waiting: null,
};

export function makeBatch(id: string, fields: Partial<Batch> = {}, detail: Partial<BatchDetail> = {}): Batch {
  return {
    accountId: "default",
    id,
    keyId: "key_a",
    memberId: null,
    surface: "openai-batches",
    status: "in_progress",
    createdAtMs: NOON,
    expiresAtMs: NOON + 24 * HOUR,
    endedAtMs: null,
    claim: null,
    bytes: 0,
    detail: { ...DETAIL, ...detail },
    ...fields,
  };
}

export function makeBlock(batchId: string, block: number, fields: Partial<BatchBlock> = {}): BatchBlock {
  const states = openLines(2);
  const places = [...states].map((_, at) => ({
    from: at * 10,
    to: at * 10 + 9,
    customId: `line-${at}`,
    model: "Sim#echo",
  }));
  return {
    accountId: "default",
    batchId,
    block,
    node: null,
    lease: 0,
    remaining: 2,
    states,
    places,
    pieces: [],
    ...fields,
  };
}
