// The parts of a request that no rule can search.
import { Fault } from "../../core/faults/fault.ts";
import type { GuardRule } from "../../core/models/guard.ts";
import { hasAttachments, hasTokens, type UnseenRequest } from "../unseen.ts";
import { listAt } from "./rules.ts";
import { isActing } from "./terms.ts";

/** Returns the Fault of such a part, if a rule insists. */
export function findUnsearchable(request: UnseenRequest, applying: readonly GuardRule[]): Fault | null {
  const refusing = applying.find(
    ({ refusesAttachments, at }) => refusesAttachments && hasAttachments(request, at.includes("answer")),
  );
  if (refusing) return refuse(refusing, "pictures, sounds and files are refused");
  const acting = listAt(applying, "request").find(isActing);
  const isHidden = acting !== undefined && hasTokens(request);
  return isHidden ? refuse(acting, "a text must be sent as text, not as token ids") : null;
}

function refuse({ name }: GuardRule, reason: string): Fault {
  const message = `The guard rule '${name}' refused the request: ${reason}.`;
  return new Fault("content_blocked", message, { hookReason: reason });
}
