// The actions of the changing admin routes, by the routes' ids.
import type { AuditAction, AuditTarget } from "../../core/audit/audit-log.ts";

interface RouteAction {
  readonly action: AuditAction;
  readonly type: AuditTarget["type"];
  /** True if success has no transaction of its own that would put it on record. */
  readonly isNoted?: true;
}

const [ACCOUNT, KEY, ALIAS] = [{ type: "account" }, { type: "key" }, { type: "alias" }] as const;
const SAMPLE = { type: "sample", isNoted: true } as const;

const ROUTE_ACTIONS = {
  createAccount: { action: "account.created", ...ACCOUNT },
  putAccount: { action: "account.changed", ...ACCOUNT },
  updateAccount: { action: "account.changed", ...ACCOUNT },
  topUpAccount: { action: "topup.made", ...ACCOUNT },
  adjustAccount: { action: "adjustment.made", ...ACCOUNT },
  closeAccount: { action: "account.closed", ...ACCOUNT },
  reopenAccount: { action: "account.reopened", ...ACCOUNT },
  createCheckout: { action: "checkout.created", type: "checkout" },
  createKey: { action: "key.created", ...KEY },
  putKey: { action: "key.changed", ...KEY },
  updateKey: { action: "key.changed", ...KEY },
  rotateKey: { action: "key.rotated", ...KEY },
  revokeKey: { action: "key.revoked", ...KEY },
  resetKeyBudgets: { action: "budget.reset", ...KEY },
  resetAccountBudgets: { action: "budget.reset", ...ACCOUNT },
  resetMemberBudgets: { action: "budget.reset", type: "member" },
  askForMore: { action: "limit_request.made", type: "limit_request" },
  decideLimitRequest: { action: "limit_request.decided", type: "limit_request" },
  addCredential: { action: "provider.added", type: "credential" },
  changeCredential: { action: "provider.changed", type: "credential" },
  removeCredential: { action: "provider.removed", type: "credential" },
  testCredential: { action: "provider.tested", type: "credential", isNoted: true },
  createAlias: { action: "alias.created", ...ALIAS },
  changeAlias: { action: "alias.changed", ...ALIAS },
  changeNamedAlias: { action: "alias.changed", ...ALIAS },
  deleteAlias: { action: "alias.deleted", ...ALIAS },
  deleteNamedAlias: { action: "alias.deleted", ...ALIAS },
  changeModelRules: { action: "model.changed", type: "model" },
  forgetLearned: { action: "learning.forgotten", type: "model" },
  changeMember: { action: "member.changed", type: "member" },
  anonymiseMember: { action: "member.anonymised", type: "member" },
  endDevice: { action: "device.ended", type: "device", isNoted: true },
  createToken: { action: "token.created", type: "token" },
  revokeToken: { action: "token.revoked", type: "token" },
  sendDeliveryAgain: { action: "webhook.sent", type: "webhook" },
  planSample: { action: "sample.planned", ...SAMPLE },
  askSample: { action: "sample.asked", ...SAMPLE },
  judgeSample: { action: "sample.judged", ...SAMPLE },
  scoreSample: { action: "sample.scored", ...SAMPLE },
} as const satisfies Readonly<Record<string, RouteAction>>;

/** The id of a route that changes something. */
export type ChangingRoute = keyof typeof ROUTE_ACTIONS;

/** Returns a route's action. Null if it only reads. */
export function findRouteAction(id: string): RouteAction | null {
  return Object.entries<RouteAction>(ROUTE_ACTIONS).find(([known]) => known === id)?.[1] ?? null;
}
