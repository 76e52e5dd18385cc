// The answers of lines: a status and a text, without a response by HTTP.

import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Ending } from "../../core/world/ending.ts";
import { type Facts, NO_FACTS } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { LineResult } from "../../jobs/ports.ts";
import type { Form } from "../../operations/form.ts";
import { Document, type Surface } from "../../surfaces/surface.ts";
import type { Arrival } from "../door/arrival.ts";
import { noteRefusal, type Outlet } from "../door/outlet.ts";
import type { HttpPorts } from "../ports.ts";

type OutletResult = Omit<LineResult, "requestId">;

export class LineOutlet<F extends Form> implements Outlet<F, OutletResult> {
  readonly #ports: HttpPorts;
  readonly #surface: Surface<F>;

  constructor(ports: HttpPorts, surface: Surface<F>) {
    this.#ports = ports;
    this.#surface = surface;
  }

  watch({ line }: Arrival, ending: Ending): null {
    line?.ending.tell(ending);
    return null;
  }

  whole(_arrival: Arrival, facts: Facts, answer: JsonObject | Document): OutletResult {
    return { status: 200, body: writeAnswer(answer), fault: null, ...readCosts(facts) };
  }

  refuse(arrival: Arrival, context: RequestContext<F> | null, fault: Fault): OutletResult {
    const { refusal } = noteRefusal(this.#ports, this.#surface, arrival, context, fault);
    const { status, body } = refusal;
    return { status, body: JSON.stringify(body), fault, ...readCosts(context ?? NO_FACTS) };
  }

  stream(): never {
    throw new Error("A line's answer is always whole.");
  }

  warmUp(): never {
    throw new Error("A line is always asked.");
  }
}

function readCosts({ costs }: Pick<Facts, "costs">) {
  return { costNanoUsd: costs?.cost ?? 0, chargedNanoUsd: costs?.charged ?? 0 };
}

export function writeAnswer(answer: JsonObject | Document): string {
  return answer instanceof Document ? writeDocument(answer) : JSON.stringify(answer);
}

function writeDocument({ content }: Document): string {
  if (typeof content === "string") return content;
  const pieces = content instanceof Uint8Array ? [content] : content.pieces;
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
}
