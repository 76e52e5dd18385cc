// The arrival of a request: its sender, room for it, and its body.
import { Fault } from "../../core/faults/fault.ts";
import type { Caller, GatewayKey } from "../../core/keys/key.ts";
import type { Form } from "../../operations/form.ts";
import { readGivenJson, readHeldJson } from "../body/body.ts";
import { readBody } from "../body/form-body.ts";
import type { HttpPorts } from "../ports.ts";
import { identifyCaller } from "../serve/auth.ts";
import type { Arrival, TurnMark } from "./arrival.ts";
import type { Door } from "./ports.ts";

/** Further concurrent requests are refused, to keep resources for those that are running. */
const OPEN_REQUESTS_MAX = 20_000;
/** If the body took longer, the key is looked up again, because it may have been revoked or changed meanwhile. */
const SLOW_BODY_MS = 500;

/** Called again if the body was slow. */
export function findSender(ports: HttpPorts, arrival: Arrival): Caller | Promise<Caller> {
  arrival.trace ??= ports.traces.begin(arrival.request.headers.get("traceparent"), arrival);
  return arrival.sender ?? identifyCaller(ports, arrival);
}

export function isSlow({ clock }: HttpPorts, { startedMs, turn }: Arrival): boolean {
  return turn === null && clock.monotonicMs() - startedMs > SLOW_BODY_MS;
}

/** Returns the body. Throws the Faults of a sender that may not send it, and of one that isn't within the bounds. */
export function readArrived<F extends Form>(
  { ports, surface }: Door<F>,
  arrival: Arrival,
  { key }: Caller,
): unknown | Promise<unknown> {
  arrival.key = key;
  if (arrival.turn !== null) return readTurn(ports, arrival.turn, key);
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

/** The frame of a turn has been read already. */
function readTurn(ports: HttpPorts, turn: TurnMark, key: GatewayKey): unknown {
  turn.check(key);
  checkRoom(ports);
  return turn.body;
}

/** Throws the Faults of a gateway that takes no requests, or no more. */
export function checkRoom(ports: Pick<HttpPorts, "refusing" | "gateway">): void {
  if (ports.refusing()) throw new Fault("shutting_down", "The gateway is shutting down.");
  if (ports.gateway.open >= OPEN_REQUESTS_MAX) throw new Fault("overloaded", "Too many requests at once.");
}
