// POST /v1/chat/completions: from the request's bytes to the gateway and back, whole or streamed.
import { Elysia } from "elysia";
import { Fault, faultOf } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { GatewayKey } from "../core/key.ts";
import { type Call, type Facts, noFacts } from "../gateway/call.ts";
import { idempotencyOf } from "../gateway/idempotency.ts";
import { offersFunctions, withFunctionCall } from "../surfaces/openai-chat/function-call.ts";
import { chatRequestOf } from "../surfaces/openai-chat/read.ts";
import { durationText, faultAnswer, type HeaderMap, headerList, json, STREAM_HEADERS } from "./answers.ts";
import { IDLE_SECONDS, mintOrderedId, type Signing, signed } from "./app.ts";
import { bearerToken, secretOf } from "./auth.ts";
import { readJson } from "./body.ts";
import { headerNumber } from "./headers.ts";
import type { HttpPorts } from "./ports.ts";
import { selectionOf } from "./selection.ts";
import { type Stamp, streamAnswer } from "./stream.ts";

/** More requests at once than this are refused before they use up what the others need. */
const OPEN_REQUESTS_MAX = 20_000;
const TIMEOUT_SECONDS_MAX = 3600;
/** For so long the store's own word on a key is believed anyway. */
const SLOW_BODY_MS = 500;
/** From then on a connection that waits for its answer is held open, whatever the server's limit says. */
const SILENT_MS = (IDLE_SECONDS * 1000) / 6;

/** The part of Bun's server that a long answer needs. */
interface Connections {
  timeout(request: Request, seconds: number): void;
}

export function chatRoutes(ports: HttpPorts) {
  return new Elysia()
    .use(bearerToken())
    .post(
      "/v1/chat/completions",
      ({ request, bearer, server, set }) => chat(ports, request, byBearer(ports, bearer), server, set),
      { parse: "none" },
    )
    .post(
      "/chat/completions",
      ({ request, bearer, server, set }) => chat(ports, request, byBearer(ports, bearer), server, set),
      { parse: "none" },
    );
}

type Identify = () => Promise<GatewayKey>;

function byBearer(ports: HttpPorts, bearer: string | undefined): Identify {
  return () => ports.authenticate(secretOf(bearer));
}

/** Answers with a chat completion, as the key that `identify` gives: it is asked again where the body took its time. */
export async function chat(
  ports: HttpPorts,
  request: Request,
  identify: Identify,
  server: Connections | null,
  set: Signing,
): Promise<Response> {
  const requestId = String(set.headers["x-request-id"]);
  const facts = noFacts();
  try {
    return signed(await answered(ports, request, identify, server, requestId, facts), set);
  } catch (thrown) {
    const fault = faultOf(thrown);
    if (fault.code === "internal_error") throw thrown;
    if (facts.attempts === 0) ports.log({ event: "refused", request_id: requestId, fault: fault.code });
    facts.limits ??= fault.details.limits ?? null;
    return signed(faultAnswer(fault, factHeaders(facts)), set);
  }
}

async function answered(
  ports: HttpPorts,
  request: Request,
  identify: Identify,
  server: Connections | null,
  requestId: string,
  facts: Facts,
): Promise<Response> {
  const startedMs = ports.clock.monotonicMs();
  const known = await identify();
  if (ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
  if (ports.gateway.open >= OPEN_REQUESTS_MAX) throw new Fault("overloaded", "Too many requests at once.");
  const body = await readJson(request, ports, { owner: known.id, bytesMax: ports.server.bodyBytesMax });
  // A body may take its time, and the key may have been changed meanwhile.
  const isSlow = ports.clock.monotonicMs() - startedMs > SLOW_BODY_MS;
  const key = isSlow ? await identify() : known;
  const call = callOf(ports, request, body, key, requestId);
  const over = watched(ports, request, server, call.ending);
  const isOldForm = offersFunctions(body);
  if (call.request.stream === true) return streamed(ports, call, facts, request.signal, over, isOldForm);
  try {
    const reply = await ports.gateway.complete(call, facts);
    return wholeAnswer(call, facts, isOldForm ? withFunctionCall(reply) : reply);
  } finally {
    over();
  }
}

/**
 * Ends the call when its client hangs up, and holds the client's connection open: a model may be silent for minutes, and
 * the gateway's own deadlines bound the wait. What it returns is to be called when all is over.
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

function callOf(ports: HttpPorts, request: Request, body: unknown, key: GatewayKey, requestId: string): Call {
  const { catalogue, upstreams, limits, rules, billing } = ports.snapshot();
  const chatRequest = chatRequestOf(body, limits);
  const seconds = headerNumber(request.headers, "x-poundkey-timeout", 0.001, TIMEOUT_SECONDS_MAX);
  const nowMs = ports.clock.nowMs();
  return {
    id: `chatcmpl-${mintOrderedId(ports.random, nowMs)}`,
    created: Math.floor(nowMs / 1000),
    requestId,
    key,
    request: chatRequest,
    selection: selectionOf(chatRequest.model, key, catalogue),
    idempotency: idempotencyOf(ports.vault, key.id, request.headers.get("idempotency-key"), chatRequest),
    upstreams,
    rules,
    markup: billing.markup,
    timeoutMs: seconds === null ? null : seconds * 1000,
    quality: headerNumber(request.headers, "x-poundkey-quality", 0, 1),
    ending: new AbortController(),
  };
}

function wholeAnswer(call: Call, facts: Facts, reply: JsonObject): Response {
  const head = { ...stampOf(call, facts), object: "chat.completion", model: facts.model };
  // Twice: first for the order in which people read it, last so that no upstream's field stands in its place.
  return json(200, { ...head, ...reply, ...head }, factHeaders(facts));
}

/** A completion that is given again is the same one. */
function stampOf({ id, created }: Call, { replayed }: Facts): Pick<Stamp, "id" | "created"> {
  return replayed ?? { id, created };
}

async function streamed(
  ports: HttpPorts,
  call: Call,
  facts: Facts,
  client: AbortSignal,
  over: () => void,
  isOldForm: boolean,
): Promise<Response> {
  const chunks = ports.gateway.stream(call, facts);
  const usage = call.request.stream_options?.include_usage === true;
  const answer = await streamAnswer({
    chunks,
    deadlines: ports.deadlines,
    keepAliveMs: ports.server.keepAliveMs,
    includeUsage: usage,
    offersFunctions: isOldForm,
    stamp: () => ({
      ...stampOf(call, facts),
      object: "chat.completion.chunk",
      model: facts.model ?? call.request.model,
    }),
    client,
    onLeft: () => call.ending.abort(),
    onOver: over,
  });
  return new Response(answer.body, {
    headers: {
      ...STREAM_HEADERS,
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
