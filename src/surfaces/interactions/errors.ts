// Faults in Google's form, on the paths of interactions.
import type { Fault } from "../../core/faults/fault.ts";
import { writeError } from "../gemini/errors.ts";
import type { Refusal } from "../surface.ts";

export function refuse(fault: Fault): Refusal {
  return { status: fault.row.status, body: writeError(fault, "input") };
}
