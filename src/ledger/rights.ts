// The rights to tools, as the rows have them at the moment of an admission.
import type { ToolTerms } from "../core/demand.ts";
import type { Fault } from "../core/fault.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import type { LimitRules } from "../core/settings.ts";
import { listToolLevels } from "../core/tools/rights.ts";
import { refuseTool } from "../core/tools/tool-right.ts";

/** A right that was taken away is gone at the next call, on every node. */
export function refuseCall(
  { memberTools, ...right }: ToolTerms,
  { toolRights }: LimitRules,
  { allowedTools }: GatewayKey,
  account: Account,
): Fault | null {
  const own = { allowedTools, ...(memberTools && { memberTools }) };
  return refuseTool(right, listToolLevels(own, account, toolRights));
}
