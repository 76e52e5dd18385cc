// Answers requests to count a prompt's tokens with an estimate.

import { Fault } from "../../core/faults/fault.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { readJson } from "../body/body.ts";
import { findEarlier, makeIncoming, NO_EARLIER_ANSWER } from "../conversations/earlier.ts";
import type { Arrival } from "../door/arrival.ts";
import type { DoorPorts } from "../door/ports.ts";
import { placeFiles } from "../files/placed.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { identifyCaller } from "../serve/auth.ts";
import { openConstraints } from "./constraints.ts";
import { readSelection } from "./selection.ts";

export async function countTokens<F extends Form>(
  ports: DoorPorts,
  surface: Surface<F>,
  arrival: Arrival,
): Promise<Response> {
  const { operation, family, counting: counted } = surface;
  if (!counted) throw new Fault("not_found", "This API has no token counting.");
  const { request, counting } = arrival;
  const caller = arrival.sender ?? (await identifyCaller(ports, arrival));
  const { key } = caller;
  const end = counting.begin(key.id, ports.clock.monotonicMs());
  // The memory of files that it names.
  const held = ports.bodies.reserve(key.accountId, 0);
  try {
    const body = await readJson(request, ports, {
      owner: key.accountId,
      bytesMax: ports.server.bodyBytesMax,
    });
    const placed = await placeFiles(ports, family, key, body, held);
    const filling = ports.gatewayTools?.fill(surface, arrival, caller, placed);
    const filled = filling ? await filling : placed;
    const earlier = surface.findEarlier ? await findEarlier(ports, surface, key, body) : NO_EARLIER_ANSWER;
    const incoming = makeIncoming(ports, request, filled, key, earlier);
    const asked = openConstraints({ ports, surface, arrival, key }, filled);
    const read = () => counted.read(incoming);
    const ask = asked ? asked.read(read) : read();
    const named = readSelection(ask.model, key, ports.snapshot().catalogue);
    asked?.checkSpelling(named);
    const tokens = operation.estimatePrompt(ask) + (earlier.stored?.tokens ?? 0);
    return createJsonResponse(200, counted.write(tokens));
  } finally {
    held.release();
    end();
  }
}
