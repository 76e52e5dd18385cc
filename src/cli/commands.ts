// The table of commands, and the command line that chooses one.
import { isatty } from "node:tty";
import { version } from "../../package.json" with { type: "json" };
import { source } from "../app/start/configuration.ts";
import { findExposedFiles } from "../app/start/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { describeVersion } from "../app/version.ts";
import { findPlacesMistake } from "../config/places.ts";
import { suggest } from "../core/text/nearest.ts";
import { PLAIN_THINGS } from "../core/things/plain-things.ts";
import { wrapHelp } from "./help-lines.ts";
import { type Command, isHelp, onStore, onStoreOrGateway, refuseGateway } from "./on-store.ts";
import { describeUnreadFiles } from "./unread-files.ts";

/** Each command is loaded only when it runs, so that it starts sooner. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: "run the gateway",
    onlyHere: "it starts a gateway on this machine",
    run: async (args, io) => (await import("./start/serve.ts")).runServe(args, io),
  },
  demo: {
    about: "show a made-up company's month, with simulated answers",
    onlyHere: "it starts a gateway on this machine",
    run: async (args, io) => (await import("./start/demo.ts")).runDemoCommand(args, io),
  },
  check: {
    about: "validate the configuration",
    onlyHere: "it validates a file of this machine",
    run: async (args, io) => {
      const [{ runCheck }, { probe }, { probeTools }, { probeIssuer }, accounts, versions] =
        await Promise.all([
          import("./start/check.ts"),
          import("../app/models/probe.ts"),
          import("../app/tools/probe.ts"),
          import("../app/oidc/sign-in.ts"),
          import("../app/start/account-names.ts"),
          import("../app/start/store-versions.ts"),
        ]);
      const { readStoreVersions: schema } = versions;
      const store = {
        accountNames: accounts.readAccountNames,
        boundAccounts: accounts.readBoundAccounts,
        keyModels: accounts.readKeyModels,
        keyNames: accounts.readKeyNames,
        groupNames: accounts.readGroupNames,
        exposedFiles: findExposedFiles,
        schema,
      };
      const ports = { probe, probeTools, probeIssuer, ...store, version: describeVersion };
      return runCheck(args, io, { ...source, ...ports });
    },
  },
  keys: onStoreOrGateway(
    "add, list, pause, rotate and revoke gateway keys",
    async () => (await import("./keys/keys.ts")).runKeys,
  ),
  accounts: onStoreOrGateway(
    "add, list, top up and show accounts",
    async () => (await import("./money/accounts.ts")).runAccounts,
  ),
  tokens: onStoreOrGateway(
    "add, list and revoke named tokens of the admin routes",
    async () => (await import("./people/tokens.ts")).runTokens,
  ),
  members: onStoreOrGateway(
    "list people who signed in or are in the company's directory",
    async () => (await import("./people/members.ts")).runMembers,
  ),
  ...Object.fromEntries(
    PLAIN_THINGS.map((thing) => [
      thing.plural,
      onStoreOrGateway(`list, show, add, change and end ${thing.plural}`, async () =>
        (await import("./things.ts")).makePlainCommand(thing),
      ),
    ]),
  ),
  requests: onStoreOrGateway(
    "list requests of the log",
    async () => (await import("./log/log.ts")).runRequests,
  ),
  batches: onStoreOrGateway(
    "list, show and cancel batches",
    async () => (await import("./models/batches.ts")).runBatches,
  ),
  files: onStoreOrGateway(
    "list and delete files of clients",
    async () => (await import("./models/files.ts")).runFiles,
  ),
  refusals: onStoreOrGateway("list refused requests", async () => (await import("./log/log.ts")).runRefusals),
  statement: onStoreOrGateway(
    "print an account's statement of a month",
    async () => (await import("./log/log.ts")).runStatement,
  ),
  usage: onStoreOrGateway("sum up usage", async () => (await import("./log/log.ts")).runUsage),
  providers: onStoreOrGateway(
    "sum up each provider's requests by outcome",
    async () => (await import("./log/log.ts")).runProviders,
  ),
  export: onStoreOrGateway(
    "write whole lists as CSV or JSON lines",
    async () => (await import("./log/export.ts")).runExport,
  ),
  tools: onStoreOrGateway(
    "list the tools of tool servers",
    async () => (await import("./tools/tools.ts")).runTools,
  ),
  ledger: onStore(
    "verify the books, and re-rate an open month",
    async () => (await import("./money/ledger.ts")).runLedger,
  ),
  audit: onStore("verify the audit log", async () => (await import("./audit/audit.ts")).runAudit),
  admin: onStore("reset the admin token", async () => (await import("./people/admin.ts")).runAdmin),
  route: onStoreOrGateway(
    "show which model a selector would choose, and why",
    async () => (await import("./models/route.ts")).runRoute,
  ),
  backup: onStore("copy a SQLite store while a gateway runs on it", async () => {
    const [{ runBackup }, { makeStoreCommand }] = await Promise.all([
      import("./start/backup.ts"),
      import("./administration.ts"),
    ]);
    return makeStoreCommand((args, io, open, settings) =>
      runBackup(args, io, open, settings, process.env.POUNDKEY_MASTER_KEY),
    );
  }),
  migrate: onStore("migrate the store before a new version starts", async () => {
    const [{ runMigrate }, { makeStoreCommand }] = await Promise.all([
      import("./start/migrate.ts"),
      import("./administration.ts"),
    ]);
    return makeStoreCommand((args, io, open, settings) =>
      runMigrate(args, io, open, settings, process.env.POUNDKEY_MASTER_KEY),
    );
  }),
  restore: onStore("put a backup in an empty place, and prove it", async () => {
    const { runRestore } = await import("./start/restore.ts");
    return (args, io, open, settings) =>
      runRestore(args, io, open, settings, process.env.POUNDKEY_MASTER_KEY);
  }),
  "master-key": onStore("replace the master key, while gateways run", async () =>
    (await import("./start/master-key.ts")).makeMasterKeyCommand(process.env.POUNDKEY_MASTER_KEY),
  ),
  import: {
    about: "migrate from another gateway",
    onlyHere: "it works on a store alone, which --store names",
    run: async (args, io) =>
      (await import("./state/import.ts")).runImport(args, io, process.env.POUNDKEY_MASTER_KEY),
  },
  apply: onStoreOrGateway(
    "bring accounts, keys, aliases and tokens to what a file says",
    async () => (await import("./state/apply.ts")).runApply,
  ),
  models: {
    about: "list the models in the catalogue",
    onlyHere: null,
    run: async (args, io) => (await import("./models/models.ts")).runModels(args, io, source),
  },
  catalogue: {
    about: "show what a catalogue file would change",
    onlyHere: null,
    run: async (args, io) => (await import("./models/catalogue.ts")).runCatalogue(args, io, source),
  },
  guard: {
    about: "find personal data and secrets in a text, as a gateway would",
    onlyHere: "it searches with a file's rules; POST /admin/v1/guard/try asks a gateway",
    run: async (args, io) => (await import("./guard/guard.ts")).runGuard(args, io, source),
  },
  health: {
    about: "tell whether a running gateway is ready",
    onlyHere: "it asks the gateway that --url names, and needs no token",
    run: async (args, io) => (await import("./start/health.ts")).runHealth(args, io, source),
  },
  samples: {
    about: "write files for a deployment: compose, chart, units, proxies",
    onlyHere: "it only writes files",
    isApart: true,
    run: async (args, io) => (await import("./start/samples.ts")).runSamples(args, io),
  },
  docs: {
    about: "write the manual as files, for any web server",
    onlyHere: "it only writes files",
    isApart: true,
    run: async (args, io) => (await import("./docs/docs.ts")).runDocs(args, io),
  },
  login: {
    about: "sign in at a gateway with the company's account",
    onlyHere: "it takes the gateway's address as a word",
    isApart: true,
    run: async (args, io) => (await import("./people/login.ts")).runLogin(args, io),
  },
  logout: {
    about: "end what login --admin began",
    onlyHere: "it takes the gateway's address as a word",
    isApart: true,
    run: async (args, io) => (await import("./people/login.ts")).runLogout(args, io),
  },
  token: {
    about: "print a key of that sign-in, for agents",
    onlyHere: "it prints the key of a sign-in",
    isApart: true,
    run: async (args, io) => (await import("./people/login.ts")).runToken(args, io),
  },
  setup: {
    about: "connect this machine's coding agents with a gateway",
    onlyHere: "it takes the gateway's address as a word",
    isApart: true,
    run: async (args, io) => (await import("./setup/setup.ts")).runSetup(args, io),
  },
  completion: {
    about: "print a shell's completion of commands and flags",
    onlyHere: "it only prints a script",
    isApart: true,
    run: async (args, io) => (await import("./completion.ts")).runCompletion(args, io, COMMANDS),
  },
  simulate: {
    about: "run only the simulated providers",
    onlyHere: "it starts simulated providers on this machine",
    isApart: true,
    run: async (args, io) => (await import("./models/simulate.ts")).runSimulate(args, io),
  },
};

/** The flags that stand in a command's place. */
const OWN_FLAGS = ["--help", "--version"];
/** Other programs take the last two. */
const VERSION_WORDS = ["--version", "-v", "version"];

const HELP = [
  "usage: poundkey COMMAND [options]",
  "       poundkey --version",
  "",
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`),
  "",
  "Run poundkey help COMMAND for a command's options and examples.",
  `This is version ${version}.`,
].join("\n");

/** `process.stdout` would cost 10 ms, and lose what a slow reader hasn't read when the process exits. */
const PROCESS_IO: Io = {
  out: (text) => console.log(text),
  err: (text) => void process.stderr.write(`${text}\n`),
  get width() {
    return isatty(1) ? process.stdout.columns : undefined;
  },
  get isColored() {
    return isatty(1) && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  },
};

function describeUnknown(name: string): string {
  if (!name.startsWith("-")) return `unknown command '${name}'${suggest(name, Object.keys(COMMANDS))}`;
  const meant = suggest(name, OWN_FLAGS);
  return meant === "" ? `expected a command before ${name}` : `unknown flag ${name}${meant}`;
}

/** Runs the command that the arguments name and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io = PROCESS_IO): Promise<number> {
  const [name, ...rest] = args;
  const [topic, ...more] = rest;
  if (name === "help" && topic !== undefined) return runCommandLine([topic, ...more, "--help"], io);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    io.out(HELP);
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (VERSION_WORDS.includes(name)) {
    io.out(await describeVersion());
    return EXIT.done;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return run(name, command, rest, io);
  io.err(`poundkey: ${describeUnknown(name)}\nSee poundkey --help.`);
  return EXIT.usage;
}

async function run(name: string, command: Command, args: readonly string[], io: Io): Promise<number> {
  // The binary is built to compile late (`--compile-jit-policy`), which suits a gateway's start but no other command.
  if (name !== "serve") Bun.unsafe.setJITPolicy(1);
  const refusal = refuseGateway(name, command, args) ?? findPlacesMistake(source.env);
  if (refusal !== null) {
    io.err(`poundkey: ${refusal}\nSee poundkey ${name} --help.`);
    return EXIT.usage;
  }
  if (isHelp(args)) return command.run(args, { ...io, out: (text) => io.out(wrapHelp(text)) });
  const unread = command.isApart ? null : describeUnreadFiles(args, source.env);
  if (unread !== null) io.err(`poundkey: ${unread}`);
  return command.run(args, io);
}
