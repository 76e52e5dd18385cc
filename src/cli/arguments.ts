// Parses a command's flags strictly: unknown ones, and those without their value, are errors.
import { parseArgs } from "node:util";
import { EXIT, type Io } from "../app/terminal.ts";
import { nearest } from "../core/nearest.ts";

/** A command's flags by name. A "value" takes one, a "switch" doesn't. */
export type FlagKinds = Readonly<Record<string, "value" | "switch">>;

/** The flags that every command accepts. */
export const COMMON_FLAGS = { config: "value", store: "value", help: "switch", json: "switch" } as const;

export interface Arguments {
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
  readonly words: readonly string[];
}

export type ParsedArguments =
  | { readonly ok: true; readonly arguments: Arguments }
  | { readonly ok: false; readonly message: string };

/** `wordsMax` is the maximum number of words beside flags. A flag is `--name value`, `--name=value` or `--name`. */
export function parseArguments(args: readonly string[], flags: FlagKinds, wordsMax: number): ParsedArguments {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, kind]) => [
      name,
      { type: kind === "value" ? ("string" as const) : ("boolean" as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const found = { values: new Map<string, string>(), switches: new Set<string>(), words: [] as string[] };
  for (const token of tokens) {
    if (token.kind === "positional") found.words.push(token.value);
    if (token.kind !== "option") continue;
    const wrong = takeFlag(token, flags, found);
    if (wrong !== null) return { ok: false, message: wrong };
  }
  const surplus = found.words[wordsMax];
  if (surplus !== undefined) return { ok: false, message: `unexpected argument "${surplus}"` };
  return { ok: true, arguments: found };
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

/** Adds one flag to the arguments. Returns a sentence if it is wrong, or else null. */
function takeFlag(
  { name, rawName, value }: FlagToken,
  flags: FlagKinds,
  found: { readonly values: Map<string, string>; readonly switches: Set<string> },
): string | null {
  const kind = Object.hasOwn(flags, name) && rawName.startsWith("--") ? flags[name] : undefined;
  if (kind === undefined) {
    const [near] = nearest(name, Object.keys(flags), 1);
    return `unknown flag ${rawName}${near === undefined ? "" : `; did you mean --${near}?`}`;
  }
  if (found.values.has(name) || found.switches.has(name)) return `${rawName} is given twice`;
  if (kind === "switch") {
    if (value !== undefined) return `${rawName} takes no value`;
    found.switches.add(name);
    return null;
  }
  if (value === undefined || value === "") return `${rawName} needs a value`;
  found.values.set(name, value);
  return null;
}

/** Returns the flags that choose the configuration. */
export function readConfigurationFlags({ values }: Arguments): {
  config: string | undefined;
  store: string | undefined;
} {
  return { config: values.get("config"), store: values.get("store") };
}

/** Returns undefined for no text, and null for anything but a whole number within the bounds. */
export function parseWhole(text: string | undefined, least: number, most: number): number | null | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return value >= least && value <= most ? value : null;
}

/** Prints what is wrong with a command's arguments and returns the exit code. */
export function reportMisuse(command: string, message: string, io: Io): number {
  io.err(`poundkey ${command}: ${message}\nSee poundkey ${command} --help.`);
  return EXIT.usage;
}
