// Several choices from providers that give fewer in one call: so many calls as it takes, their answers put together.
import type { ModelCard } from "../core/card.ts";
import type { ChatReply, ChatRequest, Usage } from "../operations/chat/form.ts";
import type { Part } from "../operations/chat/run.ts";
import type { Ports } from "../transport/client.ts";
import { type AttemptCall, wholeAttempt } from "./attempt.ts";
import { type PartStream, StreamedAttempt } from "./streamed.ts";
import type { Upstream } from "./upstream.ts";

/** The number of calls that it takes to give so many choices. */
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
export function streamChoices(ports: Ports, attempt: AttemptCall): PartStream {
  const calls = callsOf(attempt);
  const [only] = calls;
  return only && calls.length === 1 ? new StreamedAttempt(ports, only) : new Together(ports, attempt, calls);
}

class Together implements PartStream {
  readonly #ending = new AbortController();
  readonly #streams: readonly PartStream[];
  readonly #waiting = new Map<PartStream, Promise<Step>>();

  constructor(ports: Ports, attempt: AttemptCall, calls: readonly AttemptCall[]) {
    const client = AbortSignal.any([attempt.client, this.#ending.signal]);
    this.#streams = calls.map((call) => new StreamedAttempt(ports, { ...call, client }));
  }

  get usage(): Usage | null {
    return sumOf(this.#streams.map(({ usage }) => usage));
  }

  async next(): Promise<readonly Part[] | null> {
    for (const stream of this.#streams) {
      if (!this.#waiting.has(stream)) this.#waiting.set(stream, stepOf(stream));
    }
    const over = new Set<PartStream>();
    try {
      while (over.size < this.#streams.length) {
        const waiting = [...this.#waiting].filter(([stream]) => !over.has(stream));
        const { stream, parts } = await Promise.race(waiting.map(([, step]) => step));
        if (parts) this.#waiting.delete(stream);
        if (parts) return parts;
        over.add(stream);
      }
      return null;
    } catch (thrown) {
      this.leave();
      throw thrown;
    }
  }

  leave(): void {
    this.#ending.abort();
    for (const stream of this.#streams) stream.leave();
  }
}

interface Step {
  readonly stream: PartStream;
  readonly parts: readonly Part[] | null;
}

function stepOf(stream: PartStream): Promise<Step> {
  const step = stream.next().then((parts) => ({ stream, parts }));
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
    // The report of one call is no report of all of them.
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
