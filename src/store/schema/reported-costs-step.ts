// The step of the schema for costs that providers report: of each request, and in the sums of calls.
import { integerOrNull, type Step } from "./schema-step.ts";

/** Rows from before have none, nor have those of a program from before. */
export const REPORTED_COSTS: Step = [
  { kind: "addColumn", table: "request", column: integerOrNull("claimed_nano") },
  {
    kind: "addColumn",
    table: "provider_call_day",
    column: { name: "reported_nano", type: "integer", initial: 0 },
  },
];
