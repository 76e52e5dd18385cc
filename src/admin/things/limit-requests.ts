// The actions on requests for more.
import type { Settings } from "../../core/settings.ts";
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
import { raiseLimit } from "../limits/raise-limit.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { showMade, showView, takeBody, takeQuery, type Uses } from "./use.ts";

interface LimitRequestParts extends AdminWorld {
  /** Returns the current settings. */
  readonly settings: () => Pick<Settings, "ownerLimits">;
}

export function makeLimitRequestUses(world: LimitRequestParts): Uses<typeof LIMIT_REQUEST> {
  return {
    list: takeQuery(limitRequestsQuery, showView(wrapRows(limitRequestSchema)), (query, { scope }) =>
      listLimitRequests(world, query, scope),
    ),
    make: takeBody(newLimitRequestSchema, showMade(limitRequestSchema), (body, { act, access }) => {
      const parts = { ...actAs(world, act), limitRules: world.settings().ownerLimits };
      const { member_id = access.memberId } = body;
      return member_id === null || member_id === access.memberId
        ? askForMore(parts, body, access)
        : raiseLimit(parts, { ...body, member_id }, access);
    }),
    decide: takeBody(decisionSchema, showView(limitRequestSchema), (body, { act, id, access }) =>
      decideLimitRequest(actAs(world, act), id, body, access),
    ),
  };
}
