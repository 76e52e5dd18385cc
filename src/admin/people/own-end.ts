// Nobody changes their own rights, and nobody passes on rights that outlast their own.
import { Fault } from "../../core/fault.ts";
import type { Access } from "../../people/access.ts";
import { formatInstant } from "../format.ts";

/** Throws the Fault `own_grants` if the person is the sender, or the sender's token stands on the person. */
export function refuseOwnGrants({ personId }: Pick<Access, "personId">, memberId: string): void {
  if (personId !== memberId) return;
  const message =
    "Nobody changes their own role, its accounts or its end, nor shuts themself out or in, also not by a token of theirs. Ask another admin.";
  throw new Fault("own_grants", message, { param: "id" });
}

export function beyondOwnEnd(param: string, endMs: number): Fault {
  const message = `'${param}' has to be ${formatInstant(endMs)} or earlier, when your own role ends.`;
  return new Fault("beyond_own_end", message, { param });
}
