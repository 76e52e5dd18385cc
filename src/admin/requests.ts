// The operator's view of the request log.
import { Fault } from "../core/fault.ts";
import { type JsonObject, objectOf, parseJson } from "../core/json.ts";
import { usdOf } from "../core/money.ts";
import type { RequestRecord } from "../core/record.ts";
import { fieldsOf, optional, readText, readWhole } from "./input.ts";
import { instantOf } from "./instant.ts";
import { type Listed, listPage, PAGE_FIELDS } from "./list.ts";
import { tokensView } from "./tokens.ts";
import type { AdminWorld } from "./world.ts";

const STATUS_MIN = 100;
const STATUS_MAX = 599;

function requestView(record: RequestRecord) {
  return {
    id: record.id,
    request_id: record.requestId,
    key_id: record.keyId,
    account_id: record.accountId,
    at: instantOf(record.atMs),
    model_asked: record.modelAsked,
    model_used: record.modelUsed,
    selector: record.selector,
    decision: record.decision === null ? null : decisionView(record.decision),
    attempts: record.attempts,
    stream: record.stream,
    status: record.status,
    error_code: record.faultCode,
    tokens: tokensView(record.tokens),
    cost_usd: usdOf(record.costNanoUsd),
    charged_usd: usdOf(record.chargedNanoUsd),
    hold_usd: usdOf(record.holdNanoUsd),
    usage_source: record.usageSource,
    ended: record.ended,
    total_ms: record.totalMs,
    first_token_ms: record.firstTokenMs,
  };
}
/** Why a selector chose as it did, without the numbers that only learning reads. */
function decisionView(decision: string): JsonObject {
  const { row: _row, ...shown } = objectOf(parseJson(decision));
  return shown;
}

/** A request as the operator sees it. */
export type RequestView = ReturnType<typeof requestView>;

/** A page of the log, newest first; `key_id`, `account_id`, `model` (asked for or used) and `status` narrow it. */
export function listRequests({ store }: AdminWorld, query: unknown): Promise<Listed<RequestView>> {
  const fields = fieldsOf(query, [...PAGE_FIELDS, "key_id", "account_id", "model", "status"]);
  const filter = {
    keyId: optional(fields, "key_id", readText),
    accountId: optional(fields, "account_id", readText),
    model: optional(fields, "model", readText),
    status: optional(fields, "status", readWhole(STATUS_MIN, STATUS_MAX)),
  };
  const positionOf = ({ atMs, id }: RequestRecord) => ({ atMs, id });
  return listPage(fields, (page) => store.requests(filter, page), positionOf, requestView);
}

/** Throws the Fault `not_found`. */
export async function getRequest({ store }: AdminWorld, id: string): Promise<RequestView> {
  const record = await store.request(id);
  if (record !== null) return requestView(record);
  throw new Fault("not_found", "There is no request with that id.");
}
