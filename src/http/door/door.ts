// The one way in: whatever brought a request, it arrives, runs, and leaves by the outlet of what brought it.
import { toFault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { Form } from "../../operations/form.ts";
import { listPlainFields } from "../../surfaces/asked/constraints.ts";
import { hasFilePlaces } from "../../surfaces/files/places.ts";
import { Document, type Surface } from "../../surfaces/surface.ts";
import { findEarlier } from "../conversations/earlier.ts";
import { placeFiles } from "../files/placed.ts";
import type { Arrival } from "./arrival.ts";
import { findSender, isSlow, readArrived } from "./arrive.ts";
import type { ClientCall } from "./client-call.ts";
import type { ClientWatch } from "./client-watch.ts";
import { countTokens } from "./count-tokens.ts";
import { HttpOutlet, type Outlet } from "./outlet.ts";
import { makeKept, PlainRun, readCall } from "./plain-run.ts";
import type { Door, DoorPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { Setups } from "./setups.ts";

/** Opens a surface's door: of what a door may do, each request finds what this surface has. */
export function openDoor<F extends Form>(ports: DoorPorts, surface: Surface<F>): Door<F> {
  return {
    ports,
    surface,
    setups: new Setups(surface),
    plainFields: listPlainFields(surface),
    findEarlier:
      surface.findEarlier === undefined
        ? null
        : ({ turn }, key, body) =>
            turn === null ? findEarlier(ports, surface, key, body) : turn.findEarlier(ports, key),
    placeFiles: hasFilePlaces(surface.family)
      ? ({ held }, key, body) => placeFiles(ports, surface.family, key, body, held)
      : null,
    gatewayTools: (surface.gatewayTools && ports.gatewayTools) ?? null,
  };
}

type AnswerArrival = (arrival: Arrival) => Promise<Response>;

/** Returns what answers the requests that come to a surface by HTTP. */
export function openHttp<F extends Form>(ports: DoorPorts, surface: Surface<F>): AnswerArrival {
  const door = openDoor(ports, surface);
  const outlet = new HttpOutlet(ports, surface);
  const answer: AnswerArrival = (arrival) => answerRequest(door, arrival, outlet);
  return mindsPath(surface) ? (arrival) => answerByPath(door, outlet, arrival, answer) : answer;
}

/** True if a request's path says more than its surface. */
function mindsPath<F extends Form>({ checkPath, counting, family }: Surface<F>): boolean {
  return checkPath !== undefined || counting !== undefined || family === "anthropic";
}

/** Answers requests that only count tokens, and hands on the others. */
function answerByPath<F extends Form>(
  { ports, surface }: Door<F>,
  outlet: HttpOutlet<F>,
  arrival: Arrival,
  answer: AnswerArrival,
): Promise<Response> {
  const { path, set, requestId } = arrival;
  // Anthropic's SDKs show `request-id` as `_request_id` and don't read the other header.
  if (surface.family === "anthropic") set.headers["request-id"] = requestId;
  try {
    surface.checkPath?.(path);
  } catch (thrown) {
    return Promise.try(refuse, arrival, outlet, null, null, thrown);
  }
  return surface.counting?.isCounting(path) === true
    ? answerCount(ports, surface, arrival, outlet)
    : answer(arrival);
}

function answerCount<F extends Form>(
  ports: DoorPorts,
  surface: Surface<F>,
  arrival: Arrival,
  outlet: HttpOutlet<F>,
): Promise<Response> {
  return countTokens(ports, surface, arrival).then(
    (response) => outlet.pass(response, arrival),
    (thrown: unknown) => refuse(arrival, outlet, null, null, thrown),
  );
}

/**
 * Answers in the surface's form, even if it fails. Reads the request first: its key, size, JSON, and the surface's bounds,
 * in this order.
 */
export async function answerRequest<F extends Form, Out>(
  door: Door<F>,
  arrival: Arrival,
  outlet: Outlet<F, Out>,
): Promise<Out> {
  const { ports } = door;
  let run: Run<F> | null = null;
  let context: RequestContext<F> | null = null;
  let client: ClientWatch | null = null;
  try {
    const found = findSender(ports, arrival);
    const sender = found instanceof Promise ? await found : found;
    let body = await readArrived(door, arrival, sender);
    const caller = isSlow(ports, arrival) ? await findSender(ports, arrival) : sender;
    if (door.findEarlier !== null) arrival.earlier = await door.findEarlier(arrival, caller.key, body);
    if (door.placeFiles !== null && arrival.held.mayNameFiles) {
      const placing = door.placeFiles(arrival, caller.key, body);
      body = placing instanceof Promise ? await placing : placing;
    }
    run =
      door.gatewayTools?.open(door, arrival, caller, body) ??
      new PlainRun(ports, readCall(door, arrival, caller, body));
    client = outlet.watch?.(arrival, run.ending) ?? null;
    if (arrival.turn?.isWarmUp === true) return await outlet.warmUp(run);
    const begun = run.begin();
    context = begun instanceof Promise ? await begun : begun;
    if (run.call.ask.stream === true) return await outlet.stream(arrival, run, context, client);
    const reply = await run.ask(context);
    client?.end();
    const answer = run.write(context, reply);
    if (door.findEarlier !== null) await keepWhole(ports, run.call, answer);
    return outlet.whole(arrival, run.facts ?? context, answer);
  } catch (thrown) {
    client?.end();
    return refuse(arrival, outlet, run, context, thrown);
  }
}

function refuse<F extends Form, Out>(
  arrival: Arrival,
  outlet: Outlet<F, Out>,
  run: Run<F> | null,
  context: RequestContext<F> | null,
  thrown: unknown,
): Out {
  // Without a context, nothing was made of the body.
  if (context === null) arrival.held.discard();
  run?.close();
  const fault = toFault(thrown);
  if (fault.code === "internal_error" && !outlet.tellsBugs) throw thrown;
  return outlet.refuse(arrival, context, fault);
}

async function keepWhole<F extends Form>(
  { kept }: DoorPorts,
  call: ClientCall<F>,
  answer: JsonObject | Document,
): Promise<void> {
  const exchange = answer instanceof Document ? null : makeKept(call, answer);
  if (exchange !== null) await kept.keep(call.key, exchange);
}
