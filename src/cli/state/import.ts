// `poundkey import`: moves in from another gateway, with its models, accounts, limits, and keys that go on working.
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
import { EXIT, type Io } from "../../app/terminal.ts";
import { showProgress } from "../../app/workers/progress.ts";
import { clock } from "../../app/world.ts";
import type { StoreSettings } from "../../config/store-settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { reportEmptyBalances } from "../../moving/balances.ts";
import { CSV_TABLES, type CsvTableName } from "../../moving/litellm/tables.ts";
import type { PlannedOwners } from "../../moving/plan.ts";
import { Report } from "../../moving/report.ts";
import { writeOwners } from "../../moving/write-owners.ts";
import { makeCommandAct } from "../act.ts";
import { runOnStore } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, parseArguments, UsageError } from "../arguments.ts";
import { printResult } from "./import-result.ts";
import { GATEWAYS, type GatewayName } from "./import-sources.ts";

const DEFAULT_FILE = "poundkey.yaml";
const FOREIGN_UNTIL = "90d";

const HELP = `usage: poundkey import litellm CONFIG.yaml [--database URL | --keys CSV] [options]
       poundkey import new-api FILE.db|CSV [--keys CSV] [options]
       poundkey import portkey CONFIG.json [options]
       poundkey import openrouter FILE [options]

Moves in from another gateway. Providers, model names and fallbacks become a configuration, teams or users accounts, and
keys go on working with the secrets that clients have. It can be repeated: what is here already stays as it is. The
report says what was taken and what wasn't, with the line and the reason. A key that could do or spend more than before is
paused. Exits with 3 if something wasn't taken or is paused.

  --database URL            LiteLLM's PostgreSQL database, with its teams, keys and budgets
  --keys CSV                the keys as a CSV file, whose first line has the columns' names: LiteLLM's, or new-api's tokens
                            beside a CSV of its channels
  --teams, --budgets, --users, --members, --organizations CSV
                            LiteLLM's tables of these beside that of its keys. A key that refers to one that isn't given is
                            paused, as its limits aren't known
  --dry-run                 only print the report. It works on a temporary copy of the store
  --free                    keep a daily free allowance in an existing configuration (new-api)
  --foreign-until DURATION  how long keys that haven't been used yet go on working (default: ${FOREIGN_UNTIL})
  --json                    print JSON
  --config FILE             written if it doesn't exist (default: ./${DEFAULT_FILE}); else the lines to add are printed
  --store S                 as for \`poundkey serve\`

examples:
  poundkey import litellm config.yaml --dry-run
  poundkey import litellm config.yaml --database postgres://litellm@db.example/litellm
  poundkey import new-api one-api.db`;

const FLAGS = {
  ...COMMON_FLAGS,
  database: "value",
  keys: "value",
  teams: "value",
  budgets: "value",
  users: "value",
  members: "value",
  organizations: "value",
  "dry-run": "switch",
  free: "switch",
  "foreign-until": "value",
} as const;

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
      const asked = readAsked(given);
      const { settings, file, isNew } = loadSettings(given);
      const report = new Report();
      const nowMs = clock.nowMs();
      const { config, owners } = await asked.gateway.read({ ...asked, report, settings, isNew, nowMs });
      const isPaid = config.billing !== undefined || settings.billing.charge === "always";
      const perform = async (world: AdminWorld) => {
        const acting = actAs(world, makeCommandAct(HELP, asked.name));
        await write(acting, owners, { ...asked, settings, report });
        if (isPaid) await reportEmptyBalances(acting, owners, report);
      };
      if (asked.isDry) await performOnCopy(settings.store, masterKey, perform);
      else await perform(await open("make"));
      const isJson = given.switches.has("json");
      result = printResult({ io, report, config, file, isNew, isDry: asked.isDry, isJson });
    },
  );
  return code === EXIT.done ? result : code;
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

interface ImportOptions {
  readonly name: GatewayName;
  readonly gateway: (typeof GATEWAYS)[GatewayName];
  readonly file: string;
  readonly database: string | undefined;
  readonly keys: string | undefined;
  /** LiteLLM's tables beside that of the keys, by their flags. */
  readonly tables: Readonly<Partial<Record<CsvTableName, string>>>;
  readonly isDry: boolean;
  readonly isFree: boolean;
  readonly foreignUntilMs: number;
}

/** The gateways to whose import a flag belongs. */
const OWNERS: Readonly<Record<string, readonly GatewayName[]>> = {
  database: ["litellm"],
  keys: ["litellm", "new-api"],
  free: ["new-api"],
  ...Object.fromEntries(Object.keys(CSV_TABLES).map((flag) => [flag, ["litellm"] as const])),
};

function isGateway(name: string): name is GatewayName {
  return Object.hasOwn(GATEWAYS, name);
}

function parseGateway(name: string | undefined): GatewayName {
  if (name !== undefined && isGateway(name)) return name;
  const unknown = name === undefined ? "" : `unknown gateway '${name}'; `;
  throw new UsageError(`${unknown}expected one of: ${Object.keys(GATEWAYS).join(", ")}`);
}

function readAsked({ words: [first, file], values, switches }: Arguments): ImportOptions {
  const name = parseGateway(first);
  if (file === undefined) throw new UsageError("expected a file");
  const database = values.get("database");
  const keys = values.get("keys");
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database))
    throw new UsageError("--database must be an address like postgres://user@host/litellm");
  if (database !== undefined && keys !== undefined)
    throw new UsageError("--database and --keys exclude each other");
  for (const [flag, owners] of Object.entries(OWNERS))
    if (!owners.includes(name) && (values.has(flag) || switches.has(flag)))
      throw new UsageError(`--${flag} belongs to ${owners.join(" and ")}`);
  const untilMs = parseDuration(values.get("foreign-until") ?? FOREIGN_UNTIL);
  if (untilMs === null) throw new UsageError("--foreign-until must be a duration like 90d");
  const isDry = switches.has("dry-run");
  const foreignUntilMs = clock.nowMs() + untilMs;
  return {
    name,
    gateway: GATEWAYS[name],
    file,
    database,
    keys,
    tables: readTableFlags(values),
    isDry,
    isFree: switches.has("free"),
    foreignUntilMs,
  };
}

/** Throws a UsageError for a table without the keys, which alone say whom it limits. */
function readTableFlags(values: Arguments["values"]): ImportOptions["tables"] {
  const given = Object.keys(CSV_TABLES).flatMap((flag) => {
    const path = values.get(flag);
    return path === undefined ? [] : [[flag, path] as const];
  });
  const [first] = given;
  if (first !== undefined && !values.has("keys")) throw new UsageError(`--${first[0]} needs --keys`);
  return Object.fromEntries(given);
}

/**
 * The configuration to be written needn't exist yet, and the variables and files of its providers neither. Only what the import
 * itself needs is read, unless that isn't certain.
 */
function loadSettings({ values }: Pick<Arguments, "values">) {
  const file = values.get("config") ?? DEFAULT_FILE;
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
  { settings: { quota }, foreignUntilMs, isDry, report }: WriteParts,
): Promise<void> {
  const work = { what: "writing accounts and keys", all: owners.accounts.length + owners.keys.length };
  await showProgress(work, (progress) =>
    writeOwners(world, owners, { quota, foreignUntilMs, isDry, report, onRow: () => progress.add() }),
  );
}
