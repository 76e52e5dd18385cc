// Constraints: the fields by which a request asks for protection or forbids a way, and the operator's rule for those that
// nothing meets.

import { Fault } from "../faults/fault.ts";

/** `report` lets requests pass as `drop` does, and counts those that `refuse` would refuse. */
export const CONSTRAINT_RULES = ["refuse", "report", "drop"] as const;
export type ConstraintRule = (typeof CONSTRAINT_RULES)[number];

/** The names by which rows and metrics know them. `misspelt` is a field that only looks like one of the API. */
export const CONSTRAINT_FIELDS = [
  "guardrails",
  "provider.data_collection",
  "provider.zdr",
  "provider.only",
  "provider.ignore",
  "provider.quantizations",
  "provider.max_price",
  "provider.require_parameters",
  "provider.enforce_distillable_text",
  "provider.allow_fallbacks",
  "providerOptions.gateway.zeroDataRetention",
  "providerOptions.gateway.disallowPromptTraining",
  "providerOptions.gateway.only",
  "disable_fallbacks",
  "inference_geo",
  "cache",
  "misspelt",
] as const;
export type ConstraintField = (typeof CONSTRAINT_FIELDS)[number];

/** The rule's answer to a constraint. */
export type ConstraintOutcome = "met" | "refused" | "dropped";

/** Returns constraints as a row keeps them. Null for none. */
export function formatConstraints(fields: Iterable<ConstraintField>): string | null {
  return [...new Set(fields)].join(" ") || null;
}

/** Returns the constraints of a row. */
export function readConstraints(kept: string | null): ConstraintField[] {
  const names = new Set(kept?.split(" "));
  return CONSTRAINT_FIELDS.filter((field) => names.has(field));
}

/** A guardrail that a request names, with its place. */
export interface NamedGuardrail {
  readonly name: string;
  readonly param: string;
}

export function explainGuardrail(name: string): string {
  return `No guard rule is named '${name}'. Those that the operator set for this key apply unnamed.`;
}

/** Returns the Fault of a guardrail that doesn't apply to the request. */
export function refuseGuardrail({ name, param }: NamedGuardrail): Fault {
  return new Fault("unsupported_parameter", explainGuardrail(name), { param });
}
