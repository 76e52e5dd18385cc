// Explains to a client that its model's only provider doesn't answer, and nobody else was to be asked.
import { Fault, type FaultCode } from "../../core/faults/fault.ts";
import type { Selection } from "../plan/plan.ts";

const SILENT: ReadonlySet<FaultCode> = new Set(["upstream_error", "upstream_timeout"]);

/** Adds to such a failure that there was nobody else to ask, and what the client can do. */
export function suggestAnother(fault: Fault, selection: Selection): Fault {
  if (!SILENT.has(fault.code) || selection.kind !== "card" || selection.fallbacks.length > 0) return fault;
  const hint = `The model '${selection.card.id}' has no fallbacks here: try again, or ask for another model.`;
  return new Fault(fault.code, `${fault.message} ${hint}`, fault.details);
}
