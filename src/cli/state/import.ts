// `poundkey import`: migrates from another gateway, with its models, accounts, limits, and keys that keep working.
import { existsSync } from "node:fs";
import { actAs } from "../../admin/audit/audit-trail.ts";
import type { ActingWorld, AdminWorld } from "../../admin/world.ts";
import {
  type ConfigurationFlags,
  formatErrors,
  loadConfig,
  loadStoreConfig,
  source,
  UNCERTAIN,
} from "../../app/start/configuration.ts";
import { describeStore, openStore } from "../../app/start/open-store.ts";
import { openCopy } from "../../app/start/store-copy.ts";
import { listStopped } from "../../app/start/store-versions.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { showProgress } from "../../app/workers/progress.ts";
import { clock } from "../../app/world.ts";
import { findPlaces, IN_FOLDER } from "../../config/places.ts";
import type { StoreSettings } from "../../config/store/store-settings.ts";
import type { RowChange } from "../../core/changes.ts";
import { describeStops, nameNode, refuseOlder } from "../../core/live-nodes.ts";
import { reportEmptyBalances } from "../../moving/balances.ts";
import type { PlannedOwners } from "../../moving/plan.ts";
import { Report } from "../../moving/report.ts";
import { writeOwners } from "../../moving/write-owners.ts";
import { makeCommandAct, STOP_OLDER_HELP } from "../act.ts";
import { runOnStore } from "../administration.ts";
import { type Arguments, parseArguments, UsageError } from "../arguments.ts";
import { followImport } from "./import-follow.ts";
import { FLAGS, FOREIGN_UNTIL, type ImportOptions, readOptions } from "./import-options.ts";
import { printResult } from "./import-result.ts";
import { readReport, undo } from "./import-undo.ts";

const HELP = `usage: poundkey import litellm CONFIG.yaml [--database URL | --keys CSV] [options]
       poundkey import new-api FILE.db|CSV [--keys CSV] [options]
       poundkey import portkey CONFIG.json [options]
       poundkey import openrouter FILE [options]
       poundkey import --undo REPORT.json [options]

Migrates from another gateway. Providers, model names and fallbacks become a configuration, teams or users accounts, and
keys keep working with the secrets that clients have. It can be repeated: what is here already gets what was spent, blocked
and deleted since. The report says what was taken and what wasn't, with the line and the reason. A key that could do or spend
more than before is paused. Exits with 3 if something wasn't taken or is paused.

  --database URL            LiteLLM's PostgreSQL database, with its teams, keys and budgets
  --keys CSV                the keys as a CSV file, whose first line has the columns' names: LiteLLM's, or new-api's tokens
                            beside a CSV of its channels
  --teams, --budgets, --users, --members, --organizations CSV
                            LiteLLM's tables of these beside that of its keys. A key that refers to one that isn't given is
                            paused, as its limits aren't known
  --dry-run                 only print the report. It works on a temporary copy of the store
  --follow                  go on until Ctrl-C: take what is spent, blocked and deleted there meanwhile
  --undo REPORT.json        take back what an import made and nobody has changed since, by what it printed with --json
  --free                    keep a daily free allowance in an existing configuration (new-api)
  --foreign-until DURATION  how long keys that haven't been used yet keep working (default: ${FOREIGN_UNTIL})
${STOP_OLDER_HELP}
  --json                    print JSON
  --config FILE             written if it doesn't exist (default: ./${IN_FOLDER.config}); else the lines to add are printed
  --store S                 as for \`poundkey serve\`

examples:
  poundkey import litellm config.yaml --dry-run
  poundkey import litellm config.yaml --database postgres://litellm@db.example/litellm
  poundkey import new-api one-api.db`;

/** Runs the command and returns the exit code. */
export async function runImport(
  args: readonly string[],
  io: Io,
  masterKey: string | undefined,
): Promise<number> {
  let result: number = EXIT.done;
  const code = await runOnStore(
    HELP,
    args,
    io,
    (opening) => openWorld(args, io, masterKey, opening),
    async (open) => {
      const given = parseArguments(args, FLAGS, 2);
      const isJson = given.switches.has("json");
      const undone = given.values.get("undo");
      if (undone !== undefined) {
        if (given.words.length > 0) throw new UsageError("--undo takes the report of an import alone");
        const report = readReport(undone);
        result = await undo(act(await open("find"), "undo"), report, { io, isJson });
      } else result = await importOnce(given, { io, isJson, masterKey, open: () => open("make") });
    },
  );
  return code === EXIT.done ? result : code;
}

function act(world: AdminWorld, name: string, stopsOlder = false): ActingWorld {
  return actAs(world, makeCommandAct(HELP, name, stopsOlder));
}

interface ImportParts {
  readonly io: Io;
  readonly isJson: boolean;
  readonly masterKey: string | undefined;
  readonly open: () => Promise<AdminWorld>;
}

/** Imports, and follows the other gateway if that is asked for. Returns the exit code. */
async function importOnce(args: Arguments, { io, isJson, masterKey, open }: ImportParts): Promise<number> {
  const asked = readOptions(args);
  const { settings, file, isNew } = loadSettings(args);
  const read = async (report: Report) => {
    const nowMs = clock.nowMs();
    const { config, owners } = await asked.gateway.read({ ...asked, report, settings, isNew, nowMs });
    const isPaid = config.billing !== undefined || settings.billing.charge === "always";
    const perform = async (world: AdminWorld) => {
      const acting = act(world, asked.name, asked.stopsOlder);
      await write(acting, owners, { ...asked, settings, report });
      if (isPaid) await reportEmptyBalances(acting, owners, report);
    };
    return { config, owners, perform };
  };
  const report = new Report();
  const { config, owners, perform } = await read(report);
  const olderNodes = (await listStopped(settings.store, listRows(owners))).map(nameNode);
  if (olderNodes.length > 0 && !isJson) io.out(`${describeStops(olderNodes)}\n`);
  if (olderNodes.length > 0 && !asked.isDry && !asked.stopsOlder) throw refuseOlder(olderNodes);
  const world = asked.isDry ? null : await open();
  if (world === null) await performOnCopy(settings.store, masterKey, perform);
  else await perform(world);
  const result = printResult({ io, report, olderNodes, config, file, isNew, isDry: asked.isDry, isJson });
  if (world === null || !asked.isFollowing) return result;
  const repeat = async () => {
    const later = new Report();
    await (await read(later)).perform(world);
    return later;
  };
  await followImport({ io, isJson, repeat });
  return result;
}

/** The rows that the import would add. */
function listRows({ accounts, keys }: PlannedOwners): readonly RowChange[] {
  return [
    ...accounts.map(({ account }) => ({ kind: "account", before: null, after: account }) as const),
    ...keys.map(({ key }) => ({ kind: "key", before: null, after: key }) as const),
  ];
}

/** A dry run takes the same steps, on a copy that is deleted, so that it fails where the import would. */
async function performOnCopy(
  address: string,
  masterKey: string | undefined,
  perform: (world: AdminWorld) => Promise<void>,
): Promise<void> {
  const copy = await openCopy(address, masterKey);
  try {
    await perform(copy.world);
  } finally {
    await copy.remove();
  }
}

/**
 * The configuration to be written needn't exist yet, and the variables and files of its providers neither. Only what the import
 * itself needs is read, unless that isn't certain.
 */
function loadSettings({ values }: Pick<Arguments, "values">) {
  const file = values.get("config") ?? findPlaces(source.env).config;
  if (file === null)
    throw new Error("there is no home for the configuration, so name its file with --config");
  const isNew = !existsSync(file);
  const flags: ConfigurationFlags = { config: isNew ? undefined : file, store: values.get("store") };
  const ports = isNew ? { ...source, readConfig: () => "" } : source;
  const read = loadStoreConfig(flags, ports);
  if (read !== null && read.unread.length === 0) return { settings: read.settings, file, isNew };
  const { loaded } = loadConfig(flags, ports);
  if (loaded.ok) return { settings: loaded.settings, file, isNew };
  throw new Error([formatErrors(loaded.errors), ...(read === null ? [UNCERTAIN] : [])].join("\n"));
}

async function openWorld(
  args: readonly string[],
  io: Io,
  masterKey: string | undefined,
  opening: "find" | "make",
) {
  const { settings } = loadSettings(parseArguments(args, FLAGS, 2));
  if (opening === "make") io.err(describeStore(settings.store));
  return (await openStore(settings.store, masterKey, opening)).world;
}

interface WriteParts extends Pick<ImportOptions, "foreignUntilMs" | "isDry"> {
  readonly settings: StoreSettings;
  readonly report: Report;
}

async function write(
  world: ActingWorld,
  owners: PlannedOwners,
  { settings: rules, foreignUntilMs, isDry, report }: WriteParts,
): Promise<void> {
  const work = { what: "writing accounts and keys", all: owners.accounts.length + owners.keys.length };
  await showProgress(work, (progress) =>
    writeOwners(world, owners, { rules, foreignUntilMs, isDry, report, onRow: () => progress.add() }),
  );
}
