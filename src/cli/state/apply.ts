// `poundkey apply`: brings accounts, keys, aliases and tokens to what a file says, also while gateways run on the store.
import { actAs } from "../../admin/audit/audit-trail.ts";
import { warnOfModels } from "../../admin/keys/key-warnings.ts";
import { openEmptyStore } from "../../app/start/open-store.ts";
import type { Io } from "../../app/terminal.ts";
import { showProgress } from "../../app/workers/progress.ts";
import { asArray } from "../../core/json/json.ts";
import type { Settings } from "../../core/settings.ts";
import { countPlan, describePlan } from "../../moving/state/describe.ts";
import type { Change, MadeSecret, Plan } from "../../moving/state/draft.ts";
import type { StateWorld } from "../../moving/state/known.ts";
import { performPlan } from "../../moving/state/perform.ts";
import { planState } from "../../moving/state/plan.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { makeCommandAct } from "../act.ts";
import { formatJson, type Open, requireOne, runOnStore } from "../administration.ts";
import { type Arguments, parseArguments, readInteger, UsageError } from "../arguments.ts";
import { readStateText, SecretsFile, type StateText } from "./state-file.ts";
import { makeStateWorld } from "./state-world.ts";

const HELP = `usage: poundkey apply STATE.yaml [--plan] [--prune] [--yes N] [--secrets FILE] [--json]

Brings accounts, keys, aliases and named tokens to what a file says, and leaves all others alone. It prints every change
before it makes it, and can be repeated: what is as the file says stays as it is. A field that is left out gets its default.
Whatever was paused, revoked or closed stays so. A mistake in the file refuses all of it. \`poundkey export state\` writes
such a file.

  --plan                    print the changes without making them
  --prune                   remove what this file made before and no longer has
  --yes N                   required to remove more than ten: their number
  --secrets FILE            write the secrets of new keys and tokens to a new file, as JSON lines, instead of printing them
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey apply state.yaml --plan
  poundkey apply state.yaml --secrets new-secrets.jsonl
  poundkey apply state.yaml --prune --yes 12`;

const FLAGS = {
  plan: "switch",
  prune: "switch",
  yes: "value",
  secrets: "value",
  json: "switch",
} as const;
const YES_MAX = 100_000;
/** More removals need their number. */
const REMOVALS_MAX = 10;

/** Runs the command and returns the exit code. */
export function runApply(args: readonly string[], io: Io, open: Open, settings: Settings): Promise<number> {
  return runOnStore(HELP, args, io, open, async (openAs) => {
    const given = parseArguments(args, FLAGS, 1);
    const asked = readAsked(given);
    const text = readStateText(asked.file);
    const openWorld = async (opening: "find" | "make") =>
      makeStateWorld(actAs(await openAs(opening), makeCommandAct(HELP, "")), settings);
    const { world, plan } = await planWhole(openWorld, text, asked, settings);
    const secrets = asked.secrets === undefined ? null : new SecretsFile(asked.secrets);
    if (secrets?.exists() && plan.changes.some(makesSecret))
      throw new Error(`${asked.secrets} exists, and is not overwritten; nothing was changed`);
    if (!asked.isPlan) checkRemovals(plan, asked.yes);
    warn(world, plan, io);
    const run = new Run(io, asked, text, secrets);
    run.printPlan(plan);
    if (asked.isPlan) return run.printResult(plan);
    if (plan.changes.some(makesSecret)) secrets?.open();
    await run.perform(world, plan);
  });
}

interface ApplyOptions {
  readonly file: string;
  readonly isPlan: boolean;
  readonly isPruning: boolean;
  readonly isJson: boolean;
  readonly yes: number | undefined;
  readonly secrets: string | undefined;
}

function readAsked(given: Arguments): ApplyOptions {
  const { words, switches, values } = given;
  const file = requireOne(words, "a state file");
  const isPlan = switches.has("plan");
  const isPruning = switches.has("prune");
  const yes = readInteger(given, "yes", 0, YES_MAX);
  if (yes !== undefined && !isPruning) throw new UsageError("--yes belongs to --prune");
  return { file, isPlan, isPruning, yes, isJson: switches.has("json"), secrets: values.get("secrets") };
}

/** A store is made only once the file is known to be sound. */
async function planWhole(
  openWorld: (opening: "find" | "make") => Promise<StateWorld>,
  { state, name, refuse }: StateText,
  { isPlan, isPruning }: ApplyOptions,
  settings: Settings,
): Promise<{ readonly world: StateWorld; readonly plan: Plan }> {
  const planIn = async (world: StateWorld) => {
    const plan = await planState(world, state, { file: name, isPruning });
    refuse(plan.issues);
    return { world, plan };
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

function makesSecret({ action }: Change): boolean {
  return action === "key.created" || action === "token.created";
}

function checkRemovals({ removals: { length } }: Plan, yes: number | undefined): void {
  if (yes === undefined ? length <= REMOVALS_MAX : length === yes) return;
  const given = yes === undefined ? "" : `, not ${yes}`;
  throw new Error(
    `--prune would remove ${length}${given}: look at --plan, then repeat it with --yes ${length}`,
  );
}

function warn({ aliases, aliasNames }: StateWorld, { changes }: Plan, io: Io): void {
  for (const { kind, name, after } of changes) {
    const models = asArray(kind === "key" ? after?.allowed_models : null).filter(
      (one) => typeof one === "string",
    );
    const others = models.filter((one) => aliasNames.find(one) === null);
    for (const warning of warnOfModels(others, aliases.catalogue()))
      io.err(`warning: key ${name}: ${warning}`);
  }
}

/** One run's output: as text while it happens, or as JSON at its end. */
class Run {
  readonly #io: Io;
  readonly #asked: ApplyOptions;
  readonly #given: ReadonlySet<string | null>;
  readonly #file: SecretsFile | null;
  readonly #made: MadeSecret[] = [];

  constructor(io: Io, asked: ApplyOptions, { state }: StateText, file: SecretsFile | null) {
    this.#io = io;
    this.#asked = asked;
    this.#given = new Set([...state.accounts, ...state.keys, ...state.tokens].map(({ id }) => id));
    this.#file = file;
  }

  printPlan(plan: Plan): void {
    const text = describePlan(plan);
    if (!this.#asked.isJson && text !== "") this.#io.out(text);
  }

  async perform(world: StateWorld, plan: Plan): Promise<void> {
    const all = [...plan.changes, ...plan.removals];
    const done: Change[] = [];
    try {
      await showProgress({ what: "making changes", all: all.length }, (progress) => {
        const onChange = (change: Change) => {
          done.push(change);
          progress.add();
        };
        return performPlan(world, plan, { keep: (made) => this.#keep(made), onChange });
      });
    } finally {
      this.#file?.close();
      const isDone = (change: Change) => done.includes(change);
      this.printResult({
        ...plan,
        changes: plan.changes.filter(isDone),
        removals: plan.removals.filter(isDone),
      });
    }
  }

  #keep(made: MadeSecret): void {
    const { id, name, secret } = made;
    if (this.#file) this.#file.write(made);
    else if (this.#asked.isJson) this.#made.push(made);
    else this.#io.out(`${secret}\n\n${id} (${name}). The secret won't be shown again.\n`);
  }

  printResult(plan: Plan): void {
    const { isPlan, isJson } = this.#asked;
    if (!isJson) {
      this.#io.out(countPlan(plan, !isPlan));
      return;
    }
    const { changes, removals, kept, unchanged, others } = plan;
    const made = this.#made.map(({ accountId, ...one }) => ({ ...one, account_id: accountId }));
    const isNew = ({ kind, action, id }: Change) =>
      kind === "account" && action === "account.created" && isPlan && !this.#given.has(id);
    const news = new Map(changes.filter(isNew).map(({ id, name }) => [id, name]));
    const all = [...changes, ...removals].map((change) => this.#showChange(change, news));
    const stays = kept.map(({ kind, ...one }) => ({ type: kind, ...one }));
    const secrets = this.#made.length === 0 ? {} : { secrets: made };
    this.#io.out(formatJson({ applied: !isPlan, changes: all, kept: stays, unchanged, others, ...secrets }));
  }

  /** The ids of what is still to be made are only known if the file gives them: `news` are the names of such accounts. */
  #showChange(change: Change, news: ReadonlyMap<string, string>): object {
    const { action, kind, id, name, account, before, after, isDrift } = change;
    const isMade = !this.#asked.isPlan || !action.endsWith(".created") || this.#given.has(id);
    const shownId = isMade || kind === "alias" ? id : null;
    const nameNew = (_field: string, value: unknown) =>
      typeof value === "string" ? (news.get(value) ?? value) : value;
    const shownAfter: unknown = JSON.parse(JSON.stringify(after, nameNew));
    return { action, type: kind, id: shownId, name, account, before, after: shownAfter, drift: isDrift };
  }
}
