// The file in the user's configuration folder that holds the sign-ins of `poundkey login`, one process at a time.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findPlaces, findSettingsFolder } from "../../config/places.ts";
import { asNumber, asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";

/** Only the user may read the file, which holds secrets. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const LOOK_MS = 50;
/** Longer than a request to the gateway takes, with its deadline: a process that was killed left the lock behind. */
const STALE_MS = 30_000;

/** A sign-in at one gateway. */
export interface Login {
  readonly secret: string;
  readonly refresh: string;
  /** The end of the secret, in Unix milliseconds, and the time that it works in all. */
  readonly untilMs: number;
  readonly lifetimeMs: number;
}

/** A sign-in by `poundkey login --admin`: it acts with the person's rights at the gateway that gave it, and nowhere else. */
export interface AdminLogin {
  readonly secret: string;
  readonly untilMs: number;
}

export interface Logins {
  /** The gateway of the last `poundkey login`. */
  readonly url: string | null;
  readonly byUrl: ReadonlyMap<string, Login>;
  readonly admin: ReadonlyMap<string, AdminLogin>;
}

/** Returns the file's path. `XDG_CONFIG_HOME` moves it. */
export function findLoginFile(env: Readonly<Record<string, string | undefined>>): string {
  const read = (name: string) => env[name];
  const chosen = findPlaces(read).kind === "user" ? findSettingsFolder(read) : findFolder(env);
  return join(chosen ?? findFolder({}), "login.json");
}

/** A path that isn't absolute counts from the working folder. */
function findFolder({ XDG_CONFIG_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "poundkey");
}

/** Calls `use` while no other process does so with the same file. */
export async function lockLogins<Result>(file: string, use: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const lock = `${file}.lock`;
  while (!takeLock(lock)) await Bun.sleep(LOOK_MS);
  try {
    return await use();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx", mode: FILE_MODE });
    return true;
  } catch (error) {
    if (asString(asObject(error).code) !== "EEXIST") throw error;
    if (isStale(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

/** Returns what the file holds. A file that is missing or damaged holds no sign-in. */
export function readLogins(file: string): Logins {
  const { url, logins, admin } = asObject(parseJson(readText(file)));
  const byUrl = new Map<string, Login>();
  for (const [at, value] of Object.entries(asObject(logins))) {
    const { secret, refresh, until_ms, lifetime_ms } = asObject(value);
    const untilMs = asNumber(until_ms);
    const lifetimeMs = asNumber(lifetime_ms);
    if (typeof secret !== "string" || typeof refresh !== "string") continue;
    if (untilMs !== undefined && lifetimeMs !== undefined)
      byUrl.set(at, { secret, refresh, untilMs, lifetimeMs });
  }
  return { url: asString(url) ?? null, byUrl, admin: readAdmin(asObject(admin)) };
}

function readAdmin(kept: JsonObject): ReadonlyMap<string, AdminLogin> {
  const admin = new Map<string, AdminLogin>();
  for (const [at, value] of Object.entries(kept)) {
    const { secret, until_ms } = asObject(value);
    const untilMs = asNumber(until_ms);
    if (typeof secret === "string" && untilMs !== undefined) admin.set(at, { secret, untilMs });
  }
  return admin;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (asString(asObject(error).code) === "ENOENT") return "{}";
    throw error;
  }
}

/** Replaces the file at once, so that nobody reads half of it. */
export function writeLogins(file: string, { url, byUrl, admin }: Logins): void {
  const logins = Object.fromEntries(
    [...byUrl].map(([at, { secret, refresh, untilMs, lifetimeMs }]) => [
      at,
      { secret, refresh, until_ms: untilMs, lifetime_ms: lifetimeMs },
    ]),
  );
  const signedIn = Object.fromEntries(
    [...admin].map(([at, { secret, untilMs }]) => [at, { secret, until_ms: untilMs }]),
  );
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify({ url, logins, admin: signedIn }, null, 2)}\n`, { mode: FILE_MODE });
  chmodSync(next, FILE_MODE);
  renameSync(next, file);
}
