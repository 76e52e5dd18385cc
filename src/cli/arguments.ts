// Parses a command's flags strictly: unknown ones, and those without their value, are errors.
import { parseArgs } from "node:util";
import { EXIT, type Io } from "../app/terminal.ts";
import { suggest } from "../core/text/nearest.ts";
import { findAddressMistake } from "../core/world/postgres-address.ts";

/** A command's flags by name. A "value" takes one, a "list" one each time that it is given, and a "switch" none. */
export type FlagKinds = Readonly<Record<string, "value" | "list" | "switch">>;

/** The flags that every command accepts. */
export const COMMON_FLAGS = { config: "value", store: "value", help: "switch", json: "switch" } as const;

/** The lines of help on a command that works on the store, or at a gateway. */
export const STORE_OR_GATEWAY = `  --config FILE, --store S  as for \`poundkey serve\`
  --gateway URL             ask this gateway, with the admin token in POUNDKEY_TOKEN or
                            after \`poundkey login --admin\`, instead of opening a store`;

const EVERYWHERE = ["config", "store", "gateway", "help"];

export interface Arguments {
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly words: readonly string[];
}

/** The arguments are wrong. */
export class UsageError extends Error {}

interface FlagCommand {
  readonly name: string;
  readonly help: string;
  readonly flags: FlagKinds;
  /** The most words besides flags. Missing if there may be none. */
  readonly wordsMax?: number;
}

/**
 * Makes a command that prints its help if that is asked for. Otherwise it calls `run`, which returns the exit code, and
 * throws a UsageError for wrong arguments.
 */
export function makeFlagCommand<Ports extends readonly unknown[]>(
  { name, help, flags, wordsMax = 0 }: FlagCommand,
  run: (given: Arguments, io: Io, ...ports: Ports) => Promise<number>,
) {
  return async (args: readonly string[], io: Io, ...ports: Ports): Promise<number> => {
    try {
      const given = parseArguments(args, flags, wordsMax);
      if (!given.switches.has("help")) return await run(given, io, ...ports);
      io.out(help);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      io.err(formatUsageError(name, error.message));
      return EXIT.usage;
    }
  };
}

/** Returns the error on one line, and below it where the help is. */
export function formatUsageError(command: string, message: string): string {
  return `poundkey ${command}: ${message}\nSee poundkey ${command} --help.`;
}

/** Other words that people have for a flag. They count where a command has the flag and none of this name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  by: "group-by",
  since: "from",
  until: "to",
  person: "member",
  user: "member",
};

function nameFlag(arg: string, flags: FlagKinds): string {
  const [, name = "", value = ""] = /^--([a-z-]+)(=.*)?$/s.exec(arg) ?? [];
  const meant = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  if (meant === undefined || Object.hasOwn(flags, name) || !Object.hasOwn(flags, meant)) return arg;
  return `--${meant}${value}`;
}

const NEGATIVE_NUMBER = /^-\.?\d/;

/** A flag is `--name value`, `--name=value` or `--name`. Throws a UsageError for the first that is wrong. */
export function parseArguments(given: readonly string[], flags: FlagKinds, wordsMax: number): Arguments {
  const args = given.map((arg) => nameFlag(arg, flags));
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, kind]) => [
      name,
      { type: kind === "switch" ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args,
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const words: string[] = [];
  const lists = new Map<string, readonly string[]>();
  const found = { values: new Map<string, string>(), lists, switches: new Set<string>(), words };
  const numbers = new Set<number>();
  for (const token of tokens) {
    const arg = args[token.index] ?? "";
    if (token.kind === "positional") found.words.push(token.value);
    // The parser takes the characters of `-5` for flags, one by one.
    else if (NEGATIVE_NUMBER.test(arg)) {
      if (!numbers.has(token.index)) found.words.push(arg);
      numbers.add(token.index);
    } else if (token.kind === "option") addFlag(token, flags, found);
  }
  const surplus = found.words[wordsMax];
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`);
  return found;
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

interface FoundFlags {
  readonly values: Map<string, string>;
  readonly lists: Map<string, readonly string[]>;
  readonly switches: Set<string>;
}

function addFlag(
  { name, rawName, value }: FlagToken,
  flags: FlagKinds,
  { values, lists, switches }: FoundFlags,
): void {
  const kind = Object.hasOwn(flags, name) && rawName.startsWith("--") ? flags[name] : undefined;
  if (kind === undefined) {
    // Commands on the store take these out of their arguments before the others are read.
    const known = [...Object.keys(flags), ...EVERYWHERE];
    throw new UsageError(`unknown flag ${rawName}${suggest(name, known, "--")}`);
  }
  if (values.has(name) || switches.has(name)) throw new UsageError(`${rawName} appears twice`);
  if (kind === "switch") {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    switches.add(name);
    return;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value`);
  if (kind === "list") lists.set(name, [...(lists.get(name) ?? []), value]);
  else values.set(name, value);
}

const STORE_ADDRESS = /^(sqlite:|postgres(ql)?:\/\/)./;

export function readConfigurationFlags({ values }: Arguments) {
  return { config: values.get("config"), store: checkStore(values.get("store")) };
}

/** Returns the value of `--store`. Throws a UsageError for an address that is neither SQLite's nor PostgreSQL's. */
export function checkStore(address: string | undefined): string | undefined {
  if (address !== undefined && !STORE_ADDRESS.test(address))
    throw new UsageError("--store must be sqlite:PATH or postgres://…");
  const mistake = address?.startsWith("postgres") ? findAddressMistake(address) : null;
  if (mistake !== null) throw new UsageError(`--store: ${mistake}`);
  return address;
}

/** Returns undefined if the flag isn't given. Throws a UsageError for anything but an integer within the bounds. */
export function readInteger({ values }: Arguments, name: string, least: number, most: number) {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} must be an integer from ${least} to ${most}`);
}

/** Returns the form that is asked for instead of a table. Throws a UsageError if both are. */
export function readForm({ switches }: Arguments): "json" | "csv" | null {
  const forms = (["json", "csv"] as const).filter((form) => switches.has(form));
  if (forms.length > 1) throw new UsageError("--json and --csv exclude each other");
  return forms[0] ?? null;
}
