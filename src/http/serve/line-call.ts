// A line of a batch: the same request as one by HTTP, through the same door, without a connection.
import type { LineTerms } from "../../core/demand.ts";
import type { Fault } from "../../core/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { LineMark } from "../../gateway/call.ts";
import type { Form } from "../../operations/form.ts";
import { SURFACES } from "../../surfaces/index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import { Arrival } from "./arrival.ts";
import { CountingLimit } from "./counting.ts";
import { serve } from "./serve.ts";
import { Setups } from "./setups.ts";

export interface LineCall {
  readonly key: GatewayKey;
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly terms: LineTerms;
  /** From 1. */
  readonly line: number;
  readonly customId: string;
  readonly waitsFor: (fault: Fault) => boolean;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

export interface LineResult {
  readonly requestId: string;
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** Null for an answer. */
  readonly fault: Fault | null;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

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
    const response = await this.#findAnswer(path)(arrival);
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
