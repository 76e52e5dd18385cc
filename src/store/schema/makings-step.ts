// The step of the schema for how often people make keys.
import { integer, type Step, text } from "./schema-step.ts";

/** Makings and rotations of personal keys within the last hour. Those of an older version aren't counted. */
export const KEY_MAKINGS: Step = [
  {
    kind: "createTable",
    table: "key_making",
    columns: [...["member_id", "id"].map(text), integer("at_ms")],
    key: ["member_id", "id"],
    placement: "everywhere",
  },
];
