// The columns of batches and of the blocks of their lines.

import {
  BATCH_FORMS,
  BATCH_STATUSES,
  type Batch,
  type BatchBlock,
  type BatchDetail,
  type BatchMistake,
  type BatchTimes,
  type BatchWait,
  type LinePlace,
  NO_COUNTS,
  NO_SUMS,
  type ResultPiece,
} from "../../core/batches/batch.ts";
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import { allowNull, INTEGER, makeJson, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { table } from "../schema/tables.ts";

export const BATCH = table<Batch>(
  "batch",
  ["account_id", "id"],
  {
    accountId: TEXT,
    id: TEXT,
    keyId: TEXT,
    memberId: allowNull(TEXT),
    surface: makeWord(BATCH_FORMS),
    status: makeWord(BATCH_STATUSES),
    createdAtMs: TIME,
    expiresAtMs: TIME,
    endedAtMs: allowNull(TIME),
    claim: allowNull(TEXT),
    bytes: INTEGER,
    detail: makeJson(parseDetail),
  },
  {
    open_at_ms: {
      type: "integer",
      write: ({ createdAtMs, endedAtMs }) => (endedAtMs === null ? createdAtMs : null),
    },
    input_file_id: { type: "text", write: ({ detail }) => detail.inputFileId },
  },
);

export const BLOCK = table<BatchBlock>("batch_block", ["account_id", "batch_id", "block"], {
  accountId: TEXT,
  batchId: TEXT,
  block: INTEGER,
  node: allowNull(TEXT),
  lease: INTEGER,
  remaining: INTEGER,
  states: TEXT,
  places: { ...makeJson(parsePlaces), write: writePlaces },
  pieces: makeJson(parsePieces),
});

/** Places never change. A block is read and written again as its lines end, so its text is parsed and composed once. */
const parsedPlaces = new Map<string, readonly LinePlace[]>();
const placesTexts = new WeakMap<readonly LinePlace[], string>();
/** With more blocks, texts are parsed again. */
const PARSED_MAX = 32;

/** Short, since a batch has as many as lines. */
function writePlaces(places: readonly LinePlace[]): string {
  const known = placesTexts.get(places);
  if (known !== undefined) return known;
  return JSON.stringify(places.map(({ from, to, customId, model }) => [from, to, customId, model]));
}

function parsePlaces(json: string): readonly LinePlace[] {
  const known = parsedPlaces.get(json);
  if (known !== undefined) return known;
  const places = asArray(parseJson(json)).map((one) => {
    const [from, to, customId, model] = asArray(one);
    return {
      from: asNumber(from) ?? 0,
      to: asNumber(to) ?? 0,
      customId: asString(customId) ?? "",
      model: asString(model) ?? "",
    };
  });
  if (parsedPlaces.size >= PARSED_MAX) parsedPlaces.clear();
  parsedPlaces.set(json, places);
  placesTexts.set(places, json);
  return places;
}

function parsePieces(json: string): readonly ResultPiece[] {
  return asArray(parseJson(json)).map((one) => {
    const { number, kind, bytes } = asObject(one);
    return { number: asNumber(number) ?? 0, kind: kind === "e" ? "e" : "o", bytes: asNumber(bytes) ?? 0 };
  });
}

function parseDetail(json: string): BatchDetail {
  const all = asObject(parseJson(json));
  return {
    bodyDigest: asString(all.bodyDigest) ?? "",
    endpoint: asString(all.endpoint) ?? "",
    window: asString(all.window) ?? "",
    metadata: isObject(all.metadata) ? readTexts(all.metadata) : null,
    headers: readTexts(all.headers),
    inputFileId: asString(all.inputFileId) ?? null,
    inputBytes: asNumber(all.inputBytes) ?? 0,
    outputFileId: asString(all.outputFileId) ?? null,
    errorFileId: asString(all.errorFileId) ?? null,
    outputSeconds: asNumber(all.outputSeconds) ?? null,
    model: asString(all.model) ?? null,
    maxCostNanoUsd: asNumber(all.maxCostNanoUsd) ?? null,
    estimatedNanoUsd: asNumber(all.estimatedNanoUsd) ?? null,
    worstNanoUsd: asNumber(all.worstNanoUsd) ?? null,
    counts: readNumbers(NO_COUNTS, all.counts),
    sums: readNumbers(NO_SUMS, all.sums),
    errors: asArray(all.errors).map(readMistake),
    times: readTimes(all.times),
    waiting: isObject(all.waiting) ? readWait(all.waiting) : null,
    ...(isObject(all.silentSince) ? { silentSince: readSilences(all.silentSince) } : {}),
  };
}

function readTexts(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asObject(given)).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
}

function readSilences(given: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(asObject(given)).flatMap(([name, value]) =>
      typeof value === "number" ? [[name, value] as const] : [],
    ),
  );
}

function readNumbers<Numbers extends object>(initial: Numbers, value: unknown): Numbers {
  const stored = asObject(value);
  const numbers = Object.keys(initial).map((name) => [name, asNumber(stored[name]) ?? 0] as const);
  return { ...initial, ...Object.fromEntries(numbers) };
}

function readMistake(value: unknown): BatchMistake {
  const { code, message, param, line } = asObject(value);
  return {
    code: asString(code) ?? "",
    message: asString(message) ?? "",
    param: asString(param) ?? null,
    line: asNumber(line) ?? null,
  };
}

function readTimes(value: unknown): BatchTimes {
  const { runningMs, cancellingMs, finalizingMs } = asObject(value);
  return {
    ...(typeof runningMs === "number" ? { runningMs } : {}),
    ...(typeof cancellingMs === "number" ? { cancellingMs } : {}),
    ...(typeof finalizingMs === "number" ? { finalizingMs } : {}),
  };
}

function readWait({
  code,
  message,
  limit,
  models,
  untilMs,
  resetsAtMs,
  sinceMs,
}: Readonly<Record<string, unknown>>): BatchWait {
  return {
    code: asString(code) ?? "",
    message: asString(message) ?? "",
    ...(isObject(limit) ? { limit } : {}),
    ...(Array.isArray(models) ? { models: models.flatMap((name) => asString(name) ?? []) } : {}),
    ...(typeof untilMs === "number" ? { untilMs } : {}),
    resetsAtMs: asNumber(resetsAtMs) ?? null,
    sinceMs: asNumber(sinceMs) ?? 0,
  };
}
