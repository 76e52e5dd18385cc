// The one way in: whatever brought a request, it arrives, runs, and leaves by the outlet of what brought it.
import { toFault } from "../../core/fault.ts";
import type { Form } from "../../operations/form.ts";
import { hasFilePlaces } from "../../surfaces/files/places.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { findEarlier } from "../conversations/earlier.ts";
import { placeFiles } from "../files/placed.ts";
import type { Arrival } from "./arrival.ts";
import { findSender, hasWaitedLong, readArrived } from "./arrive.ts";
import type { ClientWatch } from "./client-watch.ts";
import { countTokens } from "./count-tokens.ts";
import { HttpOutlet, type Outlet } from "./outlet.ts";
import { makeRun, writeWhole } from "./plain-run.ts";
import type { Door, DoorPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { Setups } from "./setups.ts";

/** Opens a surface's door: of what a door may do, each request finds what this surface has. */
export function openDoor<F extends Form>(ports: DoorPorts, surface: Surface<F>): Door<F> {
  const { counting } = surface;
  return {
    ports,
    surface,
    setups: new Setups(surface),
    countTokens:
      counting === undefined
        ? null
        : (arrival) => (counting.isCounting(arrival.path) ? countTokens(ports, surface, arrival) : null),
    findEarlier:
      surface.findEarlier === undefined
        ? null
        : ({ turn }, key, body) =>
            turn === null ? findEarlier(ports, surface, key, body) : turn.findEarlier(ports, key),
    placeFiles: hasFilePlaces(surface.family) ? placeFiles : null,
    ownTools: (surface.ownTools && ports.ownTools) ?? null,
  };
}

/** Returns what answers the requests that come to a surface by HTTP. */
export function openHttp<F extends Form>(
  ports: DoorPorts,
  surface: Surface<F>,
): (arrival: Arrival) => Promise<Response> {
  const door = openDoor(ports, surface);
  const outlet = new HttpOutlet(ports, surface);
  return (arrival) => answerRequest(door, arrival, outlet);
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
  const { ports, surface } = door;
  let run: Run<F> | null = null;
  let client: ClientWatch | null = null;
  try {
    nameRequest(surface, arrival);
    const counting = door.countTokens?.(arrival) ?? null;
    if (counting !== null) return outlet.pass(await counting, arrival);
    const found = findSender(ports, arrival);
    const sender = found instanceof Promise ? await found : found;
    const body = await readArrived(door, arrival, sender);
    const caller = hasWaitedLong(ports, arrival) ? await findSender(ports, arrival) : sender;
    if (door.findEarlier !== null) arrival.earlier = await door.findEarlier(arrival, caller.key, body);
    const placing = door.placeFiles?.(ports, surface.family, caller.key, body, arrival.held) ?? body;
    const placed = placing instanceof Promise ? await placing : placing;
    run = makeRun(door, arrival, caller, placed);
    client = outlet.watch(arrival, run.ending);
    const beginning = arrival.turn?.isWarmUp === true ? run.warmUp() : run.begin();
    if (beginning !== null) await beginning;
    if (run.call.ask.stream === true) return await outlet.stream(arrival, run, client);
    const reply = await run.ask();
    client?.end();
    const written = writeWhole(ports, run, reply);
    const answer = written instanceof Promise ? await written : written;
    run.close();
    return outlet.whole(arrival, run.facts, answer);
  } catch (thrown) {
    client?.end();
    return refuse(arrival, outlet, run, thrown);
  }
}

function refuse<F extends Form, Out>(
  arrival: Arrival,
  outlet: Outlet<F, Out>,
  run: Run<F> | null,
  thrown: unknown,
): Out {
  const context = run?.context ?? null;
  // Without a context, nothing was made of the body.
  if (context === null) arrival.held.discard();
  run?.close();
  const fault = toFault(thrown);
  if (fault.code === "internal_error" && !outlet.tellsBugs) throw thrown;
  return outlet.refuse(arrival, context, fault);
}

/** Anthropic's SDKs show `request-id` as `_request_id` and don't read the other header. */
function nameRequest<F extends Form>(surface: Surface<F>, { set, requestId, path }: Arrival): void {
  if (surface.family === "anthropic") set.headers["request-id"] = requestId;
  surface.checkPath?.(path);
}
