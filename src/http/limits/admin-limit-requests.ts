// /admin/v1/limit-requests: members ask for more of a limit, managers and admins decide.
import { Elysia } from "elysia";
import {
  askForMore,
  decideLimitRequest,
  decisionSchema,
  limitRequestSchema,
  limitRequestsQuery,
  listLimitRequests,
  newLimitRequestSchema,
} from "../../admin/limits/limit-requests.ts";
import { wrapRows } from "../../admin/schema.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function limitRequestRoutes(operator: WritingParts) {
  const { world } = operator;
  const { reads, writes } = createOperatorHooks(operator, "People");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/limit-requests",
      ({ query, request }) => listLimitRequests(world, query, readOperator(request).scope),
      {
        ...reads("limit_requests.read", "listLimitRequests", "List the requests for more, newest first"),
        query: takesQuery(limitRequestsQuery),
        response: returnsBody(wrapRows(limitRequestSchema)),
      },
    )
    .post(
      "/limit-requests",
      async ({ body, request, status }) =>
        status(201, await askForMore(actAsSender(world, request), body, readOperator(request).access)),
      {
        ...writes("limit_requests.make", "askForMore", "Ask for more of one's own limit in an account"),
        body: takesBody(newLimitRequestSchema),
        response: { 201: returnsBody(limitRequestSchema) },
      },
    )
    .post(
      "/limit-requests/:id/decide",
      ({ params: { id }, body, request }) =>
        decideLimitRequest(actAsSender(world, request), id, body, readOperator(request).access),
      {
        ...writes("members.limit", "decideLimitRequest", "Grant or refuse somebody's request for more"),
        body: takesBody(decisionSchema),
        response: returnsBody(limitRequestSchema),
      },
    );
}
