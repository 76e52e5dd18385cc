// The step of the schema for lessons on refusals.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** At most 2,000 rows, which every node reads. A program from before learns for itself, as it did. */
export const REFUSAL_LESSONS: Step = [
  {
    kind: "createTable",
    table: "refusal_lesson",
    columns: [
      ...["model", "host", "word"].map(text),
      ...["first_seen_at_ms", "seen_at_ms", "tried_at_ms"].map(integer),
      ...["confirmed_at_ms", "shared_at_ms"].map(integerOrNull),
      text("payers"),
    ],
    key: ["model", "host", "word"],
    placement: "everywhere",
  },
];

/** A program from before leaves it empty, and then the lesson is about every request, as it was to that program. */
export const LESSON_CONDITIONS: Step = [
  { kind: "addColumn", table: "refusal_lesson", column: textOrNull("conditions") },
];
