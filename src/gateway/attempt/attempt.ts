// One attempt: sends the request in the provider's dialect and reads the whole answer.

import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { DeliveredBody, Mending, Outgoing, Said, Target } from "../../core/models/dialect.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import { nameFailure } from "../../core/models/upstream.ts";
import type { MarkTime, PlannedMarks } from "../../core/models/words/cache-marks.ts";
import type { Credential, Proof } from "../../core/settings.ts";
import { type Ending, makeClientTimeout } from "../../core/world/ending.ts";
import { mendOutgoing } from "../../dialects/mend.ts";
import type { Permit } from "../../health/permit.ts";
import type { AnswerCodec, Codec, Explain } from "../../operations/codec.ts";
import { type Form, joinLists, NONE } from "../../operations/form.ts";
import type { Asking, Operation, ReaderOptions } from "../../operations/operation.ts";
import { type Ports, UpstreamCall } from "../../transport/client.ts";
import type { Route, Routes } from "../plan/routes.ts";
import type { Upstream } from "../plan/upstream.ts";
import { findTarget } from "./target.ts";

/** Everything that one upstream call needs. */
export interface AttemptCall<F extends Form> extends Pick<Asking<Form>, "raw" | "dropped" | "lost"> {
  readonly operation: Operation<F>;
  readonly card: ModelCard;
  readonly credential: Credential;
  readonly upstream: Upstream;
  readonly routes: Routes<F>;
  /** Records the outcome for the provider's health. Null if it should not count. */
  readonly permit: Permit | null;
  /** Asks for no more answers than the dialect gives per call. */
  readonly ask: F["ask"];
  /** The fields that the native lane may leave out. Missing for none. */
  readonly mends?: Mending | undefined;
  /** Added to the index of each answer. */
  readonly offset: number;
  readonly client: Ending;
  /** Use a new connection, because the previous call failed on a kept one. */
  readonly fresh: boolean;
  /** On the monotonic clock. */
  readonly totalAtMs: number;
  /** When the client's own time limit ends, on the monotonic clock. Infinity if there is none. */
  readonly clientLimitAtMs: number;
  /** Everything that the model is known to refuse. Missing if that is nothing. */
  readonly refuses?: ReadonlySet<Refusal>;
  /** Null if nothing is recorded. */
  readonly watcher: CallWatcher<F> | null;
  /**
   * Called with each usage report of the provider. Later reports replace earlier ones. `isWhole` is true once every
   * answer has finished.
   */
  readonly onUsage: (usage: F["usage"], isWhole: boolean) => void;
}

/** Records what happens to the calls of an attempt. */
export interface CallWatcher<F extends Form = Form> {
  /** Plans the cache marks of a translated call. Null for none. */
  planMarks(codec: Codec<F>): PlannedMarks | null;
  /** A call is about to be sent. It leaves out the thinking of this many earlier answers, which another family made. */
  recordSent(isNative: boolean, foreignThinking?: number): void;
  /** Records the marks of a call: those that were planned, as far as they could be set. */
  recordMarks(marks: PlannedMarks): void;
  /** A call never got a connection. */
  retractSent(): void;
  /** A call was answered, if only by an error. */
  recordResponse(headers: Headers): void;
  /** Called before a call is sent, with the request fields that were changed or left out. */
  recordDropped(fields: readonly string[]): void;
  /** The header that carries the trace on. Null if it isn't carried on. */
  readonly traceparent: string | null;
  /** Does work on the request, and counts its time. */
  time<Given, Result>(work: (given: Given) => Result, given: Given): Result;
}

/** Runs an attempt that is answered by a single JSON document. */
export async function runWhole<F extends Form>(ports: Ports, attempt: AttemptCall<F>): Promise<F["reply"]> {
  const { operation, permit } = attempt;
  const started = ports.deadlines.nowMs();
  const call = new UpstreamCall(ports, attempt, attempt.totalAtMs);
  try {
    const sent = send(attempt, call);
    const response = await sent.response;
    sent.headers = response.headers;
    attempt.watcher?.recordResponse(response.headers);
    if (!response.ok) throw await call.readError(response, sent.explain);
    sent.body = await call.read(response, operation.makes === "pictures", operation.answerBytesMax);
    call.finishBody();
    const reply = operation.readWhole(sent.codec, sent, sent);
    const usage = operation.readUsage(reply);
    const amounts = usage && operation.countAmounts(usage);
    const nowMs = ports.deadlines.nowMs();
    permit?.finish(nowMs, amounts?.completion ?? null);
    if (amounts) permit?.recordUsage(amounts.prompt + amounts.completion, nowMs);
    return reply;
  } catch (thrown) {
    throw recordFailure(attempt, call.toFault(thrown), started, ports.deadlines.nowMs());
  } finally {
    call.close();
    permit?.abandon();
  }
}

/** With less than this share of its usual time, a provider that timed out is not to blame. */
const FAIR_SHARE = 0.9;

/**
 * Records a failed attempt, unless it was cut short by the client's limit or because earlier attempts used up the time.
 */
export function recordFailure<F extends Form>(
  { card, permit, totalAtMs, clientLimitAtMs, upstream, watcher }: AttemptCall<F>,
  given: Fault,
  startedMs: number,
  nowMs: number,
): Fault {
  const isOurs = given.code === "upstream_timeout" && given.details.upstreamStatus === undefined;
  const isLate = isOurs && nowMs >= clientLimitAtMs;
  const fault = isLate
    ? makeClientTimeout(`${card.provider} did not answer in time`)
    : nameFailure(given, card);
  if (fault.details.unsent) watcher?.retractSent();
  const isShort = totalAtMs - startedMs < FAIR_SHARE * upstream.setup.timeouts.totalMs;
  if (isOurs && isShort && nowMs >= totalAtMs) permit?.abandon();
  else permit?.fail(nowMs, fault);
  return fault;
}

const NO_HEADERS = new Headers();

/** A call that was sent, its answer, and how to read that. Its prompt isn't kept: an answer may take minutes. */
class SentCall<F extends Form> implements ReaderOptions<F["ask"]>, DeliveredBody {
  readonly ask: F["ask"];
  readonly card: ModelCard;
  readonly offset: number;
  readonly isNative: boolean;
  readonly codec: AnswerCodec<F>;
  readonly explain: Explain;
  /** The format of the answer. */
  readonly answer: Outgoing["answer"];
  /** Request fields that were not sent. */
  readonly dropped: readonly string[];
  readonly said: Said | undefined;
  /** Resolves with the status and headers. */
  readonly response: Promise<Response>;
  headers = NO_HEADERS;
  body: DeliveredBody["body"] = "";

  constructor(
    { ask, card, offset }: Pick<AttemptCall<F>, "ask" | "card" | "offset">,
    { dialect, codec, lane }: Route<F>,
    { answer, dropped, said }: Outgoing,
    response: Promise<Response>,
  ) {
    this.ask = ask;
    this.card = card;
    this.offset = offset;
    this.isNative = lane !== null;
    this.codec = lane ?? codec;
    this.said = said;
    this.explain = dialect.explain;
    this.answer = answer;
    this.dropped = dropped;
    this.response = response;
  }
}

/** Sends the call. Throws a Fault if the request can't be sent. */
export function send<F extends Form>(attempt: AttemptCall<F>, call: UpstreamCall): SentCall<F> {
  const { watcher, routes, card, ask, raw, upstream, refuses, mends } = attempt;
  const route = routes.require(card, ask, raw, refuses, mends);
  const plansMarks = route.lane === null && route.codec.planMarks !== undefined;
  const write = plansMarks ? encodeMarked<F> : encode<F>;
  const outgoing = watcher ? watcher.time(write, attempt) : write(attempt);
  watcher?.recordDropped(joinLists(attempt.dropped, route.lane ? NONE : attempt.lost, outgoing.dropped));
  call.throwIfEnded();
  watcher?.recordSent(route.lane !== null, outgoing.foreignThinking);
  const response = call.send(addTraceparent(outgoing, attempt), upstream.setup.timeouts.connectMs);
  return new SentCall(attempt, route, outgoing, response);
}

/** Amazon's signature would cover the header, and a proxy on the way may change it. */
const SIGNING: ReadonlySet<string | undefined> = new Set<Proof["kind"]>(["aws", "aws_container"]);

function addTraceparent<F extends Form>(
  outgoing: Outgoing,
  { watcher, credential }: AttemptCall<F>,
): Outgoing {
  const traceparent = watcher?.traceparent ?? null;
  if (traceparent === null || SIGNING.has(credential.proof?.kind)) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, traceparent } };
}

/** Encodes the request: unchanged if the provider speaks the client's format, translated otherwise. */
export function encode<F extends Form>(attempt: WrittenCall<F>): Outgoing {
  try {
    return writeOutgoing(attempt, findTarget(attempt));
  } catch (thrown) {
    // Schemas nested a thousand levels deep, for example, overflow the stack.
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new Fault("invalid_value", "The request is nested too deeply to be translated for this provider.");
  }
}

/** Encodes a request with the marks for the provider's cache that are likely to pay. */
function encodeMarked<F extends Form>(attempt: AttemptCall<F>): Outgoing {
  const { watcher, routes, card, ask, raw, refuses, mends } = attempt;
  const { codec } = routes.require(card, ask, raw, refuses, mends);
  const marks = watcher?.planMarks(codec) ?? null;
  if (marks === null) return encode(attempt);
  const outgoing = encode(marks === "resting" ? attempt : { ...attempt, marks });
  const marked = marks === "resting" ? marks : outgoing.marked;
  if (marked !== undefined) watcher?.recordMarks(marked);
  return outgoing;
}

function writeOutgoing<F extends Form>(
  { operation, routes, raw, ask, card, refuses, mends }: WrittenCall<F>,
  target: Target,
): Outgoing {
  const { dialect, codec, lane } = routes.require(card, ask, raw, refuses, mends);
  const own =
    raw !== null && lane !== null
      ? lane.encode(raw, ask, card, target)
      : operation.encode(codec, ask, card, target);
  const outgoing = dialect.carry?.(own, card, target) ?? own;
  return target.refuses === undefined ? outgoing : mend(outgoing, target.refuses, lane !== null, target);
}

/** A client's own request stays as it is if the operator says so. */
function mend(
  outgoing: Outgoing,
  refuses: ReadonlySet<Refusal>,
  isNative: boolean,
  { mends }: Target,
): Outgoing {
  return isNative && mends === undefined ? outgoing : mendOutgoing(outgoing, refuses);
}

/** The parts of a call that are needed to write it. */
export type WrittenCall<F extends Form> = Pick<
  AttemptCall<F>,
  "operation" | "card" | "credential" | "upstream" | "routes" | "raw" | "ask" | "mends" | "refuses"
> & { readonly marks?: MarkTime };

/** True if the call is written in another way once the server is known to refuse all of this too. */
export function isWrittenAnew<F extends Form>(call: WrittenCall<F>, refuses: ReadonlySet<Refusal>): boolean {
  const { operation, card, credential, upstream, routes, raw, ask, mends } = call;
  const anew = { operation, card, credential, upstream, routes, raw, ask, mends, refuses };
  const before = encode(call);
  const after = encode(anew);
  return !Bun.deepEquals(before.body, after.body) || !Bun.deepEquals(before.headers, after.headers);
}
