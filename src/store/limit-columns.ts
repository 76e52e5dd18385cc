// The counts of an owner's limits, as stored in its columns: JSON.
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../core/json.ts";
import { type BudgetUse, type LimitUse, type Minute, PARTS } from "../core/limit.ts";

export function parseMinute(json: string): Minute {
  const minute = asObject(parseJson(json));
  return {
    part: asNumber(minute.part) ?? 0,
    requests: readCounts(minute.requests),
    tokens: readCounts(minute.tokens),
    parallel: asNumber(minute.parallel) ?? 0,
    tookMs: asNumber(minute.tookMs) ?? 0,
  };
}

function readCounts(stored: unknown): readonly number[] {
  const counts = asArray(stored);
  return Array.from({ length: PARTS }, (_, at) => asNumber(counts[at]) ?? 0);
}

export function parseBudgetUses(json: string): readonly BudgetUse[] {
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

/** Reads what a hold's place says of limits. */
export function readLimitUses(stored: unknown): readonly LimitUse[] {
  return asArray(stored)
    .filter(isObject)
    .map(({ owner, part, tokens, budgets }) => ({
      owner: asString(owner) ?? "",
      part: asNumber(part) ?? null,
      tokens: asNumber(tokens) ?? 0,
      budgets: asArray(budgets)
        .map(asObject)
        .map(({ name, startMs, nanoUsd }) => ({
          name: asString(name) ?? "",
          startMs: asNumber(startMs) ?? 0,
          nanoUsd: asNumber(nanoUsd) ?? 0,
        })),
    }));
}
