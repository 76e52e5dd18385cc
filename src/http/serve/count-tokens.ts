// Answers requests to count a prompt's tokens with an estimate.

import { Fault } from "../../core/fault.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { readJson } from "../body/body.ts";
import { findEarlier, makeIncoming, NO_EARLIER_ANSWER } from "../conversations/earlier.ts";
import { placeNamed } from "../files/placed.ts";
import type { ServePorts } from "../tools/loop/port.ts";
import { createJsonResponse } from "./answers.ts";
import type { Arrival } from "./arrival.ts";
import { identify } from "./auth.ts";
import { readSelection } from "./selection.ts";

export async function countTokens<F extends Form>(
  ports: ServePorts,
  surface: Surface<F>,
  arrival: Arrival,
): Promise<Response> {
  const { operation, family, counting: counted } = surface;
  if (!counted) throw new Fault("not_found", "This API has no token counting.");
  const { request, counting } = arrival;
  const caller = arrival.sender ?? (await identify(ports, arrival));
  const { key } = caller;
  const end = counting.begin(key.id, ports.clock.monotonicMs());
  // The memory of files that it names.
  const held = ports.bodies.reserve(key.accountId, 0);
  try {
    const body = await readJson(request, ports, {
      owner: key.accountId,
      bytesMax: ports.server.bodyBytesMax,
    });
    const named = await placeNamed(ports, { family, key, body, held });
    const filling = ports.ownTools?.fill(surface, arrival, caller, named ?? body);
    const filled = filling ? await filling : (named ?? body);
    const earlier = surface.findEarlier ? await findEarlier(ports, surface, key, body) : NO_EARLIER_ANSWER;
    const ask = counted.read(makeIncoming(ports, request, filled, key, earlier));
    readSelection(ask.model, key, ports.snapshot().catalogue);
    const tokens = operation.estimatePrompt(ask) + (earlier.stored?.tokens ?? 0);
    return createJsonResponse(200, counted.write(tokens));
  } finally {
    held.release();
    end();
  }
}
