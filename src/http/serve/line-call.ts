// A line of a batch: the same request as one by HTTP, through the same door, without a connection.
import { errorBody, toFault } from "../../core/fault.ts";
import { NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { LineMark } from "../../gateway/call.ts";
import type { LineCall, LineResult } from "../../jobs/ports.ts";
import type { Form } from "../../operations/form.ts";
import { SURFACES } from "../../surfaces/index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import { Arrival } from "./arrival.ts";
import { CountingLimit } from "./counting.ts";
import { serve } from "./serve.ts";
import { Setups } from "./setups.ts";

/** Answers lines. The settings of models are kept from line to line, as a route keeps them. */
export class LineCaller {
  readonly #ports: HttpPorts;
  readonly #counting = new CountingLimit();
  readonly #answers = new Map<string, (arrival: Arrival) => Promise<Response>>();

  constructor(ports: HttpPorts) {
    this.#ports = ports;
  }

  async call(call: LineCall): Promise<LineResult> {
    const { key, path, terms, line, customId, waitsFor } = call;
    const requestId = `req_${mintOrderedId(this.#ports.random, this.#ports.clock.nowMs())}`;
    const mark: LineMark = { terms, line, customId, waitsFor, fault: null };
    const own = { route: path, counting: this.#counting, sender: { key, proof: null }, line: mark };
    const request = makeRequest(call);
    const set = { headers: { "x-request-id": requestId } };
    const arrival = new Arrival(this.#ports, request, null, set, own);
    const response = await this.#findAnswer(path)(arrival).catch(explainThrown);
    if (!(response instanceof Response)) return { requestId, ...response };
    const body = await response.text();
    return {
      requestId,
      status: response.status,
      body,
      fault: mark.fault,
      costNanoUsd: readNanoUsd(response.headers, "x-poundkey-cost"),
      chargedNanoUsd: readNanoUsd(response.headers, "x-poundkey-charged"),
    };
  }

  #findAnswer(path: string): (arrival: Arrival) => Promise<Response> {
    return this.#answers.getOrInsertComputed(path, () => {
      const found = SURFACES.find((one) => one.path === path);
      if (found === undefined) throw new Error(`No surface serves ${path}.`);
      return found.surface.use(<F extends Form>(surface: Surface<F>) => {
        const setups = new Setups(surface);
        return (arrival: Arrival) => serve(this.#ports, surface, setups, arrival);
      });
    });
  }
}

/** A bug here ends the line as it would end a request. */
function explainThrown(thrown: unknown): Omit<LineResult, "requestId"> {
  const fault = toFault(thrown);
  const body = JSON.stringify(errorBody(fault));
  return { status: fault.row.status, body, fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}

function makeRequest({ path, headers, body, signal }: LineCall): Request {
  return new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
    signal,
  });
}

function readNanoUsd(headers: Headers, name: string): NanoUsd {
  return Math.round(Number(headers.get(name) ?? 0) * NANO_PER_USD);
}
