// The counts of an owner's limits, as stored in its columns: JSON.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../core/json/json.ts";
import {
  type BudgetUse,
  type LimitUse,
  type Minute,
  type ModelCount,
  PARTS,
  type PayerCount,
} from "../../core/limits/limit.ts";
import type { Column } from "./columns.ts";
import { readText } from "./found.ts";

/** A row of the same size is overwritten where it lies: SQLite otherwise moves its rest, which doubles the write's cost. */
const PADDED_TO = 64;

function pad(json: string): string {
  return json.padEnd(Math.ceil(json.length / PADDED_TO) * PADDED_TO);
}

export const MINUTE: Column<Minute> = {
  type: "text",
  write: writeMinute,
  read: (found, column) => parseMinute(readText(found, column)),
};

export const BUDGET_USES: Column<readonly BudgetUse[]> = {
  type: "text",
  write: writeBudgetUses,
  read: (found, column) => parseBudgetUses(readText(found, column)),
};

/** Zeros at the end are left out, and read as such. */
function writeMinute({ part, requests, tokens, parallel, tookMs, models, payers }: Minute): string {
  const counted = { part, requests: cutZeros(requests), tokens: cutZeros(tokens), parallel, tookMs, payers };
  return pad(JSON.stringify(models === undefined ? counted : { ...counted, models: models.map(cutCount) }));
}

function cutCount({ name, requests, tokens }: ModelCount): ModelCount {
  return { name, requests: cutZeros(requests), tokens: cutZeros(tokens) };
}

function cutZeros(counts: readonly number[]): readonly number[] {
  let { length } = counts;
  while (length > 0 && counts[length - 1] === 0) length--;
  return counts.slice(0, length);
}

/** Leaves out most fields that are 0, null or empty, and read as such if they are missing. */
function writeBudgetUses(uses: readonly BudgetUse[]): string {
  const written = uses.map((use) => ({
    name: use.name,
    rules: use.rules,
    startMs: use.startMs,
    endMs: use.endMs ?? undefined,
    spentNanoUsd: use.spentNanoUsd,
    heldNanoUsd: use.heldNanoUsd,
    limitNanoUsd: use.limitNanoUsd,
    warned: use.warned.length > 0 ? use.warned : undefined,
    isExceeded: use.isExceeded,
    extraUsedNanoUsd: use.extraUsedNanoUsd || undefined,
    extraUntilMs: use.extraUntilMs ?? undefined,
  }));
  return pad(JSON.stringify(written));
}

function parseMinute(json: string): Minute {
  const minute = asObject(parseJson(json));
  return {
    part: asNumber(minute.part) ?? 0,
    requests: readCounts(minute.requests),
    tokens: readCounts(minute.tokens),
    parallel: asNumber(minute.parallel) ?? 0,
    tookMs: asNumber(minute.tookMs) ?? 0,
    ...(minute.models === undefined ? {} : { models: asArray(minute.models).map(readCount) }),
    ...(minute.payers === undefined ? {} : { payers: asArray(minute.payers).map(readPayer) }),
  };
}

function readCount(stored: unknown): ModelCount {
  const { name, requests, tokens } = asObject(stored);
  return { name: asString(name) ?? "", requests: readCounts(requests), tokens: readCounts(tokens) };
}

function readPayer(stored: unknown): PayerCount {
  const { payer, parallel, part } = asObject(stored);
  return { payer: asString(payer) ?? "", parallel: asNumber(parallel) ?? 0, part: asNumber(part) ?? 0 };
}

function readCounts(stored: unknown): readonly number[] {
  const counts = asArray(stored);
  return Array.from({ length: PARTS }, (_, at) => asNumber(counts[at]) ?? 0);
}

function parseBudgetUses(json: string): readonly BudgetUse[] {
  return asArray(parseJson(json)).map((stored) => {
    const use = asObject(stored);
    return {
      name: asString(use.name) ?? "",
      rules: asString(use.rules) ?? "",
      startMs: asNumber(use.startMs) ?? 0,
      endMs: asNumber(use.endMs) ?? null,
      spentNanoUsd: asNumber(use.spentNanoUsd) ?? 0,
      heldNanoUsd: asNumber(use.heldNanoUsd) ?? 0,
      limitNanoUsd: asNumber(use.limitNanoUsd) ?? 0,
      warned: asArray(use.warned).filter((share) => typeof share === "number"),
      ...(use.isExceeded === true ? { isExceeded: true } : {}),
      extraUsedNanoUsd: asNumber(use.extraUsedNanoUsd) ?? 0,
      extraUntilMs: asNumber(use.extraUntilMs) ?? null,
    };
  });
}

function readModelUse({ name, tokens }: JsonObject) {
  return { name: asString(name) ?? "", tokens: asNumber(tokens) ?? 0 };
}

/** Reads what a hold's place says of limits. */
export function readLimitUses(stored: unknown): readonly LimitUse[] {
  return asArray(stored)
    .filter(isObject)
    .map(({ owner, part, tokens, budgets, models, payer }) => ({
      owner: asString(owner) ?? "",
      part: asNumber(part) ?? null,
      tokens: asNumber(tokens) ?? 0,
      ...(models === undefined ? {} : { models: asArray(models).map(asObject).map(readModelUse) }),
      ...(payer === undefined ? {} : { payer: asString(payer) ?? "" }),
      budgets: asArray(budgets)
        .map(asObject)
        .map(({ name, startMs, nanoUsd }) => ({
          name: asString(name) ?? "",
          startMs: asNumber(startMs) ?? 0,
          nanoUsd: asNumber(nanoUsd) ?? 0,
        })),
    }));
}
