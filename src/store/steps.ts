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

/**
 * Nodes know each other's versions from here on, and a request that was given up as lost says so once it is settled.
 * Programs from before don't look at the schema again after their start, so they can't run beside this one.
 */
const NODES_BY_VERSION: Step = [
  { kind: "addColumn", table: "request", column: { name: "late", type: "integer", initial: 0 } },
  {
    kind: "addColumn",
    table: "node",
    column: { name: "version", type: "integer", isNullable: true },
    only: "postgres",
  },
  {
    kind: "addColumn",
    table: "node",
    column: { name: "clock_ms", type: "integer", isNullable: true },
    only: "postgres",
  },
  { kind: "endSupport", stepsKnown: 3 },
];

/** Taken after the engine's own first steps (`sqlite/migrations.ts`, `postgres/schema.ts`). */
export const STEPS: readonly Step[] = [HOURLY_USAGE, LESSONS_BY_ACCOUNT, NODES_BY_VERSION];
