// quickstart.json: where a quick start runs, so that another command of the same person finds it.
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../config/interpolate.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import { runsPoundkey } from "../program.ts";
import { loadStoreConfig, source } from "../start/configuration.ts";
import { PART } from "../workers/worker.ts";
import { findQuickstartFolder, KEY_FILE } from "./folder.ts";
import { findProcess } from "./processes.ts";

const FILE = "quickstart.json";
/** The permission bits of the group and of others. */
const OTHERS = 0o077;

/** A quick start as its file has it. */
interface RunningQuickstart {
  /** Such as `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly pid: number;
  /** When the process began, as in `FoundProcess`. */
  readonly started: string;
}

/** The first of several processes, which runs as long as the gateway does. */
const ownPid = () => (PART === null ? process.pid : process.ppid);

/**
 * Says where this gateway runs, and returns the address of another quick start that runs on the same store, or null. Writes
 * nothing where the system doesn't tell when a process began.
 */
export function keepRunning(storeAddress: string, address: string): string | null {
  const pid = ownPid();
  const found = findProcess(pid);
  if (found === null) return null;
  const folder = findQuickstartFolder(storeAddress, source.env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, FILE);
  const others = readRunning(file).filter((one) => one.pid !== pid && isRunning(one));
  writeRunning(file, [{ address, pid, started: found.started }, ...others]);
  return others[0]?.address ?? null;
}

/** Takes this gateway out of the file at its end. One that began before, on the same store, has it again. */
export function dropRunning(storeAddress: string): void {
  try {
    const file = join(findQuickstartFolder(storeAddress, source.env), FILE);
    const found = readRunning(file);
    const pid = ownPid();
    if (found.some((one) => one.pid === pid))
      writeRunning(
        file,
        found.filter((one) => one.pid !== pid && isRunning(one)),
      );
  } catch {
    // Without a folder there is no file. One that stays counts no more, since its process has ended.
  }
}

/** Those that began before the latest stand in its `before`, the latest first. */
function writeRunning(file: string, [latest, ...before]: readonly RunningQuickstart[]): void {
  if (latest === undefined) {
    rmSync(file, { force: true });
    return;
  }
  const running = before.length === 0 ? latest : { ...latest, before };
  // Renamed into its place, so that nobody reads half of it.
  const written = `${file}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, `${JSON.stringify(running)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(written, file);
}

/**
 * Finds the quick start that runs on the store which a command with this environment uses, and the file with its key. Null
 * if there is none. A file that a gateway left behind is removed.
 */
export function readRunningQuickstart(
  env: Environment["env"],
): { readonly address: string; readonly keyFile: string } | null {
  const store = loadStoreConfig({}, { ...source, env })?.settings.store;
  if (store === undefined) return null;
  try {
    const folder = findQuickstartFolder(store, env);
    const file = join(folder, FILE);
    const running = readRunning(file).find(isRunning);
    if (running !== undefined) return { address: running.address, keyFile: join(folder, KEY_FILE) };
    rmSync(file, { force: true });
    return null;
  } catch {
    return null;
  }
}

/** Returns nothing unless it is a file of this user's own that nobody else can read, as a gateway writes it. */
function readRunning(file: string): readonly RunningQuickstart[] {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.uid !== process.geteuid?.() || (stats.mode & OTHERS) !== 0) return [];
  const latest = asObject(parseJson(readFileSync(file, "utf8")));
  return [latest, ...asArray(latest.before)].flatMap((one) => readOne(asObject(one)) ?? []);
}

function readOne({ address, pid, started }: JsonObject): RunningQuickstart | null {
  const isWhole = typeof address === "string" && typeof pid === "number" && typeof started === "string";
  return isWhole ? { address, pid, started } : null;
}

/** Its id may belong to another process by now, also to one of somebody else's. */
function isRunning({ pid, started }: RunningQuickstart): boolean {
  const found = findProcess(pid);
  return (
    found !== null && found.uid === process.geteuid?.() && found.started === started && runsPoundkey(found)
  );
}
