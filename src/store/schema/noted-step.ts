// Requests that are noted in their day's meter.
import { type Step, textOrNull } from "./schema-step.ts";

/** A program from before leaves the column as it is: its own requests have holds, and it gives no others up. */
export const NOTED_REQUESTS: Step = [{ kind: "addColumn", table: "meter", column: textOrNull("noted") }];
