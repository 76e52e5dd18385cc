// The steps of the schema since both engines share them. A released step is never changed: a change is a new step.
import { HOURLY_USAGE } from "./hourly-usage-step.ts";
import type { Step } from "./schema-step.ts";

/** Taken after the engine's own first steps (`sqlite/migrations.ts`, `postgres/schema.ts`). */
export const STEPS: readonly Step[] = [HOURLY_USAGE];
