// The metrics of hooks, of the guard, and of the protection that clients ask for.
import { count, MS_PER_SECOND, work } from "./metric-row.ts";

/** The upper bounds of the buckets of calls to hooks. None takes more than 5 seconds. */
const BOUNDS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];

export const HOOK_METRICS = {
  poundkey_hook_seconds: {
    ...work("Time of calls: `passed`, `changed`, `blocked`, `failed`."),
    per: MS_PER_SECOND,
    bounds: BOUNDS_MS,
    labels: ["hook", "action"],
    on: "hook",
    by: "ms",
  },
  poundkey_hook_passed_total: {
    ...count("texts")("Texts unjudged after failures (`on_failure: pass`).", "hook"),
    on: "hook_passed",
    by: "texts",
  },
  poundkey_constraints_total: {
    ...count("constraints")(
      "Constraints: `met`, `refused`, `dropped` (unmet, under `guard.constraints: report`).",
      "field",
      "outcome",
    ),
    on: "constraint",
  },
  poundkey_findings_total: count("requests")(
    "Requests with findings of the guard, by detector, or `words:NAME`.",
    "detector",
    "action",
    "at",
  ),
  poundkey_guard_seconds: {
    ...work("Time that the guard searched requests and answers."),
    per: MS_PER_SECOND,
    bounds: BOUNDS_MS,
    labels: ["at"],
    on: "guard",
    by: "ms",
  },
} as const;
