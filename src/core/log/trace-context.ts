// A request's place in a distributed trace (W3C Trace Context), and the facts from which its spans are written.

import type { JsonObject } from "../json/json.ts";
import type { ModelCard } from "../models/card.ts";
import type { NanoUsd } from "../money/money.ts";
import type { RequestOrigin, UnsettledRecord } from "./record.ts";
import type { SpanMessages } from "./span-messages.ts";
import type { AttemptOutcome, TracedHook } from "./trace.ts";

/** The span of the client's that the request belongs to, as its `traceparent` names it. */
interface ParentSpan {
  /** 32 lower-case hex digits, as in all of these types. */
  readonly traceId: string;
  /** 16 lower-case hex digits, likewise. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

export interface TraceContext {
  /** The client's trace if it is continued, or if the gateway has none of its own. */
  readonly traceId: string;
  /** The request's own span. */
  readonly spanId: string;
  /** Null if the client named none, or not in the standard's form. */
  readonly parent: ParentSpan | null;
  /** True if its spans are recorded, here or, in a trace that is continued, elsewhere. */
  readonly isSampled: boolean;
  /** True if the providers' calls carry the trace on. */
  readonly isPropagated: boolean;
  /** Null if the request's spans are not exported. */
  readonly recording: Recording | null;
}

/** A call of a tool as its spans name it. */
export interface TracedTool {
  /** The protocol's method, such as `tools/call`. */
  readonly method: string;
  readonly version: string;
  /** The name that the client uses. */
  readonly name: string;
  readonly rpcId: string;
}

/** Times of a request whose spans are exported. `atMs` is wall time, all others are on the monotonic clock. */
export interface Recording {
  /** The route's pattern, such as `/v1/chat/completions`. */
  readonly route: string;
  readonly path: string;
  /** The moment of its arrival, on both clocks. */
  readonly atMs: number;
  readonly startedMs: number;
  /** True if prompts and answers are part of the spans. */
  readonly takesContent: boolean;
  /** The start of the choice of a model. Null before. */
  plannedMs: number | null;
  /** The start of the admission. Null before. */
  admittingMs: number | null;
  /** The message by which a tool is called. Missing for other requests. */
  tool?: TracedTool;
}

/** A span's time, on the monotonic clock. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** A request that ended before the gateway took it. */
export interface RefusedRequest {
  readonly trace: TraceContext;
  readonly requestId: string;
  readonly status: number;
  readonly faultCode: string;
  readonly endMs: number;
}

export interface FinishedAttempt extends Period {
  readonly spanId: string;
  readonly card: ModelCard;
  /** The cloud of the provider, if it is one. */
  readonly platform: string | null;
  readonly baseUrl: string;
  readonly outcome: AttemptOutcome;
  readonly faultCode: string | null;
  readonly upstreamStatus: number | null;
  /** The moment of the first part of the answer. Null without one. */
  readonly firstMs: number | null;
  /** True for the attempt that answered or, if none did, the last one. It tells the answer, or the prompt alone. */
  readonly isShown: boolean;
}

export interface FinishedTool extends Period, TracedTool {
  readonly spanId: string;
}

/** A request as its spans tell of it. */
export interface FinishedRequest {
  readonly trace: TraceContext;
  readonly record: UnsettledRecord;
  /** Null if it was not settled. */
  readonly chargedNanoUsd: NanoUsd | null;
  readonly selection: (Period & { readonly candidates: number; readonly chosen: string | null }) | null;
  readonly admission: Period | null;
  /** The calls to hooks. */
  readonly hooks: readonly TracedHook[];
  /** The milliseconds that the guard searched. Missing if it searched nothing. */
  readonly guardMs?: number | undefined;
  readonly attempts: readonly FinishedAttempt[];
  /** The call to a tool server. Null for requests to models, and for a call that wasn't sent. */
  readonly tool: FinishedTool | null;
  /** The fields of the request that hold no text of the prompt. */
  readonly parameters: JsonObject;
  /** The reasons for which the answers ended, as clients see them. Empty if there are none. */
  readonly finishes: readonly string[];
  /** Null if prompts and answers are not exported. */
  readonly content: SpanMessages | null;
  readonly endMs: number;
}

/** The place where a request came: its route's pattern and its URL's path. */
export interface RequestPlace {
  readonly route: string;
  readonly path: string;
}

/** Takes requests whose spans are exported. Never throws, and nothing waits for it. */
export interface TraceSink {
  /**
   * Returns the request's place in a trace, by its header `traceparent`. Null if it has none and nothing is exported.
   */
  begin(traceparent: string | null, place: RequestPlace): TraceContext | null;
  refuse(request: RefusedRequest): void;
  finish(request: FinishedRequest): void;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Reads a `traceparent` by the standard's rules. Null if it is invalid: then the request belongs to no trace. */
export function readTraceparent(header: string | null): ParentSpan | null {
  const [, version, traceId = "", spanId = "", flags = "", more] =
    (header && TRACEPARENT.exec(header.trim())) || [];
  // Later versions may append fields; the first four keep their meaning.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** Returns the trace of a request's row, and the client's, if it is another. */
export function listTraceIds({
  traceId,
  parent,
}: TraceContext): Pick<RequestOrigin, "traceId" | "parentTraceId"> {
  return { traceId, parentTraceId: parent === null || parent.traceId === traceId ? null : parent.traceId };
}

export function formatTraceparent({ traceId, isSampled }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

const LAST_DIGITS = 8;

/** Returns the id of the request's `count`th further span. Counting up needs no more random numbers. */
export function deriveSpanId({ spanId }: TraceContext, count: number): string {
  const last = (Number.parseInt(spanId.slice(-LAST_DIGITS), 16) + count) >>> 0;
  return spanId.slice(0, -LAST_DIGITS) + last.toString(16).padStart(LAST_DIGITS, "0");
}
