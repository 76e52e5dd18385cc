// The entry of a credential of the configuration that is switched off or on, of which the store knows no more than that.
import type { AuditFacts } from "../../core/audit/audit-log.ts";
import type { RowChange } from "../../core/changes.ts";
import { readSwitchedOff, type SwitchedOff } from "../models/switched-off.ts";

/** A change is about one credential. */
export function describeSwitchedOff({
  before,
  after,
}: Pick<Extract<RowChange, { kind: "setting" }>, "before" | "after">): AuditFacts | null {
  const were = readSwitchedOff(before);
  const are = readSwitchedOff(after);
  const changed = [...were, ...are].find((one) => isIn(were, one) !== isIn(are, one));
  if (changed === undefined) return null;
  const { provider, id, last4 } = changed;
  const show = (list: readonly SwitchedOff[]) => ({ enabled: !isIn(list, changed), last4 });
  const target = { type: "credential", id, name: provider } as const;
  return { action: "provider.changed", target, before: show(were), after: show(are) };
}

function isIn(list: readonly SwitchedOff[], { digest }: SwitchedOff): boolean {
  return list.some((one) => one.digest === digest);
}
