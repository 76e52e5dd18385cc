// A request at a surface: from a request's bytes to the gateway and back, whole or streamed, in the surface's form.

import { Fault, toFault } from "../../core/fault.ts";
import type { Caller } from "../../core/keys/key.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import { logBug } from "../../core/world/bug.ts";
import { Ending } from "../../core/world/ending.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { type Call, type Facts, NO_FACTS } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { type Pin, pinSelection } from "../../gateway/plan/pin.ts";
import { digestIdempotency } from "../../gateway/settle/idempotency.ts";
import { Prompt } from "../../health/prompts.ts";
import { Conversation } from "../../health/stickiness.ts";
import type { Form } from "../../operations/form.ts";
import { findSurface } from "../../surfaces/index.ts";
import { Document, type Exchange, type Surface } from "../../surfaces/surface.ts";
import { readHeldJson } from "../body/body.ts";
import type { HeldBody } from "../body/body-memory.ts";
import { readBody } from "../body/form-body.ts";
import type { HttpPorts } from "../ports.ts";
import {
  createDocumentResponse,
  createJsonResponse,
  createRefusalResponse,
  STREAM_HEADERS,
} from "./answers.ts";
import { addHeaders, type HeaderStore, joinHeaders } from "./app.ts";
import { readCaching } from "./caching.ts";
import type { Peers } from "./client-address.ts";
import { ClientWatch, type Connections } from "./client-watch.ts";
import { countTokens } from "./count-tokens.ts";
import type { CountingLimit } from "./counting.ts";
import { findEarlier, NO_EARLIER_ANSWER } from "./earlier.ts";
import { factHeaders, findRefusing, headerNumber, limitHeaders, makeReader, type Reader } from "./headers.ts";
import { makeIncoming } from "./incoming.ts";
import { readRequestOrigin } from "./origin.ts";
import { findPath } from "./paths.ts";
import { logRefusal, nameForClient, type Progress, startProgress } from "./refused.ts";
import { listCandidates, readSelection, steerSelection } from "./selection.ts";
import { makeStamp } from "./stamp.ts";
import { readSteering } from "./steering.ts";
import { startStream } from "./stream.ts";

/** Further concurrent requests are refused, to keep resources for those that are running. */
const OPEN_REQUESTS_MAX = 20_000;
const TIMEOUT_SECONDS_MAX = 3600;
/** If the body took longer, the key is looked up again, because it may have been revoked or changed meanwhile. */
const SLOW_BODY_MS = 500;

/** A request at one surface. `identify` is called again if the body was slow. */
export interface SurfaceRequest {
  readonly request: Request;
  /** The route's pattern. */
  readonly route: string;
  readonly identify: () => Caller | Promise<Caller>;
  readonly server: (Connections & Peers) | null;
  readonly counting: CountingLimit;
}

/** Answers in the surface's form, even if it fails. */
export async function serve<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  received: SurfaceRequest,
  set: HeaderStore,
): Promise<Response> {
  const requestId = nameRequest(surface, set);
  const path = findPath(received.request.url);
  let context: RequestContext<F> | null = null;
  let client: ClientWatch | null = null;
  let names: Call<F>["names"];
  const progress = startProgress();
  const held = ports.bodies.open();
  const isCounting = surface.counting?.isCounting(path) === true;
  const trace = isCounting ? null : beginTrace(ports, received, path);
  try {
    surface.checkPath?.(path);
    if (isCounting) return addHeaders(await countTokens(ports, surface, received), set);
    const { call, exchange } = await read(ports, surface, received, { requestId, held, trace, progress });
    names = call.names;
    if (call.selection.kind === "selector") await ports.learned();
    context = ports.gateway.begin(call);
    client = new ClientWatch(ports.deadlines, received.request, received.server);
    client.whenGone(() => call.ending.end());
    if (call.ask.stream === true) {
      const reader = makeReader(ports.clock, surface);
      return addHeaders(await stream(ports, { client, context, exchange, reader }), set);
    }
    const reply = await ports.gateway.complete(context);
    client.end();
    const body = exchange.whole(reply, makeStamp(ports, context));
    const headers = factHeaders(context, makeReader(ports.clock, surface));
    if (body instanceof Document) return createDocumentResponse(body, joinHeaders(headers, set));
    if (exchange.keep && call.kept) await ports.kept.keep(call.key, exchange.keep(call.kept, body));
    return createJsonResponse(200, body, joinHeaders(headers, set));
  } catch (thrown) {
    client?.end();
    // Without a context, nothing was made of the body.
    if (context === null) held.discard();
    else held.release();
    const fault = toFault(thrown);
    if (fault.code === "internal_error") throw thrown;
    return addHeaders(
      refuse(ports, { surface, path, requestId, trace, context, names, received, progress }, fault),
      set,
    );
  }
}

/** Returns the request's id. Anthropic's SDKs show `request-id` as `_request_id` and don't read the other header. */
function nameRequest<F extends Form>({ family }: Surface<F>, { headers }: HeaderStore): string {
  const requestId = String(headers["x-request-id"]);
  if (family === "anthropic") headers["request-id"] = requestId;
  return requestId;
}

function beginTrace(
  { traces }: HttpPorts,
  { request, route }: SurfaceRequest,
  path: string,
): TraceContext | null {
  return traces.begin(request.headers.get("traceparent"), route, path);
}

interface FailedRequest<F extends Form> extends Omit<ArrivedRequest, "held"> {
  readonly surface: Surface<F>;
  readonly path: string;
  readonly received: SurfaceRequest;
  /** Null if the gateway didn't take it. */
  readonly context: RequestContext<F> | null;
  readonly names: Call<F>["names"];
}

function refuse<F extends Form>(
  ports: HttpPorts,
  { surface, path, requestId, trace, context, names, received, progress }: FailedRequest<F>,
  fault: Fault,
): Response {
  const facts: Facts = context ?? NO_FACTS;
  if (facts.attempts === 0) {
    logRefusal(ports, { ...received, requestId, trace, surface }, progress, context, fault);
  }
  const limits = facts.granted ?? findRefusing(fault);
  const headers = factHeaders(facts, makeReader(ports.clock, surface), limits);
  // The path decides the form, because a surface's wildcard also matches paths with other error forms.
  const refusal = findSurface(path).refuse(nameForClient(fault, names), requestId);
  if (trace !== null && context === null) {
    const refused = { status: refusal.status, faultCode: fault.code, endMs: ports.deadlines.nowMs() };
    ports.traces.refuse({ trace, requestId, ...refused });
  }
  return createRefusalResponse(fault, refusal, headers);
}

/** A request before it is read. */
interface ArrivedRequest {
  readonly requestId: string;
  readonly held: HeldBody;
  readonly trace: TraceContext | null;
  readonly progress: Progress;
}

/** Reads a request: its key, size, JSON, and the surface's bounds, in this order. */
async function read<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  { request, identify }: SurfaceRequest,
  opened: ArrivedRequest,
) {
  const { held, progress } = opened;
  const startedMs = ports.clock.monotonicMs();
  const found = identify();
  const known = found instanceof Promise ? await found : found;
  progress.key = known.key;
  if (ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
  if (ports.gateway.open >= OPEN_REQUESTS_MAX) throw new Fault("overloaded", "Too many requests at once.");
  const owner = known.key.accountId;
  ports.turns.arrive(owner, startedMs);
  const keyId = known.key.keepsResponses ? known.key.id : null;
  const { bodyBytesMax: bytesMax } = ports.server;
  const rules = { owner, bytesMax, held, keyId, surface: surface.name, under: ports.snapshot() };
  const body = surface.body
    ? await readBody(request, ports, rules, surface.body)
    : await readHeldJson(request, ports, rules);
  const isSlow = ports.clock.monotonicMs() - startedMs > SLOW_BODY_MS;
  const { key, proof } = isSlow ? await identify() : known;
  const earlier = surface.findEarlier
    ? await findEarlier(ports, key, () => surface.findEarlier?.(body))
    : NO_EARLIER_ANSWER;
  const incoming = makeIncoming(ports, request, body, key, earlier);
  const exchange = ports.turns.time(owner, held.bytes, () => surface.read(incoming));
  progress.modelAsked = exchange.ask.model;
  const call = makeCall(ports, surface, { ...opened, request, exchange, key, proof, pin: earlier.pin });
  progress.selection = call.selection;
  return { call, exchange };
}

interface Streaming<F extends Form> {
  readonly client: ClientWatch;
  readonly context: RequestContext<F>;
  readonly exchange: Exchange<F>;
  readonly reader: Reader;
}

async function stream<F extends Form>(
  ports: HttpPorts,
  { client, context, exchange, reader }: Streaming<F>,
): Promise<Response> {
  const { call } = context;
  const { requestId, ending } = call;
  const writer = exchange.writer(() => makeStamp(ports, context));
  const bytes = exchange.bytes?.();
  const beforeEnd = async () => {
    if (exchange.keep && call.kept && writer.finish)
      await ports.kept.keep(call.key, exchange.keep(call.kept, writer.finish()));
  };
  const { body, early, first } = await startStream({
    answer: ports.gateway.stream(context),
    writer: bytes ?? writer,
    ...(exchange.keep ? { beforeEnd } : {}),
    requestId,
    deadlines: ports.deadlines,
    keepAliveMs: ports.server.keepAliveMs,
    client,
    onLeft: () => ending.end(),
    onFailure: (thrown) => logBug(ports, thrown),
  });
  const now = { ...reader, monotonicMs: ports.clock.monotonicMs() };
  const type = bytes?.readType(first) ?? exchange.streamType;
  return new Response(body, {
    headers: {
      ...STREAM_HEADERS,
      ...(type ? { "content-type": type } : {}),
      ...(early ? limitHeaders(context.granted, reader) : factHeaders(context, now)),
    },
  });
}

/** A request that was read. */
interface ReadRequest<F extends Form> extends Caller, ArrivedRequest {
  readonly request: Request;
  readonly exchange: Exchange<F>;
  readonly pin: Pin | null;
}

function makeCall<F extends Form>(
  ports: HttpPorts,
  { name: surface, operation, idPrefix }: Surface<F>,
  { request: { headers }, exchange, key, proof, pin, requestId, held, trace }: ReadRequest<F>,
): Call<F> {
  const { catalogue, upstreams, rules, billing, limits } = ports.snapshot();
  const { ask, session } = exchange;
  const seconds = headerNumber(headers, "x-poundkey-timeout", 0.001, TIMEOUT_SECONDS_MAX);
  const nowMs = ports.clock.nowMs();
  const named = readSelection(ask.model, key, catalogue, operation.name);
  const { selection, steering } = steerSelection(named, readSteering(headers));
  return {
    ...exchange,
    operation,
    surface,
    id: `${idPrefix}${mintOrderedId(ports.random, nowMs)}`,
    created: Math.floor(nowMs / 1000),
    requestId,
    origin: readRequestOrigin(ports, headers, session, { proof, trace }),
    key,
    proof,
    conversation: new Conversation(key.id, () => operation.conversations.name(ask, session)),
    prompt: new Prompt(
      key.id,
      (makeHasher) => operation.conversations.digest?.(ask, exchange.raw, makeHasher) ?? null,
    ),
    selection: pin ? pinSelection(selection, pin) : selection,
    steering,
    pin,
    usable: () => listCandidates(key, catalogue),
    idempotency: digestIdempotency(ports.vault, key.id, headers.get("idempotency-key"), operation, exchange),
    upstreams,
    rules,
    markup: billing.markup,
    mendsNamed: limits.mendsNamed,
    limitAtMs: seconds === null ? Number.POSITIVE_INFINITY : ports.clock.monotonicMs() + seconds * 1000,
    caching: readCaching(headers, key, selection, ports.cacheRules()),
    held,
    time: (work) => ports.turns.time(key.accountId, held.bytes, work),
    kept: exchange.kept ?? null,
    trace,
    ending: new Ending(),
  };
}
