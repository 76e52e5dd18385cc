// Several choices from providers that give fewer in one call: so many calls as it takes, their answers put together.
import type { ModelCard } from "../core/card.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "../core/chat.ts";
import { type AttemptCall, type ChunkStream, streamAttempt, wholeAttempt } from "./attempt.ts";
import type { Ports, Upstream } from "./upstream.ts";

/** How many calls it takes to give so many choices. */
export function callsNeeded({ dialect }: Upstream, card: ModelCard, request: ChatRequest): number {
  return Math.ceil((request.n ?? 1) / Math.max(1, dialect.choicesMax(card)));
}

/** The calls that together give the choices asked for: usually the one. */
function callsOf(attempt: AttemptCall): readonly AttemptCall[] {
  const { request, card, upstream } = attempt;
  const wanted = request.n ?? 1;
  const most = Math.max(1, upstream.dialect.choicesMax(card));
  if (wanted <= most) return [attempt];
  const calls: AttemptCall[] = [];
  const reports = new Map<number, Usage>();
  const whole = new Set<number>();
  for (let offset = 0; offset < wanted; offset += most) {
    const n = Math.min(most, wanted - offset);
    const choiceOffset = attempt.choiceOffset + offset;
    const onUsage = (usage: Usage, isWhole: boolean) => {
      reports.set(choiceOffset, usage);
      if (isWhole) whole.add(choiceOffset);
      const sum = reports.size === callsNeeded(upstream, card, request) ? sumOf([...reports.values()]) : null;
      if (sum) attempt.onUsage(sum, whole.size === reports.size);
    };
    calls.push({ ...attempt, request: { ...request, n }, choiceOffset, onUsage });
  }
  return calls;
}

/** All choices as one stream. One call that fails ends the others. */
export async function* streamChoices(ports: Ports, attempt: AttemptCall): ChunkStream {
  const calls = callsOf(attempt);
  const [only] = calls;
  if (only && calls.length === 1) return yield* streamAttempt(ports, only);
  const together = new AbortController();
  const client = AbortSignal.any([attempt.client, together.signal]);
  const streams = calls.map((call) => streamAttempt(ports, { ...call, client }));
  try {
    return yield* merged(streams);
  } finally {
    together.abort();
    for (const stream of streams) void stream.return(null).catch(() => {});
  }
}

async function* merged(streams: readonly ChunkStream[]): ChunkStream {
  const usages: (Usage | null)[] = [];
  const waiting = new Map<ChunkStream, Promise<Step>>();
  for (const stream of streams) waiting.set(stream, stepOf(stream));
  while (waiting.size > 0) {
    const { stream, result } = await Promise.race(waiting.values());
    if (result.done) {
      waiting.delete(stream);
      usages.push(result.value);
      continue;
    }
    waiting.set(stream, stepOf(stream));
    yield result.value;
  }
  return sumOf(usages);
}

interface Step {
  readonly stream: ChunkStream;
  readonly result: IteratorResult<readonly ChatChunk[], Usage | null>;
}

function stepOf(stream: ChunkStream): Promise<Step> {
  const step = stream.next().then((result) => ({ stream, result }));
  // A stream that fails while another one is waited for must not count as an unhandled rejection.
  step.catch(() => {});
  return step;
}

/** All choices as one reply. One call that fails ends the others. */
export function wholeChoices(ports: Ports, attempt: AttemptCall): Promise<ChatReply> {
  const calls = callsOf(attempt);
  const [only] = calls;
  return only && calls.length === 1 ? wholeAttempt(ports, only) : wholeTogether(ports, attempt, calls);
}

async function wholeTogether(
  ports: Ports,
  attempt: AttemptCall,
  calls: readonly AttemptCall[],
): Promise<ChatReply> {
  const together = new AbortController();
  const client = AbortSignal.any([attempt.client, together.signal]);
  try {
    const replies = await Promise.all(calls.map((call) => wholeAttempt(ports, { ...call, client })));
    const usage = sumOf(replies.map((reply) => reply.usage ?? null));
    const choices = replies.flatMap((reply) => reply.choices);
    // What one call reported is no report of all of them.
    return { ...replies[0], choices, usage: usage ?? undefined };
  } finally {
    together.abort();
  }
}

/** Each call was billed its own prompt: the counts are added. Null when one call reported none. */
function sumOf(usages: readonly (Usage | null)[]): Usage | null {
  let sum: Usage | null = null;
  for (const usage of usages) {
    if (!usage) return null;
    sum = sum ? added(sum, usage) : usage;
  }
  return sum;
}

function added(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
  for (const part of COUNTED_PARTS) {
    if (a[part] || b[part]) Object.assign(sum, { [part]: addedCounts(a[part], b[part]) });
  }
  return sum;
}

const COUNTED_PARTS = [
  "prompt_tokens_details",
  "completion_tokens_details",
  "billed_units",
  "server_tool_use",
] as const;

function addedCounts(a: object | undefined, b: object | undefined): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [field, value] of [...Object.entries(a ?? {}), ...Object.entries(b ?? {})]) {
    if (typeof value === "number") sum[field] = (sum[field] ?? 0) + value;
  }
  return sum;
}
