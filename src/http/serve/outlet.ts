// The ways in which the answers of a surface leave: by HTTP, or as the results of a batch's lines.
import type { Fault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
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
} from "./answers.ts";
import { addHeaders, type HeaderStore, joinHeaders } from "./app.ts";
import type { Arrival } from "./arrival.ts";
import { factHeaders, findRefusing, makeReader } from "./headers.ts";
import { logRefusal, nameForClient } from "./refused.ts";

export interface Outlet<Out> {
  /** A whole answer in the surface's form. */
  whole<F extends Form>(
    ports: HttpPorts,
    surface: Surface<F>,
    context: RequestContext<F>,
    answer: JsonObject | Document,
    set: HeaderStore,
  ): Out;
  /** `context` is null if the request was refused before it had a plan. */
  refuse<F extends Form>(
    ports: HttpPorts,
    surface: Surface<F>,
    arrival: Arrival,
    context: RequestContext<F> | null,
    fault: Fault,
  ): Out;
  /** An answer that is a response already: a stream, or a count of tokens. */
  pass(response: Response, set: HeaderStore): Out;
}

export const BY_HTTP: Outlet<Response> = {
  whole({ clock }, surface, context, answer, set) {
    const headers = joinHeaders(factHeaders(context, makeReader(clock, surface)), set);
    return answer instanceof Document
      ? createDocumentResponse(answer, headers)
      : createAnswerResponse(JSON.stringify(answer), headers);
  },
  refuse(ports, surface, arrival, context, fault) {
    const { refusal, headers } = noteRefusal(ports, surface, arrival, context, fault);
    return addHeaders(createRefusalResponse(fault, refusal, headers), arrival.set);
  },
  pass: addHeaders,
};

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
  const refusal = findSurface(path).refuse(nameForClient(fault, names), requestId);
  if (trace !== null && context === null) {
    const refused = { status: refusal.status, faultCode: fault.code, endMs: ports.deadlines.nowMs() };
    ports.traces.refuse({ trace, requestId, ...refused });
  }
  return { refusal, headers };
}
