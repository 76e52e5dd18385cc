// Answers requests to count a prompt's tokens with an estimate.

import { Fault } from "../../core/fault.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { readJson } from "../body/body.ts";
import { makeIncoming } from "../conversations/earlier.ts";
import { placeFiles } from "../files/placed.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "./answers.ts";
import type { Arrival } from "./arrival.ts";
import { identify } from "./auth.ts";
import { readSelection } from "./selection.ts";

type CountedBody = Pick<Parameters<typeof placeFiles>[1], "family" | "key" | "body">;

/** Reads a body, with files in the places of their ids if it names any. */
async function readPlaced<Ask>(
  ports: HttpPorts,
  counted: CountedBody,
  read: (body: unknown) => Ask,
): Promise<Ask> {
  try {
    return read(counted.body);
  } catch (thrown) {
    const held = ports.bodies.reserve(counted.key.accountId, 0);
    try {
      return read(await placeFiles(ports, { ...counted, held, thrown }));
    } finally {
      held.release();
    }
  }
}

export async function countTokens<F extends Form>(
  ports: HttpPorts,
  { operation, family, counting: surface }: Surface<F>,
  arrival: Arrival,
): Promise<Response> {
  if (!surface) throw new Fault("not_found", "This API has no token counting.");
  const { request, counting } = arrival;
  const { key } = arrival.sender ?? (await identify(ports, arrival));
  const end = counting.begin(key.id, ports.clock.monotonicMs());
  try {
    const body = await readJson(request, ports, {
      owner: key.accountId,
      bytesMax: ports.server.bodyBytesMax,
    });
    const read = (given: unknown) => surface.read(makeIncoming(ports, request, given, key));
    const ask = await readPlaced(ports, { family, key, body }, read);
    readSelection(ask.model, key, ports.snapshot().catalogue);
    return createJsonResponse(200, surface.write(operation.estimatePrompt(ask)));
  } finally {
    end();
  }
}
