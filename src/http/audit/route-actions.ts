// The actions of the changing admin routes, by the routes' ids: those of things stand in their rows.
import type { AuditAction, AuditTarget } from "../../core/audit/audit-log.ts";
import { THINGS } from "../../core/things/things.ts";

interface RouteAction {
  readonly action: AuditAction;
  readonly type: AuditTarget["type"];
  /** True if success has no transaction of its own that would put it on record. */
  readonly isNoted?: true;
}

const SAMPLE = { type: "sample", isNoted: true } as const;

const ROUTE_ACTIONS = {
  createCheckout: { action: "checkout.created", type: "checkout" },
  resetMemberBudgets: { action: "budget.reset", type: "member" },
  changeModelRules: { action: "model.changed", type: "model" },
  acceptPriceChanges: { action: "catalogue.updated", type: "catalogue" },
  forgetLearned: { action: "learning.forgotten", type: "model" },
  cancelAdminBatch: { action: "batch.cancelled", type: "batch", isNoted: true },
  changeMember: { action: "member.changed", type: "member" },
  anonymiseMember: { action: "member.anonymised", type: "member" },
  endDevice: { action: "device.ended", type: "device", isNoted: true },
  planSample: { action: "sample.planned", ...SAMPLE },
  askSample: { action: "sample.asked", ...SAMPLE },
  judgeSample: { action: "sample.judged", ...SAMPLE },
  scoreSample: { action: "sample.scored", ...SAMPLE },
} as const satisfies Readonly<Record<string, RouteAction>>;

/** The id of a route that changes something. */
export type ChangingRoute = keyof typeof ROUTE_ACTIONS;

const BY_ID = new Map(Object.entries<RouteAction>(ROUTE_ACTIONS));
for (const { name: type, actions } of THINGS)
  for (const { id, audit: action, ...more } of Object.values(actions))
    if (action) BY_ID.set(id, { action, type, ...("isNoted" in more ? { isNoted: true } : {}) });

/** Returns a route's action. Null if it only reads. */
export function findRouteAction(id: string): RouteAction | null {
  return BY_ID.get(id) ?? null;
}
