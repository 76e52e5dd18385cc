// Steps of the schema that a later build might have.
import type { Step } from "../../../src/store/schema/schema-step.ts";
import { STEPS } from "../../../src/store/schema/steps.ts";

const ADDS: Step = [
  { kind: "addColumn", table: "request", column: { name: "made", type: "text", initial: "" } },
  {
    kind: "createTable",
    table: "made_later",
    columns: [
      { name: "account_id", type: "text" },
      { name: "id", type: "text" },
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
];
const ENDS: Step = [...ADDS, { kind: "endSupport", stepsKnown: STEPS.length + 1 }];

export const MADE_STEPS = { same: [], adds: [ADDS], ends: [ENDS] } as const satisfies Record<
  string,
  readonly Step[]
>;
export type MadeStep = keyof typeof MADE_STEPS;
