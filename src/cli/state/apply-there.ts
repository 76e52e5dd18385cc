// State files at a gateway, which lists and makes the changes itself.
import { type StateAnswer, stateAnswerSchema } from "../../admin/state/state-schema.ts";
import type { ChangeOutline, PlanOutline } from "../../moving/state/draft.ts";
import { type Ask, listStop, makeReader } from "../gateway/ask.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { ApplyOptions } from "./apply-output.ts";
import type { ApplyHooks, ApplyResult, PlannedState } from "./planned.ts";
import type { StateText } from "./state-file.ts";

const readAnswer = makeReader(stateAnswerSchema);

/** Throws an Error with every mistake that the gateway finds in the file. */
export async function planThere(
  gateway: Gateway,
  text: StateText,
  { isPruning, stopsOlder }: Pick<ApplyOptions, "isPruning" | "stopsOlder">,
): Promise<PlannedState> {
  const body = { file: text.name, state: text.value, prune: isPruning };
  const planned = await gateway.ask(askState(body));
  text.refuse(planned.issues);
  const { warnings, removals } = planned;
  return {
    outline: readOutline(planned),
    warnings,
    perform: (on) => performThere({ gateway, stopsOlder }, { ...body, apply: true }, removals.length, on),
  };
}

function askState(body: object, stopsOlder = false): Ask<StateAnswer> {
  return {
    route: { method: "POST", path: "/state" },
    query: listStop(stopsOlder),
    body,
    read: readAnswer,
    here: () => Promise.reject(new Error("A store is changed without a gateway's route.")),
  };
}

/** It works for some seconds at a time, and is asked again until nothing is left. */
async function performThere(
  { gateway, stopsOlder }: { readonly gateway: Gateway; readonly stopsOlder: boolean },
  body: object,
  removed: number,
  { keep, onChange }: ApplyHooks,
): Promise<ApplyResult> {
  const changes: ChangeOutline[] = [];
  const removals: ChangeOutline[] = [];
  const end = (error: unknown) => ({ changes, removals, error });
  for (;;) {
    try {
      const answer = await gateway.ask(
        askState({ ...body, removals: removed - removals.length }, stopsOlder),
      );
      for (const { type, account_id, ...made } of answer.secrets)
        keep({ kind: type, accountId: account_id, ...made });
      changes.push(...answer.changes.map(readChange));
      removals.push(...answer.removals.map(readChange));
      for (const _ of [...answer.changes, ...answer.removals]) onChange();
      if (answer.failure !== null) return end(new Error(answer.failure.message));
      const [issue] = answer.issues;
      if (issue !== undefined) return end(new Error(`${issue.path.join(".")}: ${issue.message}`));
      if (answer.is_whole) return end(null);
    } catch (error) {
      return end(error);
    }
  }
}

function readOutline({ account_names, ...plan }: StateAnswer): PlanOutline {
  return {
    changes: plan.changes.map(readChange),
    removals: plan.removals.map(readChange),
    kept: plan.kept.map(({ type, ...one }) => ({ kind: type, ...one })),
    unchanged: plan.unchanged,
    others: plan.others,
    olderNodes: plan.older_nodes,
    nameAccount: (id) => account_names[id] ?? id,
  };
}

function readChange({ type, drift, ...change }: StateAnswer["changes"][number]): ChangeOutline {
  return { ...change, kind: type, isDrift: drift };
}
