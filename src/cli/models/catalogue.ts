// `poundkey catalogue`: shows what a file of models or of benchmarks, or a public list of prices, would change.
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { type CardChange, compareCards } from "../../catalogue/compare.ts";
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
import { updateThere } from "./catalogue-there.ts";
import { REAL_PORTS, type UpdatePorts, update } from "./catalogue-update.ts";
import { compareProfiles, joinChanges, listIgnored } from "./profile-changes.ts";

const HELP = `usage: poundkey catalogue diff FILE [--config FILE] [--json]
       poundkey catalogue update [--from URL|FILE] [--format NAME] [--apply] [--yes] [--config FILE] [--json]
       poundkey catalogue update --gateway URL [--apply] [--yes] [--json]

diff shows how a file would change the current catalogue, which consists of the built-in models and those in the
configuration. The file holds models, or newer results of benchmarks. To use it, set catalogue or profiles in the
configuration.

update compares the catalogue with a list of prices, and with --apply writes what is new to the configuration's
catalogue file. Prices that move by more than a factor of 2, prices of models that had none and ends within 14 days
also need --yes. A price of 0, or one that is off by a factor of 100, is never taken. If there is a store, update also
shows what the requests of the last 30 days would have cost. With --gateway it does so for the list that the gateway watches
(catalogue.watch), and for its own catalogue file.

  --from URL|FILE  where the list is (default: catalogue.watch.from)
  --format NAME    its form: poundkey, litellm, models.dev or genai-prices (default: catalogue.watch.format)
  --apply          write the catalogue file
  --yes            with --apply: take what waits, too
  --config FILE, --store S  as for \`poundkey serve\`
  --gateway URL    ask this gateway, with the admin token in POUNDKEY_TOKEN or after \`poundkey login --admin\`
  --json           print JSON
  --help           print this help

The exit code of update is 3 if some changes wait for --yes.

examples:
  poundkey catalogue diff newer-models.json
  poundkey catalogue update --from prices.json --format litellm --apply`;

const FLAGS = {
  ...COMMON_FLAGS,
  from: "value",
  format: "value",
  apply: "switch",
  yes: "switch",
  gateway: "value",
} as const;
const UPDATE_FLAGS = ["from", "format", "apply", "yes", "gateway"];

/**
 * Returns the exit code: 0 if the changes were printed, 1 for an unsound file, list or configuration, 2 for wrong usage,
 * 3 if changes wait for a person.
 */
export const runCatalogue = makeFlagCommand(
  { name: "catalogue", help: HELP, flags: FLAGS, wordsMax: 2 },
  (given: Arguments, io: Io, source: ConfigSource, ports: UpdatePorts = REAL_PORTS) => {
    const [verb, file] = given.words;
    const address = given.values.get("gateway");
    const gateway = address === undefined ? null : createGateway(address, process.env);
    if (verb === "update" && file === undefined)
      return gateway ? updateThere(gateway, given, io) : update(given, io, source, ports);
    if (verb !== "diff") throw new UsageError("expected: diff FILE, or update");
    const odd = UPDATE_FLAGS.find((flag) => given.values.has(flag) || given.switches.has(flag));
    if (odd !== undefined) throw new UsageError(`--${odd} belongs to update`);
    return diff(given, io, source);
  },
);

async function diff(given: Arguments, io: Io, source: ConfigSource): Promise<number> {
  const [, file] = given.words;
  if (file === undefined) throw new UsageError("diff needs a file");
  const flags = readConfigurationFlags(given);
  const now = loadConfig(flags, source).loaded;
  if (!now.ok) return refuse(now.errors, io);
  const field = holdsBenchmarks(file, source) ? "profiles" : "catalogue";
  const then = loadConfig({ ...flags, [field]: file }, source).loaded;
  if (!then.ok) return refuse(then.errors, io);
  const changes = joinChanges(
    compareCards(now.settings, then.settings),
    compareProfiles(now.settings, then.settings),
  );
  if (field === "profiles") for (const line of listIgnored(then.settings)) io.err(line);
  io.out(given.switches.has("json") ? JSON.stringify(changes, null, 2) : formatChanges(changes));
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
