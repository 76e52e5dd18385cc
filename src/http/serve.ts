// The routes of all surfaces: from a request's bytes to the gateway and back, whole or streamed, in the surface's own form.
import { Elysia } from "elysia";
import { Fault, toFault } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import { type Call, type Facts, noFacts } from "../gateway/call.ts";
import { digestIdempotency } from "../gateway/idempotency.ts";
import { Conversation } from "../health/stickiness.ts";
import { nameConversation } from "../operations/chat/conversation.ts";
import { likelyPromptTokens } from "../operations/chat/estimate.ts";
import type { ChatReply, ChatRequest } from "../operations/chat/form.ts";
import type { Part } from "../operations/chat/run.ts";
import { type ChatSurface, SURFACES } from "../surfaces/index.ts";
import type { Counting, Exchange, Incoming, Stamp } from "../surfaces/surface.ts";
import { durationText, type HeaderMap, headerList, json, refusalAnswer, STREAM_HEADERS } from "./answers.ts";
import { IDLE_SECONDS, mintOrderedId, type Signing, signed } from "./app.ts";
import { bearerToken, findSecret } from "./auth.ts";
import { readJson } from "./body.ts";
import { CountingLimit } from "./counting.ts";
import { headerNumber } from "./headers.ts";
import { findPath } from "./paths.ts";
import type { HttpPorts } from "./ports.ts";
import { readSelection } from "./selection.ts";
import { streamAnswer } from "./stream.ts";

/** More requests at once than this are refused before they use up what the others need. */
const OPEN_REQUESTS_MAX = 20_000;
const TIMEOUT_SECONDS_MAX = 3600;
/** A body that took longer has its key looked up again: it may have been revoked meanwhile. */
const SLOW_BODY_MS = 500;
/** From then on a connection that waits for its answer is held open, whatever the server's limit says. */
const SILENT_MS = (IDLE_SECONDS * 1000) / 6;

/** The part of Bun's server that a long answer needs. */
interface Connections {
  timeout(request: Request, seconds: number): void;
}

type ChatExchange = Exchange<ChatRequest, Part, ChatReply>;

/** Every path of every surface. */
export function surfaceRoutes(ports: HttpPorts) {
  const counting = new CountingLimit();
  const app = new Elysia().use(bearerToken());
  for (const { path, surface } of SURFACES) {
    app.post(
      path,
      ({ request, bearer, server, set }) => {
        const identify = () => ports.authenticate(findSecret(bearer, request.headers));
        return serve(ports, { surface, request, identify, server, counting }, set);
      },
      { parse: "none" },
    );
  }
  return app;
}

/** A request at one surface. `identify` is asked again where the body took its time. */
export interface Visit {
  readonly surface: ChatSurface;
  readonly request: Request;
  readonly identify: () => Promise<GatewayKey>;
  readonly server: Connections | null;
  readonly counting: CountingLimit;
}

/** Answers in the surface's form, failures included. */
export async function serve(ports: HttpPorts, visit: Visit, set: Signing): Promise<Response> {
  const requestId = String(set.headers["x-request-id"]);
  const facts = noFacts();
  try {
    return signed(await answer(ports, visit, requestId, facts), set);
  } catch (thrown) {
    const fault = toFault(thrown);
    if (fault.code === "internal_error") throw thrown;
    if (facts.attempts === 0) ports.log({ event: "refused", request_id: requestId, fault: fault.code });
    facts.limits ??= fault.details.limits ?? null;
    return signed(refusalAnswer(fault, visit.surface.refuse(fault, requestId), factHeaders(facts)), set);
  }
}

async function answer(ports: HttpPorts, visit: Visit, requestId: string, facts: Facts): Promise<Response> {
  const { surface, request, identify, server } = visit;
  const startedMs = ports.clock.monotonicMs();
  const path = findPath(request.url);
  surface.checkPath?.(path);
  const known = await identify();
  if (surface.counting?.isCounting(path)) return count(ports, visit, known, surface.counting);
  if (ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
  if (ports.gateway.open >= OPEN_REQUESTS_MAX) throw new Fault("overloaded", "Too many requests at once.");
  const body = await readJson(request, ports, { owner: known.id, bytesMax: ports.server.bodyBytesMax });
  // A body may take its time, and the key may have been changed meanwhile.
  const isSlow = ports.clock.monotonicMs() - startedMs > SLOW_BODY_MS;
  const key = isSlow ? await identify() : known;
  const exchange = surface.read(makeIncoming(ports, request, body, key));
  const call = makeCall(ports, visit, exchange, key, requestId);
  const over = watched(ports, request, server, call.ending);
  if (call.request.stream === true) return streamed(ports, { visit, exchange, call, facts, over });
  try {
    const reply = await ports.gateway.complete(call, facts);
    return json(200, exchange.whole(reply, makeStamp(call, facts)), factHeaders(facts));
  } finally {
    over();
  }
}

function makeIncoming(
  ports: HttpPorts,
  { headers, url }: Request,
  body: unknown,
  { accountId }: GatewayKey,
): Incoming {
  return { url, headers, body, limits: ports.snapshot().limits, seal: ports.sealer(accountId) };
}

/** Answers with an estimate of the prompt's tokens. */
async function count(
  ports: HttpPorts,
  { request, counting }: Visit,
  key: GatewayKey,
  { read, write }: Counting<ChatRequest>,
): Promise<Response> {
  const end = counting.begin(key.id, ports.clock.monotonicMs());
  try {
    const body = await readJson(request, ports, { owner: key.id, bytesMax: ports.server.bodyBytesMax });
    const ask = read(makeIncoming(ports, request, body, key));
    readSelection(ask.model, key, ports.snapshot().catalogue);
    return json(200, write(likelyPromptTokens(ask)));
  } finally {
    end();
  }
}

/**
 * Ends the call when its client hangs up, and holds the client's connection open: a model may be silent for minutes, and
 * the gateway's own deadlines bound the wait. Call the function that it returns when the request is over.
 */
function watched(
  { deadlines }: HttpPorts,
  request: Request,
  server: Connections | null,
  ending: AbortController,
): () => void {
  const { signal } = request;
  const onGone = () => ending.abort();
  if (signal.aborted) onGone();
  else signal.addEventListener("abort", onGone, { once: true });
  let isKept = false;
  // Most answers come long before the connection's own limit: to lift and set it for each would cost 3 µs.
  const silence = deadlines.watch(deadlines.nowMs() + SILENT_MS, () => {
    isKept = true;
    server?.timeout(request, 0);
  });
  return () => {
    // A signal that somebody listens to outlives its request, until all of memory is gone through.
    signal.removeEventListener("abort", onGone);
    silence.clear();
    if (isKept) server?.timeout(request, IDLE_SECONDS);
  };
}

function makeCall(
  ports: HttpPorts,
  { surface, request }: Visit,
  { ask, raw, dropped, lost, isLimitRequired, searches, unreadBytes, session }: ChatExchange,
  key: GatewayKey,
  requestId: string,
): Call {
  const { catalogue, upstreams, rules, billing } = ports.snapshot();
  const seconds = headerNumber(request.headers, "x-poundkey-timeout", 0.001, TIMEOUT_SECONDS_MAX);
  const nowMs = ports.clock.nowMs();
  return {
    id: `${surface.idPrefix}${mintOrderedId(ports.random, nowMs)}`,
    created: Math.floor(nowMs / 1000),
    requestId,
    key,
    request: ask,
    raw,
    dropped,
    lost,
    isLimitRequired,
    searches,
    unreadBytes,
    conversation: new Conversation(key.id, () => nameConversation(ask, session)),
    selection: readSelection(ask.model, key, catalogue),
    idempotency: digestIdempotency(ports.vault, key.id, request.headers.get("idempotency-key"), ask),
    upstreams,
    rules,
    markup: billing.markup,
    timeoutMs: seconds === null ? null : seconds * 1000,
    quality: headerNumber(request.headers, "x-poundkey-quality", 0, 1),
    ending: new AbortController(),
  };
}

/** An answer that is given again is the same one. */
function makeStamp({ id, created, request }: Call, { replayed, model }: Facts): Stamp {
  return {
    ...(replayed ?? { id, created }),
    model: model ?? request.model,
    countPrompt: () => likelyPromptTokens(request),
  };
}

interface Streaming {
  readonly visit: Visit;
  readonly exchange: ChatExchange;
  readonly call: Call;
  readonly facts: Facts;
  readonly over: () => void;
}

async function streamed(
  ports: HttpPorts,
  { visit, exchange, call, facts, over }: Streaming,
): Promise<Response> {
  const answer = await streamAnswer({
    chunks: ports.gateway.stream(call, facts),
    writer: exchange.writer(() => makeStamp(call, facts)),
    requestId: call.requestId,
    deadlines: ports.deadlines,
    keepAliveMs: ports.server.keepAliveMs,
    client: visit.request.signal,
    onLeft: () => call.ending.abort(),
    onOver: over,
  });
  return new Response(answer.body, {
    headers: {
      ...STREAM_HEADERS,
      ...(exchange.streamType ? { "content-type": exchange.streamType } : {}),
      ...(answer.early ? limitHeaders(facts) : factHeaders(facts)),
    },
  });
}

function factHeaders(facts: Facts): HeaderMap {
  const headers = limitHeaders(facts);
  if (facts.model !== null) headers["x-poundkey-model"] = facts.model.replace(/[^\x20-\x7e]/g, "?");
  if (facts.attempts > 0) headers["x-poundkey-attempts"] = String(facts.attempts);
  if (facts.selector !== null) headers["x-poundkey-selector"] = facts.selector;
  if (facts.replayed !== null) headers["x-poundkey-replayed"] = "true";
  if (facts.dropped.length > 0) headers["x-poundkey-dropped"] = headerList(facts.dropped);
  return headers;
}

function limitHeaders({ limits }: Facts): HeaderMap {
  if (limits === null) return {};
  return {
    "x-ratelimit-limit-requests": String(limits.limit),
    "x-ratelimit-remaining-requests": String(limits.remaining),
    "x-ratelimit-reset-requests": durationText(limits.resetMs),
  };
}
