// The rights of a request's sender, as the rows have them at the moment of its admission.
import type { Admission, ToolTerms } from "../core/demand.ts";
import type { Fault } from "../core/faults/fault.ts";
import { type Account, type GatewayKey, refuseAccount, refuseCaller } from "../core/keys/key.ts";
import type { LimitRules } from "../core/settings.ts";
import { listToolLevels } from "../core/tools/rights.ts";
import { refuseTool } from "../core/tools/tool-right.ts";

/** Returns the refusal of a sender who may not make the request, or null. */
export function refuseSender(
  { proof, nowMs, limits, tool }: Admission,
  key: GatewayKey,
  account: Account,
): Fault | null {
  return (
    refuseCaller({ key, proof }, nowMs) ??
    refuseAccount(account, limits.contact) ??
    (tool === undefined ? null : refuseCall(tool, limits, key, account))
  );
}

/** A right that was taken away is gone at the next call, on every node. */
function refuseCall(
  { memberTools, ...right }: ToolTerms,
  { toolRights }: LimitRules,
  { allowedTools }: GatewayKey,
  account: Account,
): Fault | null {
  const own = { allowedTools, ...(memberTools && { memberTools }) };
  return refuseTool(right, listToolLevels(own, account, toolRights));
}
