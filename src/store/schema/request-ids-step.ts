// The step of the schema that leaves requests out of the index of request ids if the index of times finds them.
import { UNTIMED } from "../log/request-ids.ts";
import type { Step } from "./schema-step.ts";

/** The whole index cost a page and more of each commit. Without it, a program from before looks through the log for a request id. */
export const REQUEST_IDS: Step = [
  {
    kind: "createIndex",
    name: "request_untimed_id",
    table: "request",
    columns: ["request_id"],
    where: UNTIMED,
  },
  { kind: "dropIndex", name: "request_request_id" },
];
