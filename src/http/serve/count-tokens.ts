// Answers requests to count a prompt's tokens with an estimate.

import { Fault } from "../../core/fault.ts";
import type { Caller } from "../../core/keys/key.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { readJson } from "../body/body.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "./answers.ts";
import type { CountingLimit } from "./counting.ts";
import { makeIncoming } from "./incoming.ts";
import { readSelection } from "./selection.ts";

interface CountRequest {
  readonly request: Request;
  readonly identify: () => Caller | Promise<Caller>;
  readonly counting: CountingLimit;
}

export async function countTokens<F extends Form>(
  ports: HttpPorts,
  { operation, counting: surface }: Surface<F>,
  { request, identify, counting }: CountRequest,
): Promise<Response> {
  if (!surface) throw new Fault("not_found", "This API has no token counting.");
  const { key } = await identify();
  const end = counting.begin(key.id, ports.clock.monotonicMs());
  try {
    const body = await readJson(request, ports, {
      owner: key.accountId,
      bytesMax: ports.server.bodyBytesMax,
    });
    const ask = surface.read(makeIncoming(ports, request, body, key));
    readSelection(ask.model, key, ports.snapshot().catalogue);
    return createJsonResponse(200, surface.write(operation.estimatePrompt(ask)));
  } finally {
    end();
  }
}
