// Rows of the SQLite tables as what the rest of the gateway knows them as, and back.
import { arrayOf, parseJson } from "../../core/json.ts";
import type { Account, GatewayKey } from "../../core/key.ts";
import type { RequestRecord, Tokens } from "../../core/record.ts";
import type { Meter, Slot, UsageSum } from "../../core/store.ts";

export type Value = string | number | null;

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly last4: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly revoked_at_ms: number | null;
  readonly allowed_models: string;
  readonly requests_per_day: string;
  readonly spend_limit_nano: number | null;
}

export function keyOf(row: KeyRow): GatewayKey {
  return {
    id: row.id,
    name: row.name,
    accountId: row.account_id,
    last4: row.last4,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    allowedModels: allowedModelsOf(row.allowed_models),
    requestsPerDay: requestsPerDayOf(row.requests_per_day),
    spendLimitNanoUsd: row.spend_limit_nano,
  };
}

function allowedModelsOf(json: string): GatewayKey["allowedModels"] {
  const list = parseJson(json);
  return list === null ? null : arrayOf(list).filter((id) => typeof id === "string");
}

function requestsPerDayOf(json: string): GatewayKey["requestsPerDay"] {
  const limit = parseJson(json);
  return limit === null || typeof limit === "number" ? limit : "default";
}

/** The values that a key's holder or the operator may change, in the order of the statements `addKey` and `changeKey`. */
export function changeableOf(key: GatewayKey): [string, number | null, string, string, number | null] {
  return [
    key.name,
    key.expiresAtMs,
    JSON.stringify(key.allowedModels),
    JSON.stringify(key.requestsPerDay),
    key.spendLimitNanoUsd,
  ];
}

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly balance_nano: number;
  readonly held_nano: number;
  readonly created_at_ms: number;
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    balanceNanoUsd: row.balance_nano,
    heldNanoUsd: row.held_nano,
    createdAtMs: row.created_at_ms,
  };
}

export interface MeterRow {
  readonly owner: string;
  readonly day: string;
  readonly used: number;
  readonly last_at_ms: number;
}

export function meterOf(row: MeterRow): Meter {
  return { owner: row.owner, day: row.day, used: row.used, lastAtMs: row.last_at_ms };
}

export interface SlotRow {
  readonly owner: string;
  readonly taken_at_ms: number | null;
  readonly taken_by: string | null;
}

export function slotOf({ owner, taken_at_ms: atMs, taken_by: by }: SlotRow): Slot {
  return { owner, taken: atMs === null || by === null ? null : { atMs, by } };
}

interface TokenColumns {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly searches: number;
}

export const TOKEN_COLUMNS = [
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "searches",
] as const satisfies readonly (keyof TokenColumns)[];

function tokenValues(tokens: Tokens): readonly number[] {
  const { prompt, completion, cached, cacheWrite, reasoning, searches } = tokens;
  return [prompt, completion, cached, cacheWrite, reasoning, searches];
}

export interface RequestRow extends TokenColumns {
  readonly id: string;
  readonly request_id: string;
  readonly key_id: string;
  readonly account_id: string;
  readonly at_ms: number;
  readonly model_asked: string;
  readonly model_used: string | null;
  readonly selector: string | null;
  readonly attempts: number;
  readonly stream: number;
  readonly status: number;
  readonly fault_code: string | null;
  readonly cost_nano: number;
  readonly charged_nano: number;
  readonly usage_source: RequestRecord["usageSource"];
  readonly ended: RequestRecord["ended"];
  readonly total_ms: number;
  readonly first_token_ms: number | null;
}

export const REQUEST_COLUMNS = [
  "id",
  "request_id",
  "key_id",
  "account_id",
  "at_ms",
  "model_asked",
  "model_used",
  "selector",
  "attempts",
  "stream",
  "status",
  "fault_code",
  ...TOKEN_COLUMNS,
  "cost_nano",
  "charged_nano",
  "usage_source",
  "ended",
  "total_ms",
  "first_token_ms",
] as const satisfies readonly (keyof RequestRow)[];

/** In the order of `REQUEST_COLUMNS`. Times are measured finer than a row needs, and its columns hold integers only. */
export function requestValues(record: RequestRecord): Value[] {
  return [
    record.id,
    record.requestId,
    record.keyId,
    record.accountId,
    Math.round(record.atMs),
    record.modelAsked,
    record.modelUsed,
    record.selector,
    record.attempts,
    record.stream ? 1 : 0,
    record.status,
    record.faultCode,
    ...tokenValues(record.tokens),
    record.costNanoUsd,
    record.chargedNanoUsd,
    record.usageSource,
    record.ended,
    Math.round(record.totalMs),
    record.firstTokenMs === null ? null : Math.round(record.firstTokenMs),
  ];
}

export function requestOf(row: RequestRow): RequestRecord {
  return {
    id: row.id,
    requestId: row.request_id,
    keyId: row.key_id,
    accountId: row.account_id,
    atMs: row.at_ms,
    modelAsked: row.model_asked,
    modelUsed: row.model_used,
    selector: row.selector,
    attempts: row.attempts,
    stream: row.stream === 1,
    status: row.status,
    faultCode: row.fault_code,
    tokens: {
      prompt: row.prompt_tokens,
      completion: row.completion_tokens,
      cached: row.cached_tokens,
      cacheWrite: row.cache_write_tokens,
      reasoning: row.reasoning_tokens,
      searches: row.searches,
    },
    costNanoUsd: row.cost_nano,
    chargedNanoUsd: row.charged_nano,
    usageSource: row.usage_source,
    ended: row.ended,
    totalMs: row.total_ms,
    firstTokenMs: row.first_token_ms,
  };
}

export const USAGE_KEYS = ["hour_ms", "account_id", "key_id", "model"] as const;
export const USAGE_SUMS = ["requests", ...TOKEN_COLUMNS, "cost_nano", "charged_nano"] as const;

/** In the order of `USAGE_KEYS`, then `USAGE_SUMS`. */
export function usageValues(sum: UsageSum): Value[] {
  const { hourMs, accountId, keyId, model, requests, tokens, costNanoUsd, chargedNanoUsd } = sum;
  return [hourMs, accountId, keyId, model, requests, ...tokenValues(tokens), costNanoUsd, chargedNanoUsd];
}
