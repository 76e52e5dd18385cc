// One attempt of a plan: the request in the provider's dialect, and its answer as a whole reply.
import type { ModelCard } from "../core/card.ts";
import type { Outgoing, RawRequest, Target } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Credential } from "../core/settings.ts";
import type { Lane } from "../dialects/dialect.ts";
import type { Permit } from "../health/permit.ts";
import { readable } from "../operations/chat/answer.ts";
import { parseAnswer } from "../operations/chat/answer-json.ts";
import { withoutForce } from "../operations/chat/forced-call.ts";
import type { ChatReply, ChatRequest, Usage } from "../operations/chat/form.ts";
import { normaliseReply } from "../operations/chat/normalise.ts";
import { type Ports, REPLY_BYTES_MAX, UpstreamCall } from "../transport/client.ts";
import type { Upstream } from "./upstream.ts";

/** All that one upstream call needs. */
export interface AttemptCall {
  readonly card: ModelCard;
  readonly credential: Credential;
  readonly upstream: Upstream;
  /** Records how the attempt ends; null where that isn't counted. */
  readonly permit: Permit | null;
  /** `n` is at most what the dialect gives in one call. */
  readonly request: ChatRequest;
  /** The client's own request, where the attempt is made in the native lane; null: it is translated. */
  readonly raw: RawRequest | null;
  /** Fields of the client's own request that are never passed on, and those that are lost in translation. */
  readonly withheld: readonly string[];
  readonly lost: readonly string[];
  /** Added to the choices' indexes. */
  readonly choiceOffset: number;
  readonly client: AbortSignal;
  /** The call goes over a new connection, as the one before broke on a kept one. */
  readonly fresh: boolean;
  /** On the monotonic clock. */
  readonly totalAtMs: number;
  /** The end of the client's own limit, on the monotonic clock; infinite if it set none. */
  readonly clientLimitAtMs: number;
  /** Called before each call is sent, and for each call whose connection could not be opened. */
  readonly onSent: () => void;
  readonly onUnsent: () => void;
  /** Called once, before the call is sent, with the request fields that were changed or left out. */
  readonly onDropped: (fields: readonly string[]) => void;
  /**
   * Called with the usage so far each time the provider reports it: a later report replaces an earlier one. `isWhole`: every
   * choice had come to its finish.
   */
  readonly onUsage: (usage: Usage, isWhole: boolean) => void;
}

/** Runs a whole attempt: one JSON answer. */
export async function wholeAttempt(ports: Ports, attempt: AttemptCall): Promise<ChatReply> {
  const started = ports.deadlines.nowMs();
  const call = prepareCall(ports, attempt, attempt.totalAtMs);
  try {
    const { response, stops } = await send(attempt, call);
    const reply = parseReply(attempt, await call.text(response, REPLY_BYTES_MAX));
    const normal = normaliseReply(reply.canonical, attempt.request, attempt.choiceOffset, stops);
    attempt.permit?.finished(ports.deadlines.nowMs(), normal.usage?.completion_tokens ?? null);
    return reply.verbatim ? { ...normal, verbatim: reply.verbatim } : normal;
  } catch (thrown) {
    throw told(attempt, call.toFault(thrown), started, ports.deadlines.nowMs());
  } finally {
    call.close();
    attempt.permit?.left();
  }
}

/** Less than this share of the provider's own time tells nothing of it. */
const FAIR_SHARE = 0.9;

/** Tells how an attempt failed, unless its client's limit, or what others had left of the time, cut it short. */
export function told(
  { permit, totalAtMs, clientLimitAtMs, upstream, onUnsent }: AttemptCall,
  given: Fault,
  startedMs: number,
  nowMs: number,
): Fault {
  const isOurs = given.code === "upstream_timeout" && given.details.upstreamStatus === undefined;
  const fault = isOurs && nowMs >= clientLimitAtMs ? clientTimeout() : given;
  if (fault.details.unsent) onUnsent();
  const isShort = totalAtMs - startedMs < FAIR_SHARE * upstream.setup.timeouts.totalMs;
  if (isOurs && isShort && nowMs >= totalAtMs) permit?.left();
  else permit?.failed(nowMs, fault);
  return fault;
}

/** Makes the fault of the client's own time limit. Its code is the one that a provider's timeout has. */
function clientTimeout(): Fault {
  const message = "The provider did not answer in time: x-poundkey-timeout allowed no more.";
  return new Fault("client_timeout", message, { shownCode: "upstream_timeout" });
}

/** No answer may name the provider's secret or its address. */
export function prepareCall(
  ports: Ports,
  { client, credential, upstream, fresh }: AttemptCall,
  deadlineAtMs: number,
): UpstreamCall {
  const unspoken = [credential.secret ?? "", ...upstream.hosts];
  return new UpstreamCall(ports, { client, deadlineAtMs, unspoken, fresh });
}

export interface Sent {
  readonly response: Response;
  /** The stop sequences that the provider doesn't take: the gateway applies them itself. */
  readonly stops: readonly string[];
}

export async function send(attempt: AttemptCall, call: UpstreamCall): Promise<Sent> {
  const { upstream, credential } = attempt;
  const { baseUrl, headers } = upstream.setup;
  const outgoing = encode(attempt, { baseUrl, headers, secret: credential.secret });
  attempt.onDropped(outgoing.dropped);
  call.throwIfEnded();
  attempt.onSent();
  const stops = outgoing.dropped.includes("stop") ? (attempt.request.stop ?? []) : [];
  return {
    response: await call.send(outgoing, upstream.setup.timeouts.connectMs, findCodec(attempt).explain),
    stops,
  };
}

function encode(attempt: AttemptCall, target: Target): Outgoing {
  const { raw, request, card, upstream } = attempt;
  const lane = findLane(attempt);
  if (raw !== null && lane !== null) {
    const outgoing = written(() => lane.encode(raw, request, card, target));
    return { ...outgoing, dropped: [...attempt.withheld, ...outgoing.dropped] };
  }
  const cheap = withoutDearTier(request);
  const willing = withoutForce(cheap.request, card);
  const outgoing = written(() => upstream.dialect.encode(willing.request, card, target));
  const dropped = [
    ...attempt.withheld,
    ...attempt.lost,
    ...cheap.dropped,
    ...willing.dropped,
    ...outgoing.dropped,
  ];
  return { ...outgoing, dropped };
}

/** The lane in which the provider takes the client's own request; null: it takes none of that family. */
function findLane({ raw, upstream }: Pick<AttemptCall, "raw" | "upstream">): Lane | null {
  return raw === null ? null : (upstream.dialect.lanes?.[raw.family] ?? null);
}

/** True if the attempt is made in the native lane. */
export function isNative(attempt: AttemptCall): boolean {
  return findLane(attempt) !== null;
}

/** The code that reads the answer to what `send` sends. */
export function findCodec(attempt: AttemptCall): Pick<Lane, "decoder" | "reply" | "explain"> {
  return findLane(attempt) ?? attempt.upstream.dialect;
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

/** A whole answer, and the provider's own body of it where its client is shown that one. */
export interface WholeAnswer {
  readonly canonical: ChatReply;
  readonly verbatim: JsonObject | null;
}

export function parseReply(attempt: AttemptCall, text: string): WholeAnswer {
  const { card, request } = attempt;
  const body = parseAnswer(text, request);
  const canonical = readable(() => findCodec(attempt).reply(body, card, request));
  return { canonical, verbatim: isNative(attempt) && isObject(body) ? body : null };
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
