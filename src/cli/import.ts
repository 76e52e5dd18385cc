// `poundkey import`: moves in from another gateway, with its models, accounts, limits, and keys that go on working.
import { existsSync, writeFileSync } from "node:fs";
import { actAs } from "../admin/audit-trail.ts";
import type { ActingWorld } from "../admin/world.ts";
import {
  type ConfigurationFlags,
  formatErrors,
  loadConfig,
  loadStoreConfig,
  source,
  UNCERTAIN,
} from "../app/configuration.ts";
import { describeStore, openStore } from "../app/open-store.ts";
import { showProgress } from "../app/progress.ts";
import type { Io } from "../app/terminal.ts";
import { clock } from "../app/world.ts";
import type { StoreSettings } from "../config/store-settings.ts";
import { parseDuration } from "../core/duration.ts";
import { reportEmptyBalances } from "../moving/balances.ts";
import { writeConfigText } from "../moving/config-text.ts";
import type { PlannedConfig, PlannedOwners } from "../moving/plan.ts";
import { Report } from "../moving/report.ts";
import { writeOwners } from "../moving/write-owners.ts";
import { NoStoreError } from "../store/address.ts";
import { makeCommandAct } from "./act.ts";
import { formatJson, formatTable, runOnStore } from "./administration.ts";
import { type Arguments, COMMON_FLAGS, parseArguments, UsageError } from "./arguments.ts";
import { GATEWAYS, type GatewayName } from "./import-sources.ts";

const DEFAULT_FILE = "poundkey.yaml";
const FOREIGN_UNTIL = "90d";

const HELP = `usage: poundkey import litellm CONFIG.yaml [--database URL | --keys CSV] [options]
       poundkey import new-api FILE.db|CSV [--keys CSV] [options]
       poundkey import portkey CONFIG.json [options]
       poundkey import openrouter FILE [options]

Moves in from another gateway. Providers, model names and fallbacks become a configuration, teams or users accounts, and
keys go on working with the secrets that clients have. It can be repeated: what is here already stays as it is. The
report says what was taken and what wasn't, with the line and the reason.

  --database URL            LiteLLM's PostgreSQL database, with its teams, keys and budgets
  --keys CSV                the keys as a CSV file, whose first line has the columns' names: LiteLLM's, or new-api's tokens
                            beside a CSV of its channels
  --dry-run                 only print the report
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
  "dry-run": "switch",
  free: "switch",
  "foreign-until": "value",
} as const;

/** Runs the command and returns the exit code. */
export function runImport(args: readonly string[], io: Io, masterKey: string | undefined): Promise<number> {
  return runOnStore(
    HELP,
    args,
    io,
    (opening) => openWorld(args, io, masterKey, opening),
    async (open) => {
      const given = parseArguments(args, FLAGS, 2);
      const asked = readAsked(given);
      const { settings, file, isNew } = loadSettings(given);
      const report = new Report();
      const { config, owners } = await asked.gateway.read({
        ...asked,
        report,
        settings,
        isNew,
        nowMs: clock.nowMs(),
      });
      const world = await open(asked.isDry ? "find" : "make").catch(onlyWithoutStore(asked.isDry));
      if (asked.isDry) await describeOwners(world, owners, report);
      else if (world)
        await write(actAs(world, makeCommandAct(HELP, asked.name)), owners, {
          ...asked,
          settings,
          report,
        });
      const isPaid = config.billing !== undefined || settings.billing.charge === "always";
      if (isPaid) await reportEmptyBalances(world, owners, report);
      printResult({
        io,
        report,
        config,
        file,
        isNew,
        isDry: asked.isDry,
        isJson: given.switches.has("json"),
      });
    },
  );
}

interface Asked {
  readonly name: GatewayName;
  readonly gateway: (typeof GATEWAYS)[GatewayName];
  readonly file: string;
  readonly database: string | undefined;
  readonly keys: string | undefined;
  readonly isDry: boolean;
  readonly isFree: boolean;
  readonly foreignUntilMs: number;
}

/** The gateways to whose import a flag belongs. */
const OWNERS: Readonly<Record<string, readonly GatewayName[]>> = {
  database: ["litellm"],
  keys: ["litellm", "new-api"],
  free: ["new-api"],
};

function readAsked({ words, values, switches }: Arguments): Asked {
  const [name, file] = words;
  const names = Object.keys(GATEWAYS).join(", ");
  const known = (Object.keys(GATEWAYS) as GatewayName[]).find((one) => one === name);
  if (known === undefined) {
    const unknown = name === undefined ? "" : `unknown gateway '${name}'; `;
    throw new UsageError(`${unknown}expected one of: ${names}`);
  }
  if (file === undefined) throw new UsageError("expected a file");
  const [database, keys] = [values.get("database"), values.get("keys")];
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database))
    throw new UsageError("--database must be an address like postgres://user@host/litellm");
  if (database !== undefined && keys !== undefined)
    throw new UsageError("--database and --keys exclude each other");
  for (const [flag, owners] of Object.entries(OWNERS))
    if (!owners.includes(known) && (values.has(flag) || switches.has(flag)))
      throw new UsageError(`--${flag} belongs to ${owners.join(" and ")}`);
  const untilMs = parseDuration(values.get("foreign-until") ?? FOREIGN_UNTIL);
  if (untilMs === null) throw new UsageError("--foreign-until must be a duration like 90d");
  const isDry = switches.has("dry-run");
  const foreignUntilMs = clock.nowMs() + untilMs;
  return {
    name: known,
    gateway: GATEWAYS[known],
    file,
    database,
    keys,
    isDry,
    isFree: switches.has("free"),
    foreignUntilMs,
  };
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

/** A dry run needs no store. */
function onlyWithoutStore(isDry: boolean) {
  return (error: unknown) => {
    if (isDry && error instanceof NoStoreError) return null;
    throw error;
  };
}

/** Says of each row whether it would be added. */
async function describeOwners(
  world: Pick<ActingWorld, "store"> | null,
  { accounts, keys }: PlannedOwners,
  report: Report,
): Promise<void> {
  const say = (isHere: boolean) => (isHere ? "already here, stays as it is" : "would be added");
  for (const { account } of accounts) {
    const found = await world?.store.account(account.id);
    report.take(null, `account ${account.name}`, say(Boolean(found)));
  }
  for (const { key } of keys)
    report.take(null, `key ${key.name}`, say(Boolean(await world?.store.key(key.id))));
}

interface WriteParts extends Pick<Asked, "foreignUntilMs"> {
  readonly settings: StoreSettings;
  readonly report: Report;
}

async function write(
  world: ActingWorld,
  owners: PlannedOwners,
  { settings: { quota }, foreignUntilMs, report }: WriteParts,
): Promise<void> {
  const work = { what: "writing accounts and keys", all: owners.accounts.length + owners.keys.length };
  await showProgress(work, (progress) =>
    writeOwners(world, owners, { quota, foreignUntilMs, report, onRow: () => progress.add() }),
  );
}

/** Variables whose values may be any text, or an address. */
const ANY_TEXT = /KEY|SECRET|TOKEN|BASE|URL|ENDPOINT/;

/**
 * Returns the mistakes in a configuration that was made, as when the other gateway had more models than are allowed. Null also
 * if they depend on what its variables hold. The report's variables, which are still to be set, don't count as missing.
 */
function findProblem(text: string, file: string, { variables }: Report): string | null {
  const names = [...new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name))];
  if (text === "" || !names.every((name) => ANY_TEXT.test(name))) return null;
  const asked = new Set([...names, ...variables.map(({ name }) => name)]);
  const env = (name: string) => (asked.has(name) ? `https://${name}.example` : source.env(name));
  const { loaded } = loadConfig({ config: file }, { ...source, env, readConfig: () => text });
  const errors = loaded.ok ? [] : loaded.errors.filter((error) => error.file !== "environment");
  return errors.length === 0 ? null : formatErrors(errors);
}

interface Result {
  readonly io: Io;
  readonly report: Report;
  readonly config: PlannedConfig;
  readonly file: string;
  readonly isNew: boolean;
  readonly isDry: boolean;
  readonly isJson: boolean;
}

/** The configuration is written last: a gateway that starts on it has all accounts and keys. */
function printResult({ io, report, config, file, isNew, isDry, isJson }: Result): void {
  const text = writeConfigText(config);
  const isWritten = isNew && !isDry && text !== "";
  const problem = findProblem(text, file, report);
  if (problem !== null)
    io.err(`poundkey: the configuration needs a correction before it is used:\n${problem}`);
  if (isWritten) writeFileSync(file, text, { flag: "wx" });
  const { rows, variables } = report;
  if (isJson) {
    io.out(formatJson({ rows, variables, config: text, written: isWritten ? file : null }));
    return;
  }
  const lines = rows.map(({ line, item, isTaken, words }) => [
    item,
    isTaken ? "yes" : "no",
    line === null ? "-" : String(line),
    words,
  ]);
  io.out(formatTable([["FOUND", "TAKEN", "LINE", "AS, OR WHY NOT"], ...lines]));
  if (variables.length > 0) {
    const needed = variables.map(({ name, use }) => [name, use]);
    io.out(`\nSet in the gateway's environment:\n\n${formatTable([["VARIABLE", "FOR"], ...needed])}`);
  }
  if (isWritten) io.out(`\nWrote ${file}.`);
  else if (text !== "") io.out(`\n${isNew ? `${file} would be` : `${file} exists. Add to it`}:\n\n${text}`);
}
