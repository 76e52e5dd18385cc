// The operator's view of the request log.

import type { Static } from "@sinclair/typebox";
import { findKeptPrice } from "../../catalogue/price-book.ts";
import { FAULTS, Fault } from "../../core/faults/fault.ts";
import { readTagsText } from "../../core/fields/tags-text.ts";
import { readConstraints } from "../../core/log/constraint.ts";
import type { LoggedContent } from "../../core/log/content.ts";
import { readFindings } from "../../core/log/finding.ts";
import { readMended } from "../../core/log/mended.ts";
import { findOutcome, findProvider } from "../../core/log/outcome.ts";
import { nameCredential } from "../../core/log/provider-call.ts";
import { isError, type ListedRequest, type RequestRecord } from "../../core/log/record.ts";
import { readTrace, type Trace, type TracedAttempt, type TracedHook } from "../../core/log/trace.ts";
import { readRelative } from "../../core/models/card.ts";
import { describeRefusal } from "../../core/models/refusals.ts";
import { cutStoredName } from "../../core/models/stored-name.ts";
import { readRemoved } from "../../core/models/thinking/removed-reasoning.ts";
import { computeCost, type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { formatInstant } from "../format.ts";
import { listSearched, SEARCH_MS, type SearchedList } from "../list.ts";
import type { AdminWorld } from "../world.ts";
import { WrittenJson } from "./export-rows.ts";
import { failureView } from "./failure.ts";
import { tokensView, unitsView } from "./figures.ts";
import { type FilterParts, findFilters } from "./found-filters.ts";
import { readRequestFilter } from "./log-filters.ts";
import { type ContentParts, openContent } from "./open-content.ts";
import { seesProviderCost, viewClaimedCost, viewProviderCost } from "./provider-cost.ts";
import type {
  AttemptView,
  DecisionView,
  HookView,
  RequestDetailView,
  RequestView,
  requestsQuery,
} from "./request-schema.ts";

/** A request as the operator sees it. */
export function requestView(record: ListedRequest, scope?: Scope): RequestView {
  return viewWith(record, record.decision === null ? null : decisionView(record.decision), scope);
}

/** The numbers that only learning uses, as they are written within a decision: base64 after a hash. */
const ROW = /,"row":"[^"]*"/;

/** The same as a row of a file: a decision stays the text that it is in the log. */
export function requestRow(record: ListedRequest, scope?: Scope) {
  return viewWith(
    record,
    record.decision === null ? null : new WrittenJson(record.decision.replace(ROW, "")),
    scope,
  );
}

function viewWith<Decision>(record: ListedRequest, decision: Decision, scope: Scope | undefined) {
  const isCostSeen = seesProviderCost(scope, record.accountId);
  return {
    id: record.id,
    request_id: record.requestId || null,
    key_id: record.keyId,
    account_id: record.accountId,
    at: formatInstant(record.atMs),
    operation: record.operation,
    surface: record.surface,
    model_asked: record.modelAsked || null,
    model_tried: record.modelTried,
    model_used: record.modelUsed,
    selector: record.selector,
    decision,
    attempts: record.attempts,
    stream: record.stream,
    status: record.status,
    error_code: record.faultCode,
    tokens: tokensView(record.amounts),
    units: unitsView(record.amounts),
    cost_usd: toUsd(record.costNanoUsd),
    ...viewProviderCost(record, isCostSeen),
    ...viewClaimedCost(record.claimedNanoUsd, isCostSeen),
    charged_usd: toUsd(record.chargedNanoUsd),
    hold_usd: toUsd(record.holdNanoUsd),
    usage_source: record.usageSource,
    ended: record.ended,
    late: record.isLate,
    total_ms: record.totalMs,
    first_token_ms: record.firstTokenMs,
    outcome: findOutcome(record),
    provider: findProvider(record) || null,
    address: record.address,
    session: record.session,
    trace_id: record.traceId,
    parent_trace_id: record.parentTraceId,
    member_id: record.memberId,
    cached_from: record.cachedFrom,
    saved_usd: toUsd(record.savedNanoUsd),
    ...viewLine(record),
    tags: record.tags === null ? null : readTagsText(record.tags),
    ...viewSocket(record),
    compaction: record.isCompaction,
    ...viewTool(record),
    ...viewProtection(record),
    ...viewMends(record),
    ...viewRelative(record),
  } satisfies Omit<RequestView, "decision"> & { decision: Decision };
}

function viewProtection({ constraints, guard }: ListedRequest) {
  return { constraints: readConstraints(constraints), guard: readFindings(guard) };
}

function viewMends({ mended, reasoningRemoved, cacheMarked, moved }: ListedRequest) {
  return {
    mended: readMended(mended),
    reasoning_removed: readRemoved(reasoningRemoved),
    cache_marked: cacheMarked,
    moved,
  };
}

function viewLine({ batchId, batchLine, customId }: ListedRequest) {
  return { batch_id: batchId, batch_line: batchLine, custom_id: customId };
}

function viewSocket({ socketId }: ListedRequest) {
  return { transport: socketId === null ? ("http" as const) : ("ws" as const), socket_id: socketId };
}

function viewTool({ tool, responseId }: ListedRequest) {
  return {
    server: tool?.server ?? null,
    tool: tool?.tool ?? null,
    tool_error: tool?.error ?? null,
    argument_bytes: tool?.argumentBytes ?? null,
    result_bytes: tool?.resultBytes ?? null,
    response_id: responseId,
  };
}

/** The model's own price may be unknown: then a relative's was used. */
function viewRelative({ modelPlanned }: ListedRequest) {
  const like = readRelative(modelPlanned ?? "");
  return { price_source: like === null ? null : ("family" as const), like };
}

/** Returns a selector's reasons for its choice, without the numbers that only learning uses. Null if unreadable. */
function decisionView(decision: string): DecisionView | null {
  try {
    const { row: _row, ...shown } = JSON.parse(decision);
    return shown;
  } catch {
    return null;
  }
}

type RequestsQuery = Static<typeof requestsQuery>;

type ListingParts = FilterParts & Pick<AdminWorld, "store"> & { readonly dayRules: () => DayRules };

/** Returns a page of the log, newest first, filtered by the query. */
export async function listRequests(
  parts: ListingParts,
  query: RequestsQuery,
  scope?: Scope,
): Promise<SearchedList<RequestView>> {
  return listRequestsAs(requestView, parts, await findFilters(parts, query, scope), scope);
}

/** The same in another form, such as `requestRow`, by filters that were found. */
export function listRequestsAs<Form>(
  formOf: (record: ListedRequest, scope?: Scope) => Form,
  { store, dayRules }: ListingParts,
  query: RequestsQuery,
  scope: Scope | undefined,
): Promise<SearchedList<Form>> {
  const filter = readRequestFilter(query, dayRules(), scope);
  const positionOf = ({ atMs, id }: ListedRequest) => ({ atMs, id });
  return listSearched(
    query,
    (page) => store.searchRequests(filter, page, SEARCH_MS),
    positionOf,
    (record) => formOf(record, scope),
  );
}

export interface RequestParts extends ContentParts {
  readonly store: Pick<AdminWorld["store"], "request" | "content" | "key" | "setting">;
}

/**
 * Returns a request with all its details; its prompt and answer only to those who may read them. Throws the Fault
 * `not_found`.
 */
export async function getRequest(
  parts: RequestParts,
  id: string,
  access = adminAccess(COMMAND_LINE),
): Promise<RequestDetailView> {
  const { store } = parts;
  const scope = access.scope("requests.read");
  const record = await store.request(cutStoredName(id), scope);
  if (record === null) throw new Fault("not_found", "There is no request with that id.");
  const trace = readTrace(record.trace);
  const { accountId } = record;
  const content = await openContent(parts, record, access);
  return {
    ...requestView(record, scope),
    timeline: trace && {
      admitted_ms: trace.admittedMs,
      attempts: trace.attempts.map(attemptView),
      hooks: (trace.hooks ?? []).map(hookView),
      end_ms: record.totalMs,
    },
    cost: trace && costView(trace, record),
    ...(trace && seesProviderCost(scope, accountId) ? { provider_cost_usd: sumProviderCost(trace) } : {}),
    hook_cost_usd: toUsd(sumHooks(trace)),
    usage_implausible: trace && implausibleView(trace),
    mends: readMended(record.mended).map((word) => ({ refuses: word, meaning: describeRefusal(word) })),
    unpriced: [...(trace?.unpriced ?? [])],
    served: [...(trace?.served ?? [])],
    unknown_finish_reasons: [...(trace?.unknownFinishes ?? [])],
    ...(await viewPrice(store, trace?.attempts[trace.counted ?? -1]?.price)),
    error: errorView(record, trace, content),
    content: content && contentView(content),
  };
}

/** The prices are found by their id, which the row keeps. */
async function viewPrice(
  store: Pick<RequestParts["store"], "setting">,
  id: string | undefined,
): Promise<Pick<RequestDetailView, "price_id" | "price">> {
  if (id === undefined) return { price_id: null, price: null };
  const kept = findKeptPrice(await store.setting("price_history"), id);
  return { price_id: id, price: kept?.price ?? null };
}

function contentView({ messages, request, reply, truncated }: LoggedContent) {
  return { messages, request, reply, truncated };
}

function attemptView(attempt: TracedAttempt): AttemptView {
  return {
    model: attempt.model,
    credential: nameCredential(attempt),
    start_ms: attempt.startMs,
    first_token_ms: attempt.firstTokenMs,
    end_ms: attempt.endMs,
    outcome: attempt.outcome,
    error_code: attempt.faultCode,
    upstream_status: attempt.upstreamStatus,
    ...failureView(attempt.failure),
    ...(attempt.requestIds ? { upstream_request_id: attempt.requestIds.join(" ") } : {}),
  };
}

function hookView({ name, at, action, startMs, endMs, cost }: TracedHook): HookView {
  const cost_usd = cost === undefined ? null : toUsd(cost.nanoUsd);
  return { name, at, action, cost_usd, start_ms: startMs, end_ms: endMs };
}

function sumHooks(trace: Trace | null): NanoUsd {
  return (trace?.hooks ?? []).reduce((sum, { cost }) => sum + (cost?.nanoUsd ?? 0), 0);
}

/** Returns the cost without the markup, rounded up once, in USD. */
function sumProviderCost({ bill }: Trace): number {
  return toUsd(computeCost(bill, 1));
}

/** Each line is rounded up separately, but the total, taken from the row, only once. */
function costView({ bill, markup }: Trace, { costNanoUsd }: RequestRecord) {
  const lines = bill.map((line) => ({
    what: line.what,
    count: line.count,
    usd_per_million: line.usdPerMillion,
    usd: toUsd(computeCost([line], 1)),
  }));
  return { lines, markup, total_usd: toUsd(costNanoUsd) };
}

/** The provider's claimed tokens, if the cost is for fewer. */
function implausibleView({ usageImplausible: claimed }: Trace) {
  return claimed && { prompt_tokens: claimed.promptTokens, completion_tokens: claimed.completionTokens };
}

/** A provider's error message may quote the request. The attempts have its beginning, without long quotations. */
const UNKEPT = "The provider's message is only logged in full if log.content is true.";

function errorView({ faultCode, status }: RequestRecord, trace: Trace | null, content: LoggedContent | null) {
  const known = Object.entries(FAULTS).find(([code]) => code === faultCode);
  if (!isError(status) || known === undefined) return null;
  return {
    code: faultCode,
    message: trace?.message ?? content?.message ?? UNKEPT,
    type: known[1].type,
    status,
  };
}
