// State files at a running gateway: the changes of one are listed, or made for some seconds at a time.

import type { StateAnswer, StateRequest } from "../../admin/state/state-schema.ts";
import { Fault } from "../../core/faults/fault.ts";
import { asString } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { refuseOlder } from "../../core/live-nodes.ts";
import type { Change, MadeSecret, Plan } from "./draft.ts";
import { readStateFile } from "./file.ts";
import type { StateWorld } from "./known.ts";
import { performPlan } from "./perform.ts";
import { planState } from "./plan.ts";
import { listWarnings } from "./warnings.ts";

/** A connection on which nothing is sent is closed after a while. The sender asks again until all is done. */
const WORK_MS = 5000;

/** Lists the changes of a file, or makes them. A Fault of a change that fails is part of the answer, like those before it. */
export async function bringState(world: StateWorld, asked: StateRequest): Promise<StateAnswer> {
  const { apply = false, prune = false, file, removals } = asked;
  const { state, issues } = readStateFile(asked.state);
  const plan = await planState(world, state, { file, isPruning: prune });
  const all = [...issues, ...plan.issues];
  const shown = showPlan(plan, listWarnings(world, plan));
  if (!apply || all.length > 0) return { ...shown, issues: showIssues(all) };
  if (removals !== undefined && removals !== plan.removals.length)
    throw invalidValue("removals", `expected ${plan.removals.length}, the removals that there are now`);
  if (plan.olderNodes.length > 0 && !world.act.stopsOlder) throw refuseOlder(plan.olderNodes);
  return { ...shown, ...(await makeSome(world, plan)) };
}

async function makeSome(world: StateWorld, plan: Plan) {
  const done: Change[] = [];
  const secrets: MadeSecret[] = [];
  const untilMs = world.clock.nowMs() + WORK_MS;
  const work = {
    keep: (made: MadeSecret) => void secrets.push(made),
    onChange: (change: Change) => void done.push(change),
    isOver: () => done.length > 0 && world.clock.nowMs() >= untilMs,
  };
  let failure: Fault | null = null;
  try {
    await performPlan(world, plan, work);
  } catch (error) {
    // Otherwise nobody would ever see the secrets of keys that were made before it.
    if (!(error instanceof Fault)) throw error;
    failure = error;
  }
  const { changes, removals } = plan;
  const isDone = (change: Change) => done.includes(change);
  return {
    applied: true,
    changes: changes.filter(isDone).map(showChange),
    removals: removals.filter(isDone).map(showChange),
    is_whole: done.length === changes.length + removals.length,
    secrets: secrets.map(({ kind, accountId, ...made }) => ({ type: kind, account_id: accountId, ...made })),
    failure: failure && {
      code: failure.code,
      message: failure.message,
      param: failure.details.param ?? null,
    },
  };
}

function showPlan(plan: Plan, warnings: readonly string[]): StateAnswer {
  const { changes, removals, kept, unchanged, others, olderNodes } = plan;
  return {
    applied: false,
    older_nodes: [...olderNodes],
    issues: [],
    changes: changes.map(showChange),
    removals: removals.map(showChange),
    kept: kept.map(({ kind, ...one }) => ({ type: kind, ...one })),
    unchanged,
    others,
    account_names: nameAccounts(plan),
    warnings,
    is_whole: true,
    secrets: [],
    failure: null,
  };
}

function showChange({ action, kind, id, name, account, before, after, isDrift }: Change) {
  return { action, type: kind, id, name, account, before, after, drift: isDrift };
}

function showIssues(issues: Plan["issues"]): StateAnswer["issues"] {
  return issues.map(({ path, at, message }) => ({ path: [...path], at, message }));
}

/** Returns the names of the accounts that stand in the changes, also of those that are still to be made. */
function nameAccounts({ changes, removals, nameAccount }: Plan): Readonly<Record<string, string>> {
  const names = new Map<string, string>();
  const note = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) note(one);
    const id = asString(value);
    if (id !== undefined && nameAccount(id) !== id) names.set(id, nameAccount(id));
  };
  for (const { before, after } of [...changes, ...removals])
    for (const fields of [before, after])
      for (const [name, value] of Object.entries(fields ?? {})) if (name.startsWith("account")) note(value);
  return Object.fromEntries(names);
}
