// A plan in words: a line for each change, with its fields as they are and as they will be, and for each part that stays.
import { describeStops } from "../../core/live-nodes.ts";
import type { ChangeOutline, KeptEntry, PlanOutline } from "./draft.ts";

/**
 * A line for each part that is changed or stays, with its fields below it, behind one on the nodes that it stops. Empty if there
 * is none.
 */
export function describePlan({ changes, removals, kept, olderNodes, nameAccount }: PlanOutline): string {
  const stops = olderNodes.length === 0 ? [] : [describeStops(olderNodes)];
  const all = [...changes, ...removals].map((change) => describeChange(change, nameAccount));
  return [...stops, ...all, ...kept.map(describeKept)].join("\n");
}

function describeChange(change: ChangeOutline, nameAccount: PlanOutline["nameAccount"]): string {
  const { before, after, isDrift } = change;
  const isRemoval = before === null && after === null;
  const sign = isRemoval ? "-" : before === null ? "+" : "~";
  const drift = isDrift ? " (changed here since the file was applied)" : "";
  const fields = Object.entries(after ?? {}).flatMap(([name, value]) => {
    // Ids of accounts say little, and those of new ones aren't known yet.
    const show = (one: unknown) => format(name.startsWith("account") ? nameAccounts(one, nameAccount) : one);
    if (before === null) return TOLD.has(name) ? [] : [`    ${name}: ${show(value)}`];
    return [`    ${name}: ${show(before[name])} → ${show(value)}`];
  });
  return [`${sign} ${nameRow(change)}${drift}`, ...fields].join("\n");
}

function describeKept(kept: KeptEntry): string {
  return `= ${nameRow(kept)}: ${kept.reason}`;
}

function nameRow({ kind, name, account }: Pick<ChangeOutline, "kind" | "name" | "account">): string {
  return `${kind} ${name}${account === null ? "" : ` of ${account}`}`;
}

/** The fields of something new that stand in its line. */
const TOLD: ReadonlySet<string> = new Set(["name", "account_id"]);

function nameAccounts(value: unknown, nameAccount: PlanOutline["nameAccount"]): unknown {
  if (Array.isArray(value)) return value.map((one) => nameAccounts(one, nameAccount));
  return typeof value === "string" ? nameAccount(value) : value;
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Returns the counts of a plan, in one sentence. */
export function countPlan({ changes, removals, unchanged, others }: PlanOutline, isDone: boolean): string {
  const made = changes.filter(({ before }) => before === null).length;
  const parts = [`${made} to make`, `${changes.length - made} to change`, `${removals.length} to remove`];
  const done = [`${made} made`, `${changes.length - made} changed`, `${removals.length} removed`];
  const rest = `${unchanged} as in the file, ${others} here that the file doesn't have`;
  return `${(isDone ? done : parts).join(", ")}; ${rest}.`;
}
