// Where a command works: on the store that the configuration names, or at a gateway.
import {
  type ConfigurationFlags,
  formatErrors,
  loadConfig,
  loadStoreConfig,
  source,
  UNCERTAIN,
} from "../app/start/configuration.ts";
import { describeStore, openStore, showPlace } from "../app/start/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import type { ConfigError } from "../config/errors.ts";
import type { StoreSettings } from "../config/store/store-settings.ts";
import type { Administration, Open } from "./administration.ts";
import { checkStore, UsageError } from "./arguments.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";

export interface Command {
  readonly about: string;
  /** Null if `--gateway` lets it work at a gateway elsewhere, else why it doesn't. */
  readonly onlyHere: string | null;
  /** True if it needs neither configuration nor store. */
  readonly isApart?: boolean;
  readonly run: (args: readonly string[], io: Io) => Promise<number>;
}

const STORE_FLAGS = ["config", "store"] as const;
const NO_SOURCE = { ...source, env: () => undefined, readConfig: () => "", readFile: () => "" };

type LoadAdministration = () => Promise<Administration>;

const STORE_ALONE = "it works on a store alone, which --store names";

/** Wraps a command that works on the store. `--config` and `--store` choose it, wherever they stand. */
export function onStore(about: string, load: LoadAdministration): Command {
  return { about, onlyHere: STORE_ALONE, run: (args, io) => catchUsage(io, () => runHere(load, args, io)) };
}

/** Wraps a command that works on the store, or at the gateway that `--gateway` names, wherever it stands. */
export function onStoreOrGateway(about: string, load: LoadAdministration): Command {
  const run: Command["run"] = async (args, io) => {
    const rest = [...args];
    const gateway = takeFlag(rest, "gateway");
    if (gateway === undefined || isHelp(rest)) return runHere(load, rest, io);
    if (STORE_FLAGS.some((name) => takeFlag(rest, name) !== undefined))
      throw new UsageError("--gateway takes the place of --store and --config");
    return runThere(await load(), rest, io, createGateway(gateway, process.env));
  };
  return { about, onlyHere: null, run: (args, io) => catchUsage(io, () => run(args, io)) };
}

/** Refuses `--gateway` where a command works without one. Null if it isn't given, or is understood. */
export function refuseGateway(name: string, { onlyHere }: Command, args: readonly string[]): string | null {
  const isGiven = args.some((arg) => arg === "--gateway" || arg.startsWith("--gateway="));
  return !isGiven || onlyHere === null || isHelp(args) ? null : `${name} takes no --gateway: ${onlyHere}`;
}

async function catchUsage(io: Io, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err(`poundkey: ${error.message}`);
    return EXIT.usage;
  }
}

export const isHelp = (args: readonly string[]) => args.includes("--help") || args.includes("-h");

/** A gateway has a configuration of its own, so none is read here. */
async function runThere(
  command: Administration,
  args: readonly string[],
  io: Io,
  gateway: Gateway,
): Promise<number> {
  const { loaded } = loadConfig({}, NO_SOURCE);
  if (!loaded.ok) return refuse(io, [formatErrors(loaded.errors)]);
  return command(args, io, refuseStore, loaded.settings, gateway);
}

const refuseStore = (): Promise<never> =>
  Promise.reject(new UsageError("this works on a store alone: it takes --store, and no --gateway"));

async function runHere(load: LoadAdministration, args: readonly string[], io: Io): Promise<number> {
  const rest = [...args];
  const [config, store] = STORE_FLAGS.map((name) => takeFlag(rest, name));
  const flags = { config, store: isHelp(rest) ? store : checkStore(store) };
  // The help is printed whatever the configuration holds.
  const { loaded } = loadForCommand(flags, isHelp(rest) ? NO_SOURCE : source);
  const command = await load();
  if (loaded.ok) return command(rest, io, opener(loaded.settings, io), loaded.settings);
  const storeCommand = command.findStoreCommand?.(rest) ?? null;
  if (storeCommand === null) return refuse(io, [formatErrors(loaded.errors)]);
  const read = loadStoreConfig(flags, source);
  if (read === null) return refuse(io, [formatErrors(loaded.errors), UNCERTAIN]);
  const { settings, unread } = read;
  for (const warning of describeBroken(loaded.errors, settings.store, unread)) io.err(`warning: ${warning}`);
  return storeCommand(rest, io, opener(settings, io), settings);
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

/** Takes the flag out of the arguments. Throws a UsageError if it lacks its value. */
function takeFlag(args: string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at === -1) return undefined;
  const [flag = ""] = args.splice(at, 1);
  const value = flag.includes("=") ? flag.slice(flag.indexOf("=") + 1) : args.splice(at, 1)[0];
  if (value) return value;
  throw new UsageError(`--${name} needs a value`);
}
