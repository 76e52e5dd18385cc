// The row stored for every request: log entry and bill in one.
import type { MarkTime } from "../models/words/cache-marks.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Amounts } from "../money/units.ts";
import type { MoveCause } from "./moved.ts";
import type { Trace } from "./trace.ts";

/** Where the token counts come from: the provider's report, our estimate, or nothing was produced. */
export const USAGE_SOURCES = ["provider", "estimate", "none"] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

/** The ways in which a request can end. `refused`: no upstream was called. `lost`: its node died. */
export const ENDINGS = [
  "done",
  "client_gone",
  "upstream_failed",
  "broken_off",
  "timeout",
  "refused",
  "lost",
] as const;
export type EndingName = (typeof ENDINGS)[number];

/** The APIs at which requests come. */
export const SURFACE_NAMES = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "interactions",
  "openai-embeddings",
  "openai-images",
  "openai-speech",
  "openai-transcriptions",
  "openai-completions",
  "gemini-embeddings",
  "rerank",
  "moderations",
  "mcp",
] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/** The fields known from the start, stored in the hold and in the row. */
export interface RequestHead {
  /** The value of `x-request-id`. */
  readonly requestId: string;
  /** The operation, such as `chat`. */
  readonly operation: string;
  /** The surface, such as `openai-chat`. */
  readonly surface: string;
  readonly modelAsked: string;
  /**
   * The first model of the plan, which a request counts under if none answers. `Provider#(unlisted)` if a client made up
   * its name, or `Provider#(unlisted, like <name>)` if that has the price of a relative.
   */
  readonly modelPlanned: string | null;
  readonly selector: string | null;
  readonly stream: boolean;
}

/** A call of a tool, as its row says. */
export interface CalledTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** `is_error` if the result says so, the code of the server's JSON-RPC error, or that of a fault. Null for none. */
  readonly error: string | null;
  readonly argumentBytes: number;
  /** Null without a result. */
  readonly resultBytes: number | null;
}

/** Where a request came from, as its row says. */
export interface RequestOrigin {
  /** The client's address, or its network (`log.address: prefix`). Null if it isn't kept. */
  readonly address: string | null;
  /** The agent's session that it belongs to, as `nameSession` writes it. Null if the client named none. */
  readonly session: string | null;
  /** 32 hexadecimal digits. Null if the request has no trace. */
  readonly traceId: string | null;
  /** The client's own trace, if the request's is another that links to it. */
  readonly parentTraceId: string | null;
  /** The person whose key it is. Null for service keys. */
  readonly memberId: string | null;
  /** Its tags as `formatTags` writes them. Null for none. */
  readonly tags: string | null;
  /** The batch whose line it is, the line's number from 1, and its own id there. Null for other requests. */
  readonly batchId: string | null;
  readonly batchLine: number | null;
  readonly customId: string | null;
  /** The WebSocket on which it came. Null for a request of its own over HTTP. */
  readonly socketId: string | null;
  /** True if the client asked for a summary that takes its conversation's place. */
  readonly isCompaction: boolean;
  /** The tool that it calls. Null for requests to models. */
  readonly tool: CalledTool | null;
  /** The response in which tools were called. Null outside of one. */
  readonly responseId: string | null;
  /**
   * The constraints that it asked for and that were met, or those that were left out although nothing meets them
   * (`formatConstraints`). Null for none.
   */
  readonly constraints: string | null;
}

/** The ways in which requests come: each over HTTP by itself, or as one of several turns of a WebSocket. */
export const TRANSPORTS = ["http", "ws"] as const;
export type Transport = (typeof TRANSPORTS)[number];

export const UNKNOWN_ORIGIN: RequestOrigin = {
  address: null,
  session: null,
  traceId: null,
  parentTraceId: null,
  memberId: null,
  tags: null,
  batchId: null,
  batchLine: null,
  customId: null,
  socketId: null,
  isCompaction: false,
  tool: null,
  responseId: null,
  constraints: null,
};

export interface RequestRecord extends RequestHead, RequestOrigin {
  /** Our own id of the completion: `chatcmpl-…`. */
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly atMs: number;
  /** The last card called. Null if none was. */
  readonly modelTried: string | null;
  /** The card that answered. Null if none did. */
  readonly modelUsed: string | null;
  /** The selector's reasons as JSON (`KeptDecision`). Null if the client named the model. */
  readonly decision: string | null;
  /** The trace of the request and the lines of its bill, as JSON (`Trace`). Null if unknown. */
  readonly trace: string | null;
  readonly attempts: number;
  /** The HTTP status returned to the client. */
  readonly status: number;
  readonly faultCode: string | null;
  readonly amounts: Amounts;
  /** The price by the card with the markup, even if it was free. */
  readonly costNanoUsd: NanoUsd;
  /** The part of the cost that the markup adds, below 0 for a markup below 1. 0 in rows from before it was kept. */
  readonly markupNanoUsd: NanoUsd;
  /** The cost that the provider reported, without markup. Null if it reported none that counts. */
  readonly claimedNanoUsd: NanoUsd | null;
  /** The amount charged to the balance. */
  readonly chargedNanoUsd: NanoUsd;
  /** The amount held while it ran. */
  readonly holdNanoUsd: NanoUsd;
  readonly usageSource: UsageSource;
  readonly ended: EndingName;
  /** True if its hold had been given up as lost before it was settled: its place was returned. */
  readonly isLate: boolean;
  readonly totalMs: number;
  readonly firstTokenMs: number | null;
  /** The refusals after which it was asked once more in another form (`formatMended`). Null for none. */
  readonly mended: string | null;
  /** The thinking of its history that the model wasn't shown (`formatRemoved`). Null for none. */
  readonly reasoningRemoved: string | null;
  /** The time for which the gateway asked the provider to cache the prompt. Null if it set no mark. */
  readonly cacheMarked: MarkTime | null;
  /** The reason for which a turn was served elsewhere than at the first place of its order. Null if it wasn't. */
  readonly moved: MoveCause | null;
  /** Findings of the guard in it and in its answer (`formatFindings`). Null for nothing. */
  readonly guard: string | null;
  /** The completion whose answer it got from the cache, and what that had cost. Null and 0 for a new answer. */
  readonly cachedFrom: string | null;
  readonly savedNanoUsd: NanoUsd;
}

/** A row as lists show it. */
export type ListedRequest = Omit<RequestRecord, "trace" | "traced">;

/** A row before settlement has decided who pays. */
export type UnsettledRecord = Omit<RequestRecord, "chargedNanoUsd" | "holdNanoUsd" | "isLate"> & {
  /** The same as `trace`, which need not be read again then. */
  readonly traced?: Trace;
};

/** True if the request failed: its client got an error and did not simply leave. */
export function isError(status: number): boolean {
  return status >= 400 && status !== CLIENT_GONE;
}

/** The status of a request whose client left first. It is never sent. */
export const CLIENT_GONE = 499;

/**
 * The ways in which a request ends for its client. `refused`: before any provider was called, and not because providers
 * or the gateway failed. `left`: the client left first.
 */
export const REQUEST_OUTCOMES = ["answered", "failed", "refused", "left"] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];
