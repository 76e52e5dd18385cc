// The steps of the schema since both engines share them. A released step is never changed: a change is a new step.
import { HOURLY_USAGE } from "./hourly-usage-step.ts";
import type { Step } from "./schema-step.ts";

/** The bounds on scores are by account; the version before bounds them by key. */
const LESSONS_BY_ACCOUNT: Step = [
  {
    kind: "createIndex",
    name: "lesson_account_at",
    table: "lesson",
    columns: ["account_id", "model", "at_ms"],
  },
  { kind: "dropLater", name: "lesson_key_at" },
];

/** Taken after the engine's own first steps (`sqlite/migrations.ts`, `postgres/schema.ts`). */
export const STEPS: readonly Step[] = [HOURLY_USAGE, LESSONS_BY_ACCOUNT];
