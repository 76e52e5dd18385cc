// GET /admin/v1/problems: the problems of the process that answers, for the console's banner.
import { Elysia } from "elysia";
import { type ProblemView, problemSchema } from "../../admin/events/problems.ts";
import { wrapRows } from "../../admin/schema.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody } from "../openapi/route-schema.ts";

export function problemRoutes(operator: WritingParts, list: () => readonly ProblemView[]) {
  const { reads } = createOperatorHooks(operator, "Problems");
  return new Elysia({ prefix: "/admin/v1" }).get("/problems", () => ({ data: list(), next: null }), {
    ...reads(
      "settings.read",
      "listProblems",
      "List what is wrong: the store, a refused configuration, failing providers",
    ),
    response: returnsBody(wrapRows(problemSchema)),
  });
}
