// The changes of people without a role above member: counted as they are asked for, and given back if they fail.
import type { AdminWorld } from "../../admin/world.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Access } from "../../people/access.ts";
import { CHANGES_A_MINUTE, type ChangeRate } from "../../people/change-rate.ts";

export interface CountingParts {
  readonly world: AdminWorld;
  readonly changeRate: ChangeRate;
}

/** By request, until it is gone. */
const counted = new WeakMap<Request, () => void>();

/** Throws the Fault `too_many_changes`. */
export function countChange({ world, changeRate }: CountingParts, request: Request, access: Access): void {
  if (access.role !== null && access.role !== "member") return;
  const sender = `${access.actor.kind} ${access.actor.id}`;
  const nowMs = world.clock.nowMs();
  const resetAtMs = changeRate.take(sender, nowMs);
  if (resetAtMs === null) {
    counted.set(request, () => changeRate.giveBack(sender, nowMs));
    return;
  }
  const message = `You have made ${CHANGES_A_MINUTE} changes within a minute, which is as many as a member may make.`;
  throw new Fault("too_many_changes", message, { retryAfterMs: Math.max(1, resetAtMs - nowMs), resetAtMs });
}

/** A change that failed doesn't count. */
export function giveBackChange(request: Request): void {
  counted.get(request)?.();
  counted.delete(request);
}
