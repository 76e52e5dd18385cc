// The table of commands, and the command line that chooses one.
import { version } from "../../package.json" with { type: "json" };
import {
  type ConfigurationFlags,
  formatErrors,
  loadConfig,
  loadStoreConfig,
  source,
  UNCERTAIN,
} from "../app/start/configuration.ts";
import { describeStore, findExposedFiles, openStore, showPlace } from "../app/start/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { describeVersion } from "../app/version.ts";
import type { ConfigError } from "../config/errors.ts";
import type { StoreSettings } from "../config/store-settings.ts";
import { suggest } from "../core/text/nearest.ts";
import { PLAIN_THINGS } from "../core/things/plain-things.ts";
import type { Administration, Open } from "./administration.ts";

interface Command {
  readonly about: string;
  readonly run: (args: readonly string[], io: Io) => Promise<number>;
}

/** Each command is loaded only when it runs, so that it starts sooner. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: "run the gateway",
    run: async (args, io) => (await import("./start/serve.ts")).runServe(args, io),
  },
  check: {
    about: "validate the configuration",
    run: async (args, io) => {
      const [{ runCheck }, { probe }, { probeIssuer }, accounts, versions] = await Promise.all([
        import("./start/check.ts"),
        import("../app/models/probe.ts"),
        import("../app/oidc/sign-in.ts"),
        import("../app/start/account-names.ts"),
        import("../app/start/store-versions.ts"),
      ]);
      const { readStoreVersions: schema } = versions;
      const store = {
        accountNames: accounts.readAccountNames,
        boundAccounts: accounts.readBoundAccounts,
        keyModels: accounts.readKeyModels,
        exposedFiles: findExposedFiles,
        schema,
      };
      const ports = { probe, probeIssuer, ...store, version: describeVersion };
      return runCheck(args, io, { ...source, ...ports });
    },
  },
  keys: onStore(
    "add, list, pause, rotate and revoke gateway keys",
    async () => (await import("./keys/keys.ts")).runKeys,
  ),
  accounts: onStore(
    "add, list, top up and show accounts",
    async () => (await import("./money/accounts.ts")).runAccounts,
  ),
  tokens: onStore(
    "add, list and revoke named tokens of the admin routes",
    async () => (await import("./people/tokens.ts")).runTokens,
  ),
  members: onStore(
    "list people who signed in or are in the company's directory",
    async () => (await import("./people/members.ts")).runMembers,
  ),
  ...Object.fromEntries(
    PLAIN_THINGS.map((thing) => [
      thing.plural,
      onStore(`list, show, add, change and end ${thing.plural}`, async () =>
        (await import("./things.ts")).makePlainCommand(thing),
      ),
    ]),
  ),
  batches: onStore(
    "list, show and cancel batches",
    async () => (await import("./models/batches.ts")).runBatches,
  ),
  requests: onStore("list requests of the log", async () => (await import("./log/log.ts")).runRequests),
  files: onStore(
    "list and delete files of clients",
    async () => (await import("./models/files.ts")).runFiles,
  ),
  refusals: onStore("list refused requests", async () => (await import("./log/log.ts")).runRefusals),
  statement: onStore(
    "print an account's statement of a month",
    async () => (await import("./log/log.ts")).runStatement,
  ),
  usage: onStore("sum up usage", async () => (await import("./log/log.ts")).runUsage),
  providers: onStore(
    "sum up each provider's requests by outcome",
    async () => (await import("./log/log.ts")).runProviders,
  ),
  export: onStore(
    "write whole lists as CSV or JSON lines",
    async () => (await import("./log/export.ts")).runExport,
  ),
  ledger: onStore(
    "verify the books, and re-rate an open month",
    async () => (await import("./money/ledger.ts")).runLedger,
  ),
  audit: onStore("verify the audit log", async () => (await import("./audit/audit.ts")).runAudit),
  admin: onStore("reset the admin token", async () => (await import("./people/admin.ts")).runAdmin),
  route: onStore(
    "show which model a selector would choose, and why",
    async () => (await import("./models/route.ts")).runRoute,
  ),
  backup: onStore("copy a SQLite store while a gateway runs on it", async () => {
    const [{ runBackup }, { makeStoreCommand }] = await Promise.all([
      import("./start/backup.ts"),
      import("./administration.ts"),
    ]);
    return makeStoreCommand((...given) => runBackup(...given, process.env.POUNDKEY_MASTER_KEY));
  }),
  migrate: onStore("migrate the store before a new version starts", async () => {
    const [{ runMigrate }, { makeStoreCommand }] = await Promise.all([
      import("./start/migrate.ts"),
      import("./administration.ts"),
    ]);
    return makeStoreCommand((...given) => runMigrate(...given, process.env.POUNDKEY_MASTER_KEY));
  }),
  restore: onStore("put a backup in an empty place, and prove it", async () => {
    const { runRestore } = await import("./start/restore.ts");
    return (...given) => runRestore(...given, process.env.POUNDKEY_MASTER_KEY);
  }),
  "master-key": onStore("replace the master key, while gateways run", async () =>
    (await import("./start/master-key.ts")).makeMasterKeyCommand(process.env.POUNDKEY_MASTER_KEY),
  ),
  import: {
    about: "move in from another gateway",
    run: async (args, io) =>
      (await import("./state/import.ts")).runImport(args, io, process.env.POUNDKEY_MASTER_KEY),
  },
  apply: onStore(
    "bring accounts, keys, aliases and tokens to what a file says",
    async () => (await import("./state/apply.ts")).runApply,
  ),
  models: {
    about: "list the models in the catalogue",
    run: async (args, io) => (await import("./models/models.ts")).runModels(args, io, source),
  },
  catalogue: {
    about: "show what a catalogue file would change",
    run: async (args, io) => (await import("./models/catalogue.ts")).runCatalogue(args, io, source),
  },
  health: {
    about: "tell whether a running gateway is ready",
    run: async (args, io) => (await import("./start/health.ts")).runHealth(args, io, source),
  },
  samples: {
    about: "write files for a deployment: compose, chart, units, proxies",
    run: async (args, io) => (await import("./start/samples.ts")).runSamples(args, io),
  },
  login: {
    about: "sign in at a gateway with the company's account",
    run: async (args, io) => (await import("./people/login.ts")).runLogin(args, io),
  },
  token: {
    about: "print a key of that sign-in, for agents",
    run: async (args, io) => (await import("./people/login.ts")).runToken(args, io),
  },
  simulate: {
    about: "run only the simulated providers",
    run: async (args, io) => (await import("./models/simulate.ts")).runSimulate(args, io),
  },
};

/** The flags that stand in a command's place. */
const OWN_FLAGS = ["--help", "--version"];

const HELP = [
  "usage: poundkey COMMAND [options]",
  "       poundkey --version",
  "",
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`),
  "",
  `Run poundkey COMMAND --help for a command's options and examples. This is version ${version}.`,
].join("\n");

/** `process.stdout` would cost 10 ms, and lose what a slow reader hasn't read when the process exits. */
const PROCESS_IO: Io = {
  out: (text) => console.log(text),
  err: (text) => void process.stderr.write(`${text}\n`),
};

function describeUnknown(name: string): string {
  if (!name.startsWith("-")) return `unknown command '${name}'${suggest(name, Object.keys(COMMANDS))}`;
  const meant = suggest(name, OWN_FLAGS);
  return meant === "" ? `expected a command before ${name}` : `unknown flag ${name}${meant}`;
}

/** Runs the command that the arguments name and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io = PROCESS_IO): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    io.out(HELP);
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === "--version") {
    io.out(await describeVersion());
    return EXIT.done;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) {
    // The binary is built to compile late (`--compile-jit-policy`), which suits a gateway's start but no other command.
    if (name !== "serve") Bun.unsafe.setJITPolicy(1);
    return command.run(rest, io);
  }
  io.err(`poundkey: ${describeUnknown(name)}\nSee poundkey --help.`);
  return EXIT.usage;
}

const NO_SOURCE = { ...source, env: () => undefined, readConfig: () => "", readFile: () => "" };

/** Wraps a command that works on the store. `--config` and `--store` choose the store, wherever they stand. */
function onStore(about: string, load: () => Promise<Administration>): Command {
  const run: Command["run"] = async (args, io) => {
    const rest = [...args];
    const flags = takeFlags(rest);
    if (typeof flags === "string") {
      io.err(`poundkey: ${flags}`);
      return EXIT.usage;
    }
    // The help is printed whatever the configuration holds.
    const isHelp = rest.includes("--help") || rest.includes("-h");
    const { loaded } = loadForCommand(flags, isHelp ? NO_SOURCE : source);
    const command = await load();
    if (loaded.ok) return command(rest, io, opener(loaded.settings, io), loaded.settings);
    const storeCommand = command.findStoreCommand?.(rest) ?? null;
    if (storeCommand === null) return refuse(io, [formatErrors(loaded.errors)]);
    const read = loadStoreConfig(flags, source);
    if (read === null) return refuse(io, [formatErrors(loaded.errors), UNCERTAIN]);
    const { settings, unread } = read;
    for (const warning of describeBroken(loaded.errors, settings.store, unread))
      io.err(`warning: ${warning}`);
    return storeCommand(rest, io, opener(settings, io), settings);
  };
  return { about, run };
}

/**
 * A command calls no provider, so it needs none of their secrets: those that aren't set in this shell are stood in for. Any
 * other mistake stays one.
 */
function loadForCommand(flags: ConfigurationFlags, from: typeof source) {
  const first = loadConfig(flags, from);
  const { loaded } = first;
  if (loaded.ok || !loaded.errors.every(({ message }) => UNSET.test(message))) return first;
  const names = new Set(loaded.errors.map(({ message }) => UNSET.exec(message)?.[1]));
  const env = (name: string) => from.env(name) ?? (names.has(name) ? STANDING_IN : undefined);
  const again = loadConfig(flags, { ...from, env });
  return again.loaded.ok ? again : first;
}

const UNSET = /environment variable (\w+) is not set$/;
/** Fits where a key or an address does. */
const STANDING_IN = "https://unset.invalid/key-that-is-not-set";

function opener({ store }: StoreSettings, io: Io): Open {
  return async (opening) => {
    if (opening === "make") io.err(describeStore(store));
    return (await openStore(store, process.env.POUNDKEY_MASTER_KEY, opening)).world;
  };
}

function refuse(io: Io, lines: readonly string[]): number {
  for (const line of lines) io.err(line);
  return EXIT.failed;
}

/** Describes a configuration beside which a command goes on. */
function describeBroken(errors: readonly ConfigError[], store: string, unread: readonly string[]): string[] {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return [
    `${formatErrors(errors.slice(0, 1))}${more}`,
    `this command only needs the store, ${showPlace(store)}, and goes on without the rest of the configuration`,
    ...unread.map((section) => `${section} can't be read, so its defaults stand in for it`),
  ];
}

/** Takes the two flags out of the arguments. Returns a message if one lacks its value. */
function takeFlags(args: string[]): ConfigurationFlags | string {
  const flags: { config?: string; store?: string } = {};
  for (const name of ["config", "store"] as const) {
    const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    if (at === -1) continue;
    const [flag = ""] = args.splice(at, 1);
    const value = flag.includes("=") ? flag.slice(flag.indexOf("=") + 1) : args.splice(at, 1)[0];
    if (!value) return `--${name} needs a value`;
    flags[name] = value;
  }
  return flags;
}
