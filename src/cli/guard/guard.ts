// `poundkey guard`: what the guard's rules find in a text, and the detectors.
import {
  GUARD_TRY_BYTES_MAX,
  type GuardTrial,
  type TriedFinding,
  type TriedGuard,
} from "../../admin/models/guard.ts";
import { drawKey, searchTrial } from "../../app/guard/trial.ts";
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { Fault } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";
import { GUARD_PLACES, type GuardPlace, type GuardSettings } from "../../core/models/guard.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { DETECTORS } from "../../guard/detectors.ts";
import { formatJson } from "../administration.ts";
import {
  type Arguments,
  COMMON_FLAGS,
  formatUsageError,
  makeFlagCommand,
  readConfigurationFlags,
  UsageError,
} from "../arguments.ts";
import { readInputFile } from "../input-file.ts";
import { chooseScreen, formatTable, WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey guard try [FILE|-] [--body PATH] [--at request|answer] [--rule NAME]… [--show] [--config FILE]
                          [--json]
       poundkey guard detectors [--wide] [--json]

try searches a text with the rules of the configuration, all of them, and prints a line for each value that is found: line,
column, detector, length and action. It opens no store, calls nobody, and prints no value. detectors lists what rules can
detect.

  FILE           the text; - or nothing reads it from the standard input
  --body PATH    the text is a JSON body of this path, such as /v1/messages; its places stand for line and column. At most
                 1 MiB
  --at PLACE     request or answer: by which rules is searched, and of which the body is (default: request)
  --rule NAME    only this rule; may be repeated
  --show         print the text or body as it would leave, with placeholders of this run, in place of the findings
${WIDE_HELP}
  --config FILE, --store S  as for \`poundkey serve\`
  --json         print JSON
  --help         print this help

examples:
  poundkey guard try letter.txt
  poundkey guard try changes.diff --rule secrets
  poundkey guard try request.json --body /v1/chat/completions --json`;

const FLAGS = {
  ...COMMON_FLAGS,
  ...WIDE,
  body: "value",
  at: "value",
  rule: "list",
  show: "switch",
} as const;

/** Reads the text that is searched. */
interface InputPorts {
  readonly readFile: (path: string) => Promise<string>;
  readonly readStandardInput: () => Promise<string>;
}

const INPUT: InputPorts = {
  readFile: async (path) => readInputFile(path).toString("utf8"),
  readStandardInput: () => Bun.stdin.text(),
};

/** Returns the exit code: 0 if the text was searched, 1 for a file or configuration that can't be read, 2 for wrong usage. */
export const runGuard = makeFlagCommand(
  { name: "guard", help: HELP, flags: FLAGS, wordsMax: 2 },
  async (args: Arguments, io: Io, source: ConfigSource, ports: InputPorts = INPUT) => {
    const [verb = "", file = "-"] = args.words;
    if (verb === "detectors") return listDetectors(args, io);
    if (verb === "try") return tryText(args, file, io, source, ports);
    const meant = verb === "" ? "; expected try or detectors" : suggest(verb, ["try", "detectors"]);
    throw new UsageError(verb === "" ? `nothing to do${meant}` : `unknown action ${verb}${meant}`);
  },
);

function listDetectors(args: Arguments, io: Io): number {
  if (args.words.length > 1) throw new UsageError(`unexpected argument "${args.words[1]}"`);
  const rows = DETECTORS.map(({ name, group, mark, rule }) => ({ name, group, mark, rule }));
  if (args.switches.has("json")) io.out(formatJson(rows));
  else {
    const cells = rows.map(({ name, group, mark, rule }) => [name, group ?? "-", mark, rule]);
    const screen = chooseScreen(io, args);
    io.out(formatTable([["NAME", "GROUP", "MARK", "RULE"], ...cells], screen, { sentences: ["RULE"] }));
  }
  return EXIT.done;
}

async function tryText(
  args: Arguments,
  file: string,
  io: Io,
  source: ConfigSource,
  ports: InputPorts,
): Promise<number> {
  const at = readPlace(args);
  const { file: configuration, loaded } = loadConfig(readConfigurationFlags(args), source);
  if (!loaded.ok) return fail(io, formatErrors(loaded.errors));
  const guard = chooseRules(args, loaded.settings.guard, configuration);
  if (guard === null) return fail(io, `poundkey: ${configuration}: there are no rules under guard.rules`);
  try {
    const text = await (file === "-" ? ports.readStandardInput() : ports.readFile(file));
    const content = readContent(args, file, text);
    const tried = await searchTrial(makeParts(guard, loaded.settings), { content, at, key: null });
    print(args, io, text, tried);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    if (error instanceof Fault && error.details.param === "path") {
      io.err(formatUsageError("guard", error.message.replace("'path'", "'--body'")));
      return EXIT.usage;
    }
    return fail(io, `poundkey: ${error instanceof Fault && file !== "-" ? `${file}: ` : ""}${error.message}`);
  }
}

function fail(io: Io, message: string): number {
  io.err(message);
  return EXIT.failed;
}

function makeParts(guard: GuardSettings, { limits }: Settings) {
  return { guard, limits, findAccountName: async () => null, listModels: () => null, accountKey: drawKey };
}

function readPlace({ values }: Arguments): GuardPlace {
  const word = values.get("at") ?? "request";
  const place = GUARD_PLACES.find((one) => one === word);
  if (place !== undefined) return place;
  throw new UsageError(`--at must be ${GUARD_PLACES.join(" or ")}${suggest(word, GUARD_PLACES)}`);
}

/** Returns the rules that are asked for. Null if there are none at all. */
function chooseRules(
  { lists }: Arguments,
  guard: GuardSettings | undefined,
  configuration: string,
): GuardSettings | null {
  if (guard === undefined) return null;
  const names = lists.get("rule");
  if (names === undefined) return guard;
  const known = guard.rules.map(({ name }) => name);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) {
    const near = suggest(missing, known) || `; it has ${known.join(", ")}`;
    throw new UsageError(`${configuration} has no rule '${missing}'${near}`);
  }
  return { ...guard, rules: guard.rules.filter(({ name }) => names.includes(name)) };
}

function readContent({ values }: Arguments, file: string, text: string): GuardTrial["content"] {
  const path = values.get("body");
  if (path === undefined) return { text };
  const source = file === "-" ? "the standard input" : file;
  if (Buffer.byteLength(text) > GUARD_TRY_BYTES_MAX)
    throw new Error(`${source} is too long: a body may have at most ${GUARD_TRY_BYTES_MAX} bytes (1 MiB)`);
  const body = parseReceived(text);
  if (isObject(body)) return { path, body };
  throw new Error(`${source} is no JSON object, which --body needs`);
}

function print({ switches }: Arguments, io: Io, given: string, { findings, text, body }: TriedGuard): void {
  const shown = switches.has("show");
  if (switches.has("json")) io.out(formatJson({ findings, ...(shown && { text, body }) }));
  else if (shown) io.out(text?.replace(/\n$/, "") ?? formatJson(body));
  else if (findings.length === 0) io.err("Nothing was found.");
  else io.out(findings.map(makeDescribe(given)).join("\n"));
}

/** Lines and columns count from 1, and a column is a UTF-16 unit as in editors. */
function makeDescribe(text: string): (found: TriedFinding) => string {
  let line = 1;
  let lineStart = 0;
  return ({ path, from, to, detector, action }) => {
    for (let end = text.indexOf("\n", lineStart); path === null && end !== -1 && end < from; ) {
      line++;
      lineStart = end + 1;
      end = text.indexOf("\n", lineStart);
    }
    return `${path ?? `${line}:${from - lineStart + 1}`} ${detector} ${to - from} ${action}`;
  };
}
