// The rules in rows that programs from before don't keep: a row that has one ends the support for these programs.
import type { RowChange } from "../../core/changes.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import type { Budget } from "../../core/limits/budget.ts";
import { readAliasName } from "../../core/models/alias-entry.ts";

interface NewerRule {
  /** Programs that know fewer of the shared steps (`steps.ts`) let requests pass it. */
  readonly stepsKnown: number;
  readonly isIn: (change: RowChange) => boolean;
}

/** A rule that comes with a release is a row here, rather than an end of support by the release's steps. */
const NEWER_RULES: readonly NewerRule[] = [
  {
    stepsKnown: 31,
    isIn: (change) => change.kind === "key" && change.after !== null && hasOwn(change.after.modelLimits),
  },
  { stepsKnown: 31, isIn: (change) => listBudgets(change).some(namesAlias) },
  {
    stepsKnown: 51,
    isIn: (change) => change.kind === "key" && (change.after?.guard ?? []).length > 0,
  },
  // They would let pass what a rule of the configuration finds.
  { stepsKnown: 51, isIn: (change) => change.kind === "setting" && change.name === "guard_acts" },
  // They would go on calling with the credential.
  { stepsKnown: 31, isIn: (change) => change.kind === "setting" && change.name === "credentials_off" },
];

/** The configured ones are each node's own, and no part of the row. */
function hasOwn(limits: GatewayKey["modelLimits"]): boolean {
  return limits !== "default" && limits.length > 0;
}

function listBudgets(change: RowChange): readonly Budget[] {
  if (change.kind === "key") return readBudgets(change.after);
  if (change.kind !== "account") return [];
  return [...readBudgets(change.after), ...readBudgets(change.after?.memberDefaults ?? null)];
}

function readBudgets(owner: Pick<GatewayKey | Account, "budgets"> | null): readonly Budget[] {
  return owner === null || owner.budgets === "default" ? [] : owner.budgets;
}

function namesAlias({ models }: Budget): boolean {
  return models?.some((entry) => readAliasName(entry) !== null) ?? false;
}

/** Returns how many of the shared steps a program must know to keep what the row says. 0 if any does. */
export function countStepsNeeded(change: RowChange): number {
  return NEWER_RULES.reduce(
    (most, { stepsKnown, isIn }) => (stepsKnown > most && isIn(change) ? stepsKnown : most),
    0,
  );
}
