// `poundkey apply`: brings accounts, keys, aliases and tokens to what a file says, also while gateways run on the store.
import { actAs } from "../../admin/audit/audit-trail.ts";
import { openEmptyStore } from "../../app/start/open-store.ts";
import type { Io } from "../../app/terminal.ts";
import { refuseOlder } from "../../core/live-nodes.ts";
import type { Settings } from "../../core/settings.ts";
import type { Change, ChangeOutline, Plan, PlanOutline } from "../../moving/state/draft.ts";
import type { StateWorld } from "../../moving/state/known.ts";
import { performPlan } from "../../moving/state/perform.ts";
import { planState } from "../../moving/state/plan.ts";
import { listWarnings } from "../../moving/state/warnings.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { makeCommandAct, STOP_OLDER, STOP_OLDER_HELP } from "../act.ts";
import { type Open, requireOne, runOnStore } from "../administration.ts";
import { type Arguments, parseArguments, readInteger, STORE_OR_GATEWAY, UsageError } from "../arguments.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { type ApplyOptions, ApplyOutput } from "./apply-output.ts";
import { planThere } from "./apply-there.ts";
import type { ApplyHooks, ApplyResult, PlannedState } from "./planned.ts";
import { readStateText, SecretsFile, type StateText } from "./state-file.ts";
import { makeStateWorld } from "./state-world.ts";

const HELP = `usage: poundkey apply STATE.yaml [--plan] [--prune] [--yes N] [--secrets FILE] [--stop-older] [--json]

Brings accounts, keys, aliases and named tokens to what a file says, and leaves all others alone. It prints every change
before it makes it, and can be repeated: what is as the file says stays as it is. A field that is left out gets its default.
Whatever was paused, revoked or closed stays so. A mistake in the file refuses all of it. \`poundkey export state\` writes
such a file.

  --plan                    print the changes without making them
  --prune                   remove what this file made before and no longer has
  --yes N                   required to remove more than ten: their number
  --secrets FILE            write the secrets of new keys and tokens to a new file, as JSON lines, instead of printing them
${STOP_OLDER_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey apply state.yaml --plan
  poundkey apply state.yaml --secrets new-secrets.jsonl
  poundkey apply state.yaml --prune --yes 12
  poundkey apply state.yaml --plan --gateway https://gateway.example.com`;

const FLAGS = {
  plan: "switch",
  prune: "switch",
  yes: "value",
  secrets: "value",
  json: "switch",
  ...STOP_OLDER,
} as const;
const YES_MAX = 100_000;
/** More removals need their number. */
const REMOVALS_MAX = 10;

/** Runs the command and returns the exit code. */
export function runApply(
  args: readonly string[],
  io: Io,
  open: Open,
  settings: Settings,
  gateway: Gateway | null = null,
): Promise<number> {
  return runOnStore(HELP, args, io, open, async (openAs) => {
    const asked = readAsked(parseArguments(args, FLAGS, 1));
    const text = readStateText(asked.file);
    const openWorld = async (opening: "find" | "make") =>
      makeStateWorld(actAs(await openAs(opening), makeCommandAct(HELP, "", asked.stopsOlder)), settings);
    const planned =
      gateway === null
        ? await planHere(openWorld, text, asked, settings)
        : await planThere(gateway, text, asked);
    const { outline, warnings } = planned;
    const secrets = asked.secrets === undefined ? null : new SecretsFile(asked.secrets);
    if (secrets?.exists() && outline.changes.some(makesSecret))
      throw new Error(`${asked.secrets} exists, and is not overwritten; nothing was changed`);
    if (!asked.isPlan) checkRemovals(outline, asked.yes);
    for (const warning of warnings) io.err(`warning: ${warning}`);
    const output = new ApplyOutput(io, asked, text, secrets);
    output.printPlan(outline);
    if (asked.isPlan) return output.printResult(outline);
    checkNodes(outline, asked);
    if (outline.changes.some(makesSecret)) secrets?.open();
    await output.perform(planned);
  });
}

function readAsked(args: Arguments): ApplyOptions {
  const { words, switches, values } = args;
  const file = requireOne(words, "a state file");
  const isPlan = switches.has("plan");
  const isPruning = switches.has("prune");
  const yes = readInteger(args, "yes", 0, YES_MAX);
  if (yes !== undefined && !isPruning) throw new UsageError("--yes belongs to --prune");
  const stopsOlder = switches.has("stop-older");
  const isJson = switches.has("json");
  return { file, isPlan, isPruning, yes, isJson, stopsOlder, secrets: values.get("secrets") };
}

/** A store is made only once the file is known to be sound. */
async function planHere(
  openWorld: (opening: "find" | "make") => Promise<StateWorld>,
  { state, name, refuse }: StateText,
  { isPlan, isPruning }: ApplyOptions,
  settings: Settings,
): Promise<PlannedState> {
  const planIn = async (world: StateWorld) => {
    const plan = await planState(world, state, { file: name, isPruning });
    refuse(plan.issues);
    const perform = (on: ApplyHooks) => performHere(world, plan, on);
    return { outline: plan, warnings: listWarnings(world, plan), perform };
  };
  const found = await openWorld("find").catch((error: unknown) => {
    if (error instanceof NoStoreError) return null;
    throw error;
  });
  if (found !== null) return planIn(found);
  const empty = await openEmptyStore();
  try {
    const planned = await planIn(makeStateWorld(actAs(empty.world, makeCommandAct(HELP, "")), settings));
    if (isPlan) return planned;
  } finally {
    await empty.store.close();
  }
  return planIn(await openWorld("make"));
}

async function performHere(
  world: StateWorld,
  plan: Plan,
  { keep, onChange }: ApplyHooks,
): Promise<ApplyResult> {
  const done: Change[] = [];
  let error: unknown = null;
  const count = (change: Change) => {
    done.push(change);
    onChange();
  };
  await performPlan(world, plan, { keep, onChange: count }).catch((thrown: unknown) => {
    error = thrown;
  });
  const isDone = (change: Change) => done.includes(change);
  return { changes: plan.changes.filter(isDone), removals: plan.removals.filter(isDone), error };
}

function makesSecret({ action }: ChangeOutline): boolean {
  return action === "key.created" || action === "token.created";
}

/** Before anything is changed: otherwise the changes before the one that stops nodes would be made. */
function checkNodes({ olderNodes }: PlanOutline, { stopsOlder }: ApplyOptions): void {
  if (olderNodes.length > 0 && !stopsOlder) throw refuseOlder(olderNodes);
}

function checkRemovals({ removals: { length } }: PlanOutline, yes: number | undefined): void {
  if (yes === undefined ? length <= REMOVALS_MAX : length === yes) return;
  const given = yes === undefined ? "" : `, not ${yes}`;
  throw new Error(
    `--prune would remove ${length}${given}: look at --plan, then repeat it with --yes ${length}`,
  );
}
