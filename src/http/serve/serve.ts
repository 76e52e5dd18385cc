// A request at a surface: from a request's bytes to the gateway and back, whole or streamed, in the surface's form.

import { Fault, toFault } from "../../core/fault.ts";
import type { Caller } from "../../core/keys/key.ts";
import { logBug } from "../../core/world/bug.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { type Form, joinLists } from "../../operations/form.ts";
import { Document, type Surface, type Writer } from "../../surfaces/surface.ts";
import { readGivenJson, readHeldJson } from "../body/body.ts";
import { readBody } from "../body/form-body.ts";
import { chooseCompaction } from "../conversations/compaction.ts";
import { type FoundEarlier, findEarlier, makeIncoming, NO_EARLIER_ANSWER } from "../conversations/earlier.ts";
import { pinHistory } from "../conversations/history.ts";
import { placeFiles } from "../files/placed.ts";
import type { HttpPorts } from "../ports.ts";
import type { ServePorts } from "../tools/loop/port.ts";
import { type HeaderMap, STREAM_HEADERS } from "./answers.ts";
import type { Arrival } from "./arrival.ts";
import { identify } from "./auth.ts";
import { ClientCall } from "./client-call.ts";
import { ClientWatch } from "./client-watch.ts";
import { countTokens } from "./count-tokens.ts";
import { factHeaders, limitHeaders, makeReader } from "./headers.ts";
import { BY_HTTP, type Outlet } from "./outlet.ts";
import type { Setups } from "./setups.ts";
import { AnswerStamp } from "./stamp.ts";
import { startStream } from "./stream.ts";

/** Further concurrent requests are refused, to keep resources for those that are running. */
const OPEN_REQUESTS_MAX = 20_000;
/** If the body took longer, the key is looked up again, because it may have been revoked or changed meanwhile. */
const SLOW_BODY_MS = 500;

/** Answers a request that came by HTTP. */
export function serve<F extends Form>(
  ports: ServePorts,
  surface: Surface<F>,
  setups: Setups<F>,
  arrival: Arrival,
): Promise<Response> {
  return answerRequest(ports, surface, setups, arrival, BY_HTTP);
}

/**
 * Answers in the surface's form, even if it fails. Reads the request first: its key, size, JSON, and the surface's bounds,
 * in this order.
 */
export async function answerRequest<F extends Form, Out>(
  ports: ServePorts,
  surface: Surface<F>,
  setups: Setups<F>,
  arrival: Arrival,
  outlet: Outlet<Out>,
): Promise<Out> {
  const { set } = arrival;
  let context: RequestContext<F> | null = null;
  let client: ClientWatch | null = null;
  try {
    nameRequest(surface, arrival);
    surface.checkPath?.(arrival.path);
    if (surface.counting?.isCounting(arrival.path))
      return outlet.pass(await countTokens(ports, surface, arrival), set);
    arrival.trace = ports.traces.begin(arrival.request.headers.get("traceparent"), arrival);
    const found = findSender(ports, arrival);
    const sender = found instanceof Promise ? await found : found;
    const body = await readRequestBody(ports, surface, arrival, sender);
    const isSlow = ports.clock.monotonicMs() - arrival.startedMs > SLOW_BODY_MS;
    const caller = isSlow ? await findSender(ports, arrival) : sender;
    const earlier = surface.findEarlier
      ? await findEarlier(ports, surface, caller.key, body)
      : NO_EARLIER_ANSWER;
    const own = ports.ownTools?.answer(surface, setups, arrival, caller, body, earlier);
    if (own) return outlet.pass(await own, set);
    const read = readPlaced(ports, surface, setups, arrival, caller, body, earlier);
    const call = read instanceof Promise ? await read : read;
    if (call.selection.kind === "selector") await ports.learned();
    context = ports.gateway.begin(call);
    client = new ClientWatch(ports, arrival, call.ending);
    if (call.ask.stream === true)
      return outlet.pass(await stream({ ports, surface, client, call, context }), set);
    const reply = await ports.gateway.complete(context);
    client.end();
    noteCut(context, call.exchange, reply);
    const answer = call.exchange.whole(reply, new AnswerStamp(ports, context));
    if (call.kept !== null && call.exchange.keep && !(answer instanceof Document))
      await ports.kept.keep(call.key, call.exchange.keep(call.kept.body, answer));
    return outlet.whole(ports, surface, context, answer, set);
  } catch (thrown) {
    client?.end();
    // Without a context, nothing was made of the body.
    if (context === null) arrival.held.discard();
    else arrival.held.release();
    const fault = toFault(thrown);
    if (fault.code === "internal_error") throw thrown;
    return outlet.refuse(ports, surface, arrival, context, fault);
  }
}

/** Names what the answer's limit has cut, where the answer itself can't say so. */
function noteCut<F extends Form>(
  context: RequestContext<F>,
  { findCut }: ClientCall<F>["exchange"],
  reply: F["reply"],
): void {
  if (findCut) context.dropped = joinLists(context.dropped, findCut(reply));
}

/** Anthropic's SDKs show `request-id` as `_request_id` and don't read the other header. */
function nameRequest<F extends Form>({ family }: Surface<F>, { set, requestId }: Arrival): void {
  if (family === "anthropic") set.headers["request-id"] = requestId;
}

/** Called again if the body was slow. */
function findSender(ports: HttpPorts, arrival: Arrival): Caller | Promise<Caller> {
  return arrival.sender ?? identify(ports, arrival);
}

function readRequestBody<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  arrival: Arrival,
  { key }: Caller,
): unknown | Promise<unknown> {
  arrival.key = key;
  checkRoom(ports);
  ports.turns.arrive(key.accountId, arrival.startedMs);
  const rules = {
    owner: key.accountId,
    bytesMax: ports.server.bodyBytesMax,
    held: arrival.held,
    // The lines of a batch go on from nothing: remembering them would only take memory.
    keyId: key.keepsResponses && arrival.line === null ? key.id : null,
    surface: surface.name,
    under: ports.snapshot(),
  };
  if (arrival.given !== null) return readGivenJson(arrival.given, ports, rules);
  return surface.body
    ? readBody(arrival.request, ports, rules, surface.body)
    : readHeldJson(arrival.request, ports, rules);
}

/** Throws the Faults of a gateway that takes no requests, or no more. */
export function checkRoom(ports: Pick<HttpPorts, "refusing" | "gateway">): void {
  if (ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
  if (ports.gateway.open >= OPEN_REQUESTS_MAX) throw new Fault("overloaded", "Too many requests at once.");
}

/** Reads a request, without a promise unless it names files by their ids, whose contents are then put in their places. */
export function readPlaced<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  setups: Setups<F>,
  arrival: Arrival,
  caller: Caller,
  body: unknown,
  earlier: FoundEarlier,
): ClientCall<F> | Promise<ClientCall<F>> {
  try {
    return readCall(ports, surface, setups, arrival, caller, body, earlier);
  } catch (thrown) {
    const { key } = caller;
    const refused = { family: surface.family, key, body, held: arrival.held, thrown };
    return placeFiles(ports, refused).then((placed) =>
      readCall(ports, surface, setups, arrival, caller, placed, earlier),
    );
  }
}

function readCall<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  setups: Setups<F>,
  arrival: Arrival,
  caller: Caller,
  body: unknown,
  earlier: FoundEarlier,
): ClientCall<F> {
  const { key } = caller;
  const { held } = arrival;
  const incoming = makeIncoming(ports, arrival.request, body, key, earlier);
  const given = ports.turns.time(key.accountId, held.bytes, surface.read, incoming);
  arrival.modelAsked = given.ask.model;
  const pin = given.history
    ? pinHistory(ports, given.history, setups.find(ports.snapshot(), given.ask.model, key).named, earlier.pin)
    : earlier.pin;
  const exchange = given.compact ? chooseCompaction(ports.snapshot(), setups, key, given, pin) : given;
  const setup = setups.find(ports.snapshot(), exchange.ask.model, key);
  if (arrival.line !== null && exchange.ask.stream === true) throw refuseLineStream();
  const call = new ClientCall(ports, surface, arrival, caller, exchange, setup, pin);
  arrival.selection = call.selection;
  arrival.names = call.names;
  return call;
}

function refuseLineStream(): Fault {
  const message = "Unsupported parameter: 'stream'. A line of a batch is answered as a whole.";
  return new Fault("unsupported_parameter", message, { param: "stream" });
}

/** A request whose answer is streamed. */
interface StreamedRequest<F extends Form> {
  readonly ports: HttpPorts;
  readonly surface: Surface<F>;
  readonly client: ClientWatch;
  readonly call: ClientCall<F>;
  readonly context: RequestContext<F>;
}

async function stream<F extends Form>(request: StreamedRequest<F>): Promise<Response> {
  const { ports, surface, client, call, context } = request;
  const { exchange, requestId, ending } = call;
  const writer = exchange.writer(() => new AnswerStamp(ports, context));
  const bytes = exchange.bytes?.();
  const reader = makeReader(ports.clock, surface);
  const { body, early, first } = await startStream({
    answer: ports.gateway.stream(context),
    writer: bytes ?? writer,
    ...(exchange.keep ? { beforeEnd: () => keepStreamed(request, writer) } : {}),
    requestId,
    deadlines: ports.deadlines,
    keepAliveMs: ports.server.keepAliveMs,
    client,
    onLeft: () => ending.end(),
    onFailure: (thrown) => logBug(ports, thrown),
  });
  const now = { ...reader, monotonicMs: ports.clock.monotonicMs() };
  const type = bytes?.readType(first) ?? exchange.streamType;
  const headers: HeaderMap = { ...STREAM_HEADERS };
  if (type) headers["content-type"] = type;
  return new Response(body, {
    headers: early
      ? limitHeaders(context.granted, reader, headers)
      : factHeaders(context, now, context.granted, headers),
  });
}

async function keepStreamed<F extends Form>(
  { ports, call }: StreamedRequest<F>,
  writer: Writer<F["piece"]>,
): Promise<void> {
  const { exchange, kept, key } = call;
  if (exchange.keep && kept && writer.finish)
    await ports.kept.keep(key, exchange.keep(kept.body, writer.finish()));
}
