// `poundkey catalogue`: shows what a file of models or of benchmarks, or a public list of prices, would change.
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { type CardChange, compareCards } from "../../catalogue/compare.ts";
import { explainStanding, readStanding } from "../../catalogue/file/standing.ts";
import type { ConfigError } from "../../config/errors.ts";
import { asObject, parseJson } from "../../core/json/json.ts";
import {
  type Arguments,
  COMMON_FLAGS,
  makeFlagCommand,
  readConfigurationFlags,
  UsageError,
} from "../arguments.ts";
import { createGateway } from "../gateway/gateway.ts";
import { publishCatalogue, verifyCatalogue } from "./catalogue-publish.ts";
import { rebaseCatalogueFile } from "./catalogue-rebase.ts";
import { updateThere } from "./catalogue-there.ts";
import { REAL_PORTS, type UpdatePorts, updateCatalogue } from "./catalogue-update.ts";
import { compareProfiles, joinChanges, listIgnored } from "./profile-changes.ts";

const HELP = `usage: poundkey catalogue diff FILE [--config FILE] [--json]
       poundkey catalogue update [--from URL|FILE] [--format NAME] [--only PATTERN]… [--except PATTERN]… [--all]
                                 [--apply] [--yes] [--config FILE] [--json]
       poundkey catalogue update --gateway URL [--only PATTERN]… [--except PATTERN]… [--all] [--apply] [--yes] [--json]
       poundkey catalogue rebase [--apply] [--config FILE] [--json]
       poundkey catalogue publish [--serial N] [--with FILE]… [--only PATTERN]… [--out DIR] [--key FILE]
       poundkey catalogue verify FILE [--key FILE]

diff shows how a file would change the current catalogue, which consists of the built-in models and those in the
configuration. The file holds models, or newer results of benchmarks. To use it, set catalogue or profiles in the
configuration.

update compares the models of the enabled providers with a list of prices, and with --apply writes what is new to the
configuration's catalogue file. Prices that move by more than a factor of 2, prices of models that had none and ends within 30
days also need --yes. A price of 0, or one that is off by a factor of 100, is never taken. If there is a store, update
also shows what the requests of the last 30 days would have cost. With --gateway it does so for the list that the gateway
watches (catalogue.watch), and for its own catalogue file.

  --from URL|FILE  where the list is (default: catalogue.watch.from)
  --format NAME    its form: poundkey, litellm, models.dev or genai-prices (default: catalogue.watch.format)
  --key FILE       update, verify: a public key that may have signed the list, in place of catalogue.watch.keys;
                   may be repeated. publish: the private key that signs it (default: POUNDKEY_SIGNING_KEY)
  --unsigned       update: take a list whose signature isn't looked at, though there are keys
  --older          update: take also from a list, or a row, that is older than what is there
  --only PATTERN   update: the models whose changes are shown and taken, such as "OpenAI#*"; may be repeated.
                   publish: the models that the list has
  --except PATTERN update: models whose changes aren't; may be repeated
  --all            update: also the models of providers that aren't enabled
  --apply          update, rebase: write the catalogue file
  --yes            with --apply: take what waits, too
  --serial N       publish: the list's number (default: its day as YYYYMMDD00, or the next after the last list's)
  --with FILE      publish: a catalogue file whose rows replace built-in ones; may be repeated
  --out DIR        publish: where catalogue.json is written (default: here)
  --after FILE     publish: the list that this one follows (default: the one in --out)
  --config FILE, --store S  as for \`poundkey serve\`
  --gateway URL    ask this gateway, with the admin token in POUNDKEY_TOKEN or after \`poundkey login --admin\`
  --json           print JSON
  --help           print this help

rebase shows what of the catalogue file is equal to the built-in models, and with --apply takes it out, so that later
programs count for it. It changes no price that is in use.

publish writes catalogue.json, a list of models with a number, which other gateways can watch, and its signature beside it,
catalogue.json.sig. The list has the built-in models and those of --with. Rows that haven't changed write nothing. verify
shows a list's number, day and models, and which key has signed it.

The exit code of update is 3 if some of the chosen changes wait for --yes.

examples:
  poundkey catalogue diff newer-models.json
  poundkey catalogue update --from prices.json --format litellm --apply
  poundkey catalogue update --only 'OpenAI#gpt-6.2-sol' --apply --yes
  poundkey catalogue rebase --apply
  poundkey catalogue publish --with own-models.json --out public --key release.key
  poundkey catalogue verify public/catalogue.json --key release.pub`;

const FLAGS = {
  ...COMMON_FLAGS,
  from: "value",
  format: "value",
  apply: "switch",
  yes: "switch",
  gateway: "value",
  key: "list",
  unsigned: "switch",
  older: "switch",
  serial: "value",
  with: "list",
  only: "list",
  except: "list",
  all: "switch",
  out: "value",
  after: "value",
} as const;
/** The flags of each verb, besides those that every command has. */
const VERB_FLAGS: Readonly<Record<string, readonly string[]>> = {
  diff: [],
  update: ["from", "format", "apply", "yes", "gateway", "key", "unsigned", "older", "only", "except", "all"],
  rebase: ["apply"],
  publish: ["serial", "with", "only", "out", "after", "key"],
  verify: ["key"],
};

/**
 * Returns the exit code: 0 if the changes were printed, 1 for an unsound file, list or configuration, 2 for wrong usage,
 * 3 if changes wait for a person.
 */
export const runCatalogue = makeFlagCommand(
  { name: "catalogue", help: HELP, flags: FLAGS, wordsMax: 2 },
  (args: Arguments, io: Io, source: ConfigSource, ports: UpdatePorts = REAL_PORTS) => {
    const [verb = "", file] = args.words;
    const address = args.values.get("gateway");
    const gateway = address === undefined ? null : createGateway(address, process.env);
    checkFlags(verb, args);
    if (verb === "diff") return diff(args, io, source);
    if (verb === "verify") {
      if (file === undefined) throw new UsageError("verify needs a file");
      return verifyCatalogue(args, file, io);
    }
    if (file !== undefined) throw new UsageError(`unexpected argument "${file}"`);
    if (verb === "publish") return publishCatalogue(args, io);
    if (verb === "rebase") return rebaseCatalogueFile(args, io, source);
    return gateway ? updateThere(gateway, args, io) : updateCatalogue(args, io, source, ports);
  },
);

/** Throws a UsageError for an unknown verb, and for a flag of another one. */
function checkFlags(verb: string, { values, lists, switches }: Arguments): void {
  const own = Object.hasOwn(VERB_FLAGS, verb) ? VERB_FLAGS[verb] : undefined;
  if (own === undefined) throw new UsageError("expected: diff FILE, update, rebase, publish, or verify FILE");
  const others = Object.entries(VERB_FLAGS);
  const odd = [...values.keys(), ...lists.keys(), ...switches].find(
    (flag) => !own.includes(flag) && !Object.hasOwn(COMMON_FLAGS, flag),
  );
  if (odd === undefined) return;
  const verbs = others.filter(([, flags]) => flags.includes(odd)).map(([name]) => name);
  throw new UsageError(`--${odd} belongs to ${verbs.join(" and ")}`);
}

async function diff(args: Arguments, io: Io, source: ConfigSource): Promise<number> {
  const [, file] = args.words;
  if (file === undefined) throw new UsageError("diff needs a file");
  const flags = readConfigurationFlags(args);
  const now = loadConfig(flags, source).loaded;
  if (!now.ok) return refuse(now.errors, io);
  const field = holdsBenchmarks(file, source) ? "profiles" : "catalogue";
  const then = loadConfig({ ...flags, [field]: file }, source).loaded;
  if (!then.ok) return refuse(then.errors, io);
  const changes = joinChanges(
    compareCards(now.settings, then.settings),
    compareProfiles(now.settings, then.settings),
  );
  const told =
    field === "profiles" ? listIgnored(then.settings) : explainStanding(readStanding(then.settings));
  for (const line of told) io.err(line);
  io.out(args.switches.has("json") ? JSON.stringify(changes, null, 2) : formatChanges(changes));
  return EXIT.done;
}

/** A file of benchmarks has `rows`, one of models is a list. A file that can't be read is reported when it is loaded. */
function holdsBenchmarks(file: string, { readFile }: ConfigSource): boolean {
  try {
    return Array.isArray(asObject(parseJson(readFile(file, FILE_BYTES_MAX))).rows);
  } catch {
    return false;
  }
}
const FILE_BYTES_MAX = 16_000_000;

/** The file's own errors have no place in the configuration. */
function refuse(errors: readonly ConfigError[], io: Io): number {
  const own = errors.find(({ field }) => field === "catalogue" || field === "profiles");
  io.err(own ? own.message : formatErrors(errors));
  return EXIT.failed;
}

function formatChanges(changes: readonly CardChange[]): string {
  const lines = changes.flatMap(({ id, kind, fields }) => [
    `${SIGNS[kind]} ${id}`,
    ...fields.map(({ field, before, after }) => `    ${field}: ${formatStep(before, after)}`),
  ]);
  const count = (kind: CardChange["kind"]) => changes.filter((change) => change.kind === kind).length;
  const counts = `${count("added")} added, ${count("changed")} changed, ${count("removed")} removed`;
  return [...lines, counts].join("\n");
}

const SIGNS = { added: "+", changed: "~", removed: "-" } as const;

function formatStep(before: string | null, after: string | null): string {
  if (before === null) return after ?? "-";
  return `${before} → ${after ?? "-"}`;
}
