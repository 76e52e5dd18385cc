// The tools that each role may let a key call: admins and operators any, a manager those of the account, a member ever fewer.
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import type { AllowedTools } from "../../core/limits/member-limits.ts";
import type { Role } from "../../core/people/people.ts";
import type { LimitRules } from "../../core/settings.ts";
import { isNarrower } from "../../core/tools/narrower.ts";
import { resolveAccountTools, resolveKeyTools } from "../../core/tools/rights.ts";
import { type BoundName, findMostTools } from "../../people/key-bounds.ts";
import { notPermitted } from "./pauses.ts";

const HOW =
  "each of its patterns must lie within one of those, and what is taken away there with ! must be taken away here too";

/** Returns the list of a key for which nothing was asked: its own, unless it is more than roles below admin may give. */
export function fillTools(key: GatewayKey, rules: LimitRules): AllowedTools {
  const most = findMostTools(rules, key);
  return isNarrower(resolveKeyTools(key, rules.toolRights), most) ? key.allowedTools : most;
}

interface ToolCheck {
  readonly role: Role;
  /** As it would be. */
  readonly key: GatewayKey;
  readonly account: Account;
  readonly limitRules: LimitRules;
}

/** Throws the Fault `invalid_value` if a list that was asked for can't be shown to be within what the role may give. */
export function checkTools({ role, key, account, limitRules }: ToolCheck): void {
  const { toolRights } = limitRules;
  if (!isNarrower(resolveKeyTools(key, toolRights), findMostTools(limitRules, key))) {
    const by = key.memberId === null ? "key_maxima" : "key_maxima or else key_defaults";
    throw invalidValue("allowed_tools", `it may be more than '${by}' allows: ${HOW}`);
  }
  // A key that says nothing has the account's own.
  if (role !== "manager" || key.allowedTools === null) return;
  if (isNarrower(key.allowedTools, resolveAccountTools(account, toolRights))) return;
  throw invalidValue("allowed_tools", `it may be more than the account's own: ${HOW}`);
}

/** Throws the Fault `not_permitted` for a member's change after which the key may call more. */
export function refuseMoreTools(role: Role, widened: readonly BoundName[]): void {
  if (role !== "member" || !widened.includes("allowed_tools")) return;
  throw notPermitted("allowed_tools", "'allowed_tools' binds yourself: you may only take tools away");
}
