// The step of the schema for the link that signs in to the console once.
import { integer, type Step, text } from "./schema-step.ts";

/** One row at most, of the latest quick start. A program from before makes no links and takes none. */
export const CONSOLE_LINK: Step = [
  {
    kind: "createTable",
    table: "console_link",
    columns: [...["name", "digest"].map(text), integer("expires_at_ms")],
    key: ["name"],
    placement: "everywhere",
  },
];
