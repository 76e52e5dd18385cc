// The reasons for which keys and accounts are paused, and which of them a role lifts.
import { Fault } from "../../core/faults/fault.ts";
import { listPausers } from "../../core/keys/key.ts";
import { type Pauser, type Role, STORED_PAUSERS } from "../../core/people/people.ts";
import type { PauseState } from "../../people/pauses.ts";

export function notPermitted(param: string, message: string): Fault {
  return new Fault("not_permitted", `This isn't permitted: ${message}.`, { param });
}

const PAUSED_AS: Readonly<Record<Role, Pauser>> = {
  member: "holder",
  viewer: "person",
  manager: "person",
  billing: "person",
  operator: "operator",
  admin: "admin",
};

/**
 * Adds the role's own reason, or lifts those that the role may lift: its own and lower ones, and for admins all but the
 * directory's. Throws the Fault `not_permitted` if it may lift none of them.
 */
export function changePauses(role: Role, before: PauseState, isPaused: boolean): PauseState {
  const causes = listPausers(before);
  const own = PAUSED_AS[role];
  if (isPaused) return { isPaused, pausedBy: causes.includes(own) ? causes : [...causes, own] };
  const isLifted = (cause: Pauser) =>
    cause !== "directory" &&
    (role === "admin" || STORED_PAUSERS.indexOf(cause) <= STORED_PAUSERS.indexOf(own));
  const left = causes.filter((cause) => !isLifted(cause));
  if (left.length > 0 && left.length === causes.length) {
    throw notPermitted("paused", `it was paused as '${left.join("' and '")}', ${nameLifters(left)}`);
  }
  return { isPaused: left.length > 0, pausedBy: left };
}

function nameLifters(left: readonly Pauser[]): string {
  if (left.includes("directory"))
    return "and runs again once the company's directory has its person as active";
  return "which only the same or a higher role lifts";
}
