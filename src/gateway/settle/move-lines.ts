// The log line about a turn of a conversation that was served elsewhere than at its home.

import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";
import { findMove } from "../plan/home.ts";

/** Returns a line, or none for a turn that its home served. */
export function listMoveLines<F extends Form>({
  call,
  plan,
  attempt,
}: RequestContext<F>): readonly LogEvent[] {
  const move = plan.home ? findMove(plan.home, attempt) : null;
  if (move === null) return [];
  const { id, requestId } = call;
  return [{ event: "conversation_moved", level: "debug", id, request_id: requestId, ...move }];
}
