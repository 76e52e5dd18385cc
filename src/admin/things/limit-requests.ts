// The actions on requests for more.
import type { LIMIT_REQUEST } from "../../core/things/limit-request.ts";
import { actAs } from "../audit/audit-trail.ts";
import {
  askForMore,
  decideLimitRequest,
  decisionSchema,
  limitRequestSchema,
  limitRequestsQuery,
  listLimitRequests,
  newLimitRequestSchema,
} from "../limits/limit-requests.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { show, showMade, takeBody, takeQuery, type Uses } from "./use.ts";

export function makeLimitRequestUses(world: AdminWorld): Uses<typeof LIMIT_REQUEST> {
  return {
    list: takeQuery(limitRequestsQuery, show(wrapRows(limitRequestSchema)), (query, { scope }) =>
      listLimitRequests(world, query, scope),
    ),
    make: takeBody(newLimitRequestSchema, showMade(limitRequestSchema), (body, { act, access }) =>
      askForMore(actAs(world, act), body, access),
    ),
    decide: takeBody(decisionSchema, show(limitRequestSchema), (body, { act, id, access }) =>
      decideLimitRequest(actAs(world, act), id, body, access),
    ),
  };
}
