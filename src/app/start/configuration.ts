// Loads the configuration for commands from the file, this process's environment and the command line.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { type ConfigError, createError, formatError } from "../../config/errors.ts";
import { describeUnread, type Environment, RefusedFile, resolveText } from "../../config/interpolate.ts";
import { type LoadInput, type LoadResult, loadSettings, type Overrides } from "../../config/load.ts";
import { findPlaces } from "../../config/places.ts";
import {
  loadServerAddress,
  loadStoreSettings,
  type StoreReading,
} from "../../config/store/store-settings.ts";
import { isObject } from "../../core/json/json.ts";
import type { KnownProvider, Settings } from "../../core/settings.ts";
import { PROVIDERS } from "../../providers/index.ts";
import { findPlaceMistake } from "../store-folder.ts";

/** The configuration of ten thousand models takes half as much. */
const CONFIG_BYTES_MAX = 4_000_000;

/** The flags that every command accepts. */
export interface ConfigurationFlags extends Overrides {
  readonly config?: string | undefined;
  /** False disables the simulated provider. If missing, it may be enabled. */
  readonly isSimulated?: boolean;
  /** False refuses a file without any field. If missing, it stands for the defaults. */
  readonly mayBeEmpty?: boolean;
}

export interface ConfigSource {
  readonly env: (name: string) => string | undefined;
  /** Returns the configuration file's text. It may also be a pipe. Throws like `readFile`. */
  readonly readConfig: (path: string) => string;
  readonly readFile: Environment["readFile"];
  readonly known: readonly KnownProvider[];
}

/** Returns the bytes of a regular file. Throws as a ConfigSource's `readFile` does. */
export function readBytes(path: string, bytesMax: number): Buffer {
  return readBounded(path, bytesMax, true);
}

/** Reads no further than the bound, because devices such as /dev/zero have no end. */
function readBounded(path: string, bytesMax: number, isRegular: boolean): Buffer {
  // Opening a pipe that nobody writes to would wait for a writer.
  if (isRegular && !statSync(path).isFile()) throw new RefusedFile("is not a regular file");
  const file = openSync(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(Math.max(size, PIECE_BYTES), bytesMax) + 1);
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      const count = readSync(file, bytes);
      length += count;
      if (length > bytesMax) throw new RefusedFile(`is larger than ${bytesMax / MEGABYTE} MB`);
      if (count === 0) return Buffer.concat(pieces);
      pieces.push(Buffer.from(bytes.subarray(0, count)));
    }
  } finally {
    closeSync(file);
  }
}
const PIECE_BYTES = 65_536;
const MEGABYTE = 1_000_000;

/** This process's environment and files, and its known providers. */
export const source: ConfigSource = {
  env: (name) => process.env[name],
  readConfig: (path) => readBounded(path, CONFIG_BYTES_MAX, false).toString("utf8"),
  readFile: (path, bytesMax) => readBytes(path, bytesMax).toString("utf8"),
  known: PROVIDERS,
};

/** Loads the file that `config` names, or else the default one, and applies the other flags on top. */
export function loadConfig(
  { config, isSimulated = true, mayBeEmpty = true, ...overrides }: ConfigurationFlags,
  { env, readConfig, readFile, known }: ConfigSource,
): { readonly file: string; readonly loaded: LoadResult } {
  const found = findConfig(config, { env, readConfig });
  if (!found.ok) return { file: found.error.file, loaded: { ok: false, errors: [found.error] } };
  const { file, text } = found;
  const loaded = loadSettings({ text, file, env, readFile, known, overrides, isSimulated, mayBeEmpty });
  return { file: text === null ? ENVIRONMENT : file, loaded: refuseUnplaced(loaded, env) };
}

/** The place is only looked at if the store lies in it. */
function refuseUnplaced(loaded: LoadResult, env: ConfigSource["env"]): LoadResult {
  const mistake = loaded.ok ? findPlaceMistake(loaded.settings.store, env) : null;
  return mistake === null ? loaded : { ok: false, errors: [mistake], isPlace: true };
}

/** Loads what commands need that only work on the store, from a configuration that `loadConfig` refuses. */
export function loadStoreConfig(flags: ConfigurationFlags, from: ConfigSource): StoreReading | null {
  const found = findConfig(flags.config, from);
  if (!found.ok && flags.store === undefined) return null;
  const read = loadStoreSettings(readBroken(found, flags, from));
  return read === null || findPlaceMistake(read.settings.store, from.env) === null ? read : null;
}

/** Loads where the gateway listens, from a configuration that `loadConfig` refuses. Null if that can't be read from it. */
export function loadServerConfig(flags: ConfigurationFlags, from: ConfigSource) {
  return loadServerAddress(readBroken(findConfig(flags.config, from), flags, from));
}

function readBroken(
  found: FileLookup,
  { config: _, ...overrides }: ConfigurationFlags,
  { env, readFile, known }: ConfigSource,
): LoadInput {
  const { file, text } = found.ok ? found : { file: found.error.file, text: UNREADABLE };
  return { text, file, env, readFile, known, overrides };
}

/** Returns the store's address as its variables and files give it now, or null if one of them can't be read. */
export function readStoreAddress(
  { store, storeSource }: Pick<Settings, "store" | "storeSource">,
  environment: Environment,
): string | null {
  return storeSource === undefined ? store : resolveText(storeSource, environment);
}

/** The hint of commands for which `loadStoreConfig` returns null. */
export const UNCERTAIN =
  "This command only needs the store, but the file may name one that can't be read from it: name it by --store.";

/** Stands for the text of a file that can't be read: no section of it is known. */
const UNREADABLE = '""';

/** Stands for the file where there is none. */
export const ENVIRONMENT = "environment";

type FileLookup =
  | { readonly ok: true; readonly file: string; readonly text: string | null }
  | { readonly ok: false; readonly error: ConfigError };

/** Finds the named file or, without a name, the one in its place if it exists. */
function findConfig(
  named: string | undefined,
  { env, readConfig }: Pick<ConfigSource, "env" | "readConfig">,
): FileLookup {
  const file = named ?? findPlaces(env).config;
  if (file === null) return { ok: true, file: ENVIRONMENT, text: null };
  try {
    return { ok: true, file, text: readConfig(file) };
  } catch (error) {
    const code = isObject(error) ? error.code : undefined;
    if (named === undefined && code === "ENOENT") return { ok: true, file, text: null };
    const message = code === "ENOENT" ? "there is no such file" : `the file ${describeUnread(error)}`;
    return { ok: false, error: createError({ file, line: 0, column: 0, field: "", message }) };
  }
}

/**
 * Returns a text that changes when the file or one that it names does: its catalogue, profiles or settings of agents, or a
 * value. A link that leads to another file changes it too, as when Kubernetes swaps a volume. Null if none exists.
 */
export function stampConfiguration(
  { config }: ConfigurationFlags,
  {
    catalogueFile,
    profilesFile,
    signIn,
    valueFiles = [],
  }: Pick<Settings, "catalogueFile" | "profilesFile" | "signIn" | "valueFiles">,
): string | null {
  const policies = signIn?.agents.policies.map(({ file }) => file) ?? [];
  const named = [
    config ?? findPlaces(source.env).config,
    catalogueFile,
    profilesFile,
    ...policies,
    ...valueFiles,
  ];
  const stamps = named.map(stampFile);
  return stamps.every((stamp) => stamp === null) ? null : stamps.join(" | ");
}

function stampFile(file: string | null | undefined): string | null {
  if (!file) return null;
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return null;
  }
}

/** Formats the errors, one per line. */
export function formatErrors(errors: readonly ConfigError[]): string {
  return errors.map(formatError).join("\n");
}
