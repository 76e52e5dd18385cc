// Going through a plan: one attempt after the other until one answers, or fails in a way that no other would mend.

import type { ModelCard } from "../core/card.ts";
import type { ChatRequest } from "../core/chat.ts";
import type { Granted } from "../core/demand.ts";
import { Fault, faultOf } from "../core/fault.ts";
import type { Log } from "../core/world.ts";
import type { Attempt } from "../router/plan.ts";
import type { AttemptCall } from "./attempt.ts";
import type { Call, Facts } from "./call.ts";
import { callsNeeded } from "./choices.ts";
import type { Tally } from "./tally.ts";
import type { Ports, Upstream } from "./upstream.ts";

/** A request that was let in, while it is being answered. */
export interface Life {
  readonly call: Call;
  readonly facts: Facts;
  readonly plan: readonly Attempt[];
  readonly granted: Granted;
  readonly tally: Tally;
  /** Ends its upstream calls: the client's own signal, unless the answer is finished for others too. */
  readonly ending: AbortController;
}

export async function walk<Result>(
  ports: Ports & { readonly log: Log },
  life: Life,
  run: (attempt: Attempt, attemptCall: AttemptCall) => Promise<Result>,
): Promise<Result> {
  const { call, facts, plan, granted, tally, ending } = life;
  const startedMs = ports.deadlines.nowMs();
  if (call.selection.kind === "selector") facts.selector = `Router#${call.selection.selector}`;
  let last: Fault | null = null;
  for (const attempt of plan) {
    const upstream = call.upstreams.get(attempt.card.provider);
    if (!upstream || !isPaidFor(granted, attempt.card)) continue;
    const attemptCall = attemptCallOf(life, attempt, upstream, startedMs);
    facts.attempts++;
    facts.model = attempt.card.id;
    tally.begins(callsNeeded(upstream, attempt.card, call.request));
    try {
      return await run(attempt, attemptCall);
    } catch (thrown) {
      last = faultOf(thrown);
      logAttempt(ports.log, call, attempt, last);
      const late = ports.deadlines.nowMs() >= attemptCall.totalAtMs;
      if (!mayGoOn(last, call) || ending.signal.aborted || late) break;
    }
  }
  throw last ?? new Fault("no_provider_available", "No provider of this model is on.");
}

/** A card without a price was not part of what is held, so nobody would pay for it. */
function isPaidFor({ outputTokens }: Granted, card: ModelCard): boolean {
  return outputTokens === null || outputTokens[card.id] !== undefined;
}

/** Whether the plan's next attempt may succeed where this one failed. */
function mayGoOn({ row }: Fault, { selection }: Call): boolean {
  return row.elsewhere === true || (row.otherModel === true && selection.kind === "selector");
}

function attemptCallOf(
  { call, facts, granted, tally, ending }: Life,
  { card, credential }: Attempt,
  upstream: Upstream,
  startedMs: number,
): AttemptCall {
  const totalMs = Math.min(upstream.setup.timeouts.totalMs, call.timeoutMs ?? Number.POSITIVE_INFINITY);
  const onDropped = (fields: readonly string[]) => {
    facts.dropped = [...new Set(fields)];
  };
  return {
    card,
    credential,
    upstream,
    request: withinHold(call.request, card, granted),
    choiceOffset: 0,
    client: ending.signal,
    totalAtMs: startedMs + totalMs,
    onDropped,
    onUsage: tally.reported,
  };
}

/** The provider is told the limit that is held for, where the client named none and the model would give more. */
function withinHold(request: ChatRequest, card: ModelCard, { outputTokens }: Granted): ChatRequest {
  const held = outputTokens?.[card.id];
  const isNamed = request.max_tokens !== undefined || request.max_completion_tokens !== undefined;
  // Where only the context bounds the model, so large a limit would leave no room for the prompt.
  const most = card.outputTokensMax ?? card.contextTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (held === undefined || isNamed || held >= most) return request;
  return { ...request, max_completion_tokens: held };
}

function logAttempt(log: Log, call: Call, attempt: Attempt, fault: Fault): void {
  log({
    event: "attempt_failed",
    level: fault.row.blame === "client" ? "debug" : "warn",
    request_id: call.requestId,
    model: attempt.card.id,
    fault: fault.code,
    upstream_status: fault.details.upstreamStatus ?? null,
    cause: causeOf(fault.details.cause),
  });
}

/** What the log may say of a cause: a system error's text names the host. */
function causeOf(cause: unknown): string | null {
  if (typeof cause === "string") return cause;
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.name;
}
