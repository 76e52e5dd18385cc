// One attempt of a plan: the request in the provider's dialect, the answer as normalised chunks or a whole reply.
import type { ModelCard } from "../core/card.ts";
import type { ChatChunk, ChatReply, ChatRequest, Usage } from "../core/chat.ts";
import type { Decoder, ServerEvent, Target } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { parseJson } from "../core/json.ts";
import type { Credential } from "../core/settings.ts";
import { garbled } from "../core/upstream.ts";
import type { Trial } from "../router/trial.ts";
import { unfold } from "../wire/fold.ts";
import { isAnswer, Normaliser, normaliseReply } from "../wire/normalise.ts";
import { EventParser } from "../wire/sse.ts";
import { StopCutter } from "../wire/stop.ts";
import { firstByteMsOf, type Ports, REPLY_BYTES_MAX, type Upstream, UpstreamCall } from "./upstream.ts";

/** All that one upstream call needs. */
export interface AttemptCall {
  readonly card: ModelCard;
  readonly credential: Credential;
  readonly upstream: Upstream;
  /** Told what becomes of it; null: nobody keeps count. */
  readonly trial: Trial | null;
  /** `n` is at most what the dialect gives in one call. */
  readonly request: ChatRequest;
  /** Added to the choices' indexes. */
  readonly choiceOffset: number;
  readonly client: AbortSignal;
  /** On the monotonic clock. */
  readonly totalAtMs: number;
  /** Told once, before the call is sent: the request fields that were changed or left out. */
  readonly onDropped: (fields: readonly string[]) => void;
  /**
   * Told the usage so far as often as the provider reports it: a later report replaces an earlier one. `isWhole`: every
   * choice had come to its finish.
   */
  readonly onUsage: (usage: Usage, isWhole: boolean) => void;
}

/** The chunks of a streamed answer, one batch per read; returns the usage as far as it was reported. */
export type ChunkStream = AsyncGenerator<readonly ChatChunk[], Usage | null>;

/** Runs a streamed attempt. Throws the Fault of whatever broke it; however it is left, the upstream call is ended. */
export async function* streamAttempt(ports: Ports, attempt: AttemptCall): ChunkStream {
  const { timeouts } = attempt.upstream.setup;
  const started = ports.deadlines.nowMs();
  const firstByteMs = firstByteMsOf(timeouts, attempt.card.capabilities.has("reasoning"));
  const call = callFor(ports, attempt, Math.min(started + firstByteMs, attempt.totalAtMs));
  try {
    const { response, stops } = await send(attempt, call);
    const normaliser = new Normaliser(attempt.request, attempt.choiceOffset);
    const cutter = new StopCutter(stops);
    let answered = false;
    let waitedMs = 0;
    const finished = new Set<number>();
    let reported: Usage | null = null;
    for await (const chunks of decoded(attempt, call, response)) {
      addFinished(finished, chunks);
      const batch = normaliser.push(cutter.push(chunks));
      if (normaliser.usage !== reported && normaliser.usage !== null)
        attempt.onUsage(normaliser.usage, finished.size >= (attempt.request.n ?? 1));
      reported = normaliser.usage;
      answered ||= batch.some(isAnswer);
      if (batch.length > 0) {
        const givenMs = ports.deadlines.nowMs();
        // While the client takes its time, the provider is not to blame.
        if (answered) {
          attempt.trial?.answered(givenMs);
          call.extendTo(attempt.totalAtMs);
        }
        yield batch;
        waitedMs += ports.deadlines.nowMs() - givenMs;
      }
      if (answered) call.extendTo(Math.min(ports.deadlines.nowMs() + timeouts.idleMs, attempt.totalAtMs));
    }
    const last = normaliser.end().filter((chunk) => chunk.choices.length > 0);
    attempt.trial?.finished(ports.deadlines.nowMs(), normaliser.usage?.completion_tokens ?? null, waitedMs);
    if (last.length > 0) yield last;
    return normaliser.usage;
  } catch (thrown) {
    throw told(attempt, call.faultOf(thrown), started, ports.deadlines.nowMs());
  } finally {
    call.close();
    attempt.trial?.left();
  }
}

function addFinished(finished: Set<number>, chunks: readonly ChatChunk[]): void {
  for (const { choices } of chunks)
    for (const { index, finish_reason } of choices) if (finish_reason) finished.add(index);
}

/** Runs a whole attempt: one JSON answer. */
export async function wholeAttempt(ports: Ports, attempt: AttemptCall): Promise<ChatReply> {
  const started = ports.deadlines.nowMs();
  const call = callFor(ports, attempt, attempt.totalAtMs);
  try {
    const { response, stops } = await send(attempt, call);
    const reply = replyOf(attempt, await call.text(response, REPLY_BYTES_MAX));
    const normal = normaliseReply(reply, attempt.request, attempt.choiceOffset, stops);
    attempt.trial?.finished(ports.deadlines.nowMs(), reply.usage?.completion_tokens ?? null);
    return normal;
  } catch (thrown) {
    throw told(attempt, call.faultOf(thrown), started, ports.deadlines.nowMs());
  } finally {
    call.close();
    attempt.trial?.left();
  }
}

/** Less than this share of the provider's own time tells nothing of it. */
const FAIR_SHARE = 0.9;

/** Tells how an attempt failed, unless its client's limit, or what others had left of the time, cut it short. */
function told(
  { trial, totalAtMs, upstream }: AttemptCall,
  fault: Fault,
  startedMs: number,
  nowMs: number,
): Fault {
  const isOurs = fault.code === "upstream_timeout" && fault.details.upstreamStatus === undefined;
  const isShort = totalAtMs - startedMs < FAIR_SHARE * upstream.setup.timeouts.totalMs;
  if (isOurs && isShort && nowMs >= totalAtMs) trial?.left();
  else trial?.failed(nowMs, fault);
  return fault;
}

/** No answer may name the provider's secret or its address. */
function callFor(
  ports: Ports,
  { client, credential, upstream }: AttemptCall,
  deadlineAtMs: number,
): UpstreamCall {
  return new UpstreamCall(ports, client, deadlineAtMs, [credential.secret ?? "", ...upstream.hosts]);
}

interface Sent {
  readonly response: Response;
  /** The stop sequences that the provider could not be told: they are ours to keep. */
  readonly stops: readonly string[];
}

async function send(attempt: AttemptCall, call: UpstreamCall): Promise<Sent> {
  const { upstream, credential, card } = attempt;
  const { baseUrl, headers } = upstream.setup;
  const target: Target = { baseUrl, headers, secret: credential.secret };
  const { request, dropped } = withoutDearTier(attempt.request);
  const outgoing = written(() => upstream.dialect.encode(request, card, target));
  attempt.onDropped([...dropped, ...outgoing.dropped]);
  const stops = outgoing.dropped.includes("stop") ? (request.stop ?? []) : [];
  return { response: await call.send(outgoing, upstream.setup, upstream.dialect), stops };
}

const DEAR_TIERS: ReadonlySet<unknown> = new Set(["priority", "fast"]);

/** A faster tier costs more than the card's price says, so it is not the client's to choose. */
function withoutDearTier(request: ChatRequest): { request: ChatRequest; dropped: readonly string[] } {
  if (!DEAR_TIERS.has(request.service_tier)) return { request, dropped: [] };
  const { service_tier: _tier, ...rest } = request;
  return {
    request: { ...rest, model: request.model, messages: request.messages },
    dropped: ["service_tier"],
  };
}

function replyOf({ upstream, card, request }: AttemptCall, text: string): ChatReply {
  const body = parseJson(text);
  if (body === undefined) throw garbled("the answer is not JSON");
  return read(() => upstream.dialect.reply(body, card, request));
}

/** Schemas that refer to themselves a thousand levels deep, and their like, exhaust the stack. */
function written<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new Fault("invalid_value", "The request is too intricate to be put into the provider's form.");
  }
}

/** An answer of a shape that its reader stumbles over is not of the dialect. */
function read<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : garbled(`unreadable: ${String(thrown)}`);
  }
}

/** The answer's chunks per read. A server that ignores `stream` and sends one JSON is understood too. */
async function* decoded(
  attempt: AttemptCall,
  call: UpstreamCall,
  response: Response,
): AsyncGenerator<readonly ChatChunk[]> {
  if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
    yield unfold(replyOf(attempt, await call.text(response, REPLY_BYTES_MAX)));
    return;
  }
  const parser = new EventParser();
  const decoder = attempt.upstream.dialect.decoder(attempt.card, attempt.request);
  if (response.body) {
    try {
      for await (const bytes of call.bytes(response.body)) {
        const events = parser.push(bytes);
        // Comments are no progress: an upstream that sends nothing else runs into its deadline.
        if (events.length === 0) continue;
        yield* pushed(decoder, events);
        if (!decoder.done) continue;
        call.complete();
        break;
      }
    } catch (thrown) {
      const last = wholeAtDeadline(thrown, decoder);
      if (!last) throw thrown;
      return yield last;
    }
  }
  yield* pushed(decoder, parser.end());
  yield read(() => decoder.end());
}

/** Some servers hold the connection open behind an answer that is whole, and send no mark of its end. */
function wholeAtDeadline(thrown: unknown, decoder: Decoder): readonly ChatChunk[] | null {
  if (!(thrown instanceof Fault) || thrown.code !== "upstream_timeout") return null;
  try {
    return decoder.end();
  } catch {
    return null;
  }
}

/** The chunks of one read as one batch; those before an event that fails are given before it fails. */
function* pushed(decoder: Decoder, events: readonly ServerEvent[]): Generator<readonly ChatChunk[]> {
  const [only] = events;
  if (only && events.length === 1) return yield read(() => decoder.push(only));
  const chunks: ChatChunk[] = [];
  try {
    for (const event of events) for (const chunk of read(() => decoder.push(event))) chunks.push(chunk);
  } catch (fault) {
    yield chunks;
    throw fault;
  }
  yield chunks;
}
