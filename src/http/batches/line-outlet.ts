// The answers of lines: a status and a text, without a response by HTTP.
import type { JsonObject } from "../../core/json/json.ts";
import { type Facts, NO_FACTS } from "../../gateway/call.ts";
import type { LineResult } from "../../jobs/ports.ts";
import { Document } from "../../surfaces/surface.ts";
import { noteRefusal, type Outlet } from "../serve/outlet.ts";

export const TO_RESULTS: Outlet<Omit<LineResult, "requestId">> = {
  whole(_ports, _surface, context, answer) {
    return { status: 200, body: writeAnswer(answer), fault: null, ...readCosts(context) };
  },
  refuse(ports, surface, arrival, context, fault) {
    const { refusal } = noteRefusal(ports, surface, arrival, context, fault);
    const { status, body } = refusal;
    return { status, body: JSON.stringify(body), fault, ...readCosts(context ?? NO_FACTS) };
  },
  pass: () => {
    throw new Error("A line's answer is always whole.");
  },
};

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
