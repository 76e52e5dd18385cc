// The way out of a door: answers leave by HTTP here, as frames of a socket or as the results of a batch's lines elsewhere.
import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { WrittenAnswer } from "../../gateway/answer/flow.ts";
import { type Facts, NO_FACTS } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { Form } from "../../operations/form.ts";
import { findSurface } from "../../surfaces/index.ts";
import { Document, type Refusal, type Surface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import {
  createAnswerResponse,
  createDocumentResponse,
  createRefusalResponse,
  type HeaderMap,
  STREAM_HEADERS,
} from "../serve/answers.ts";
import { addHeaders, joinHeaders } from "../serve/app.ts";
import { factHeaders, findRefusing, limitHeaders, makeReader } from "../serve/headers.ts";
import type { Arrival } from "./arrival.ts";
import type { ClientCall } from "./client-call.ts";
import { ClientWatch } from "./client-watch.ts";
import { makeKept } from "./plain-run.ts";
import { explainRejected, logRefusal, nameForClient } from "./refused.ts";
import type { Run } from "./run.ts";
import { startStream } from "./stream.ts";

/** Takes the answers of one surface. */
export interface Outlet<F extends Form, Out> {
  /** True if it answers a bug as any other failure. Otherwise a bug is thrown on. */
  readonly tellsBugs?: true;
  /** Has a request that runs end with what brought it. Missing if that sees to it by itself. */
  watch?(arrival: Arrival, ending: Ending): ClientWatch | null;
  /** A whole answer in the surface's form. */
  whole(arrival: Arrival, facts: Facts, answer: JsonObject | Document): Out;
  /** An answer as it comes. Rejects with the Fault of one that fails before it has begun. */
  stream(arrival: Arrival, run: Run<F>, context: RequestContext<F>, client: ClientWatch | null): Promise<Out>;
  /** The answer to a turn that asks nobody. */
  warmUp(run: Run<F>): Promise<Out>;
  /** `context` is null if the request was refused before it had a plan. */
  refuse(arrival: Arrival, context: RequestContext<F> | null, fault: Fault): Out;
}

export class HttpOutlet<F extends Form> implements Outlet<F, Response> {
  readonly #ports: HttpPorts;
  readonly #surface: Surface<F>;

  constructor(ports: HttpPorts, surface: Surface<F>) {
    this.#ports = ports;
    this.#surface = surface;
  }

  watch(arrival: Arrival, ending: Ending): ClientWatch {
    return new ClientWatch(this.#ports, arrival, ending);
  }

  whole({ set }: Arrival, facts: Facts, answer: JsonObject | Document): Response {
    const headers = joinHeaders(factHeaders(facts, makeReader(this.#ports.clock, this.#surface)), set);
    return answer instanceof Document
      ? createDocumentResponse(answer, headers)
      : createAnswerResponse(JSON.stringify(answer), headers);
  }

  async stream(
    { requestId, set }: Arrival,
    run: Run<F>,
    context: RequestContext<F>,
    client: ClientWatch | null,
  ): Promise<Response> {
    const answer = run.stream(context);
    const { body, early } = await startStream({
      ports: this.#ports,
      answer,
      beforeEnd: run.call.exchange.keep ? () => this.#keep(run.call, answer) : null,
      requestId,
      client,
      ending: run.ending,
    });
    const reader = makeReader(this.#ports.clock, this.#surface);
    const headers: HeaderMap = { ...STREAM_HEADERS };
    if (answer.type) headers["content-type"] = answer.type;
    const told = early
      ? limitHeaders(context.granted, reader, headers)
      : factHeaders(context, reader, context.granted, headers);
    return addHeaders(new Response(body, { headers: told }), set);
  }

  async #keep(call: ClientCall<F>, answer: WrittenAnswer): Promise<void> {
    const kept = makeKept(call, answer.finish());
    if (kept !== null) await this.#ports.kept.keep(call.key, kept);
  }

  warmUp(): never {
    throw new Error("Only turns of a connection ask nobody.");
  }

  refuse(arrival: Arrival, context: RequestContext<F> | null, fault: Fault): Response {
    const { refusal, headers } = noteRefusal(this.#ports, this.#surface, arrival, context, fault);
    return addHeaders(createRefusalResponse(fault, refusal, headers), arrival.set);
  }

  /** Returns an answer that is a response already: a count of tokens. */
  pass(response: Response, { set }: Arrival): Response {
    return addHeaders(response, set);
  }
}

/** Writes a refusal down, and returns it in the form of the path's surface. */
export function noteRefusal<F extends Form>(
  ports: HttpPorts,
  surface: Surface<F>,
  arrival: Arrival,
  context: RequestContext<F> | null,
  fault: Fault,
): { readonly refusal: Refusal; readonly headers: HeaderMap } {
  const { path, requestId, trace, names, line } = arrival;
  const facts: Facts = context ?? NO_FACTS;
  const isRefusal = facts.attempts === 0 && line?.waitsFor(fault) !== true;
  if (isRefusal) logRefusal(ports, arrival, surface, context, fault);
  const limits = facts.granted ?? findRefusing(fault);
  const headers = factHeaders(facts, makeReader(ports.clock, surface), limits);
  // The path decides the form, because a surface's wildcard also matches paths with other error forms.
  const named = nameForClient(explainRejected(fault, surface, context), names);
  const refusal = findSurface(path).refuse(named, requestId);
  if (trace !== null && context === null) {
    const refused = { status: refusal.status, faultCode: fault.code, endMs: ports.deadlines.nowMs() };
    ports.traces.refuse({ trace, requestId, ...refused });
  }
  return { refusal, headers };
}
