// A request that the gateway sends to itself: admitted, held, logged and settled as any client's.

import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { SURFACES } from "../../surfaces/index.ts";
import { Arrival } from "../door/arrival.ts";
import { CountingLimit } from "../door/counting.ts";
import { openHttp } from "../door/door.ts";
import type { HttpPorts } from "../ports.ts";

interface SelfCall {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The beginning of its request id, by which the log tells it from clients'. */
  readonly idPrefix: string;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

interface SelfCallAnswer {
  readonly requestId: string;
  readonly status: number;
  readonly body: JsonObject;
}

/** A fault is an answer too. */
export async function sendSelfCall(
  ports: HttpPorts,
  key: GatewayKey,
  { path, body, headers, idPrefix, signal }: SelfCall,
): Promise<SelfCallAnswer> {
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const requestId = `${idPrefix}_${mintOrderedId(ports.random, ports.clock.nowMs())}`;
  const set = { headers: { "x-request-id": requestId } };
  const found = SURFACES.find((one) => one.path === path);
  if (found === undefined) throw new Error(`No surface serves ${path}.`);
  const own = { route: path, counting: new CountingLimit(), sender: { key, proof: null } };
  const arrival = new Arrival(ports, request, null, set, own);
  const response = await found.surface.use((surface) => openHttp(ports, surface)(arrival));
  return { requestId, status: response.status, body: asObject(parseReceived(await response.text())) };
}
