// Before a SQLite store is migrated, a copy of its file is kept beside it.
import { readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { findEnded, OlderNodesError } from "../../store/schema/older-nodes.ts";
import { copyDatabase, measureDatabase, nameDraft } from "../../store/sqlite/copy.ts";
import { makeSqliteSchema, readSchema } from "../../store/sqlite/migrate.ts";
import { overwriteFreed, postponeOverwriting, readOverwriting } from "../../store/sqlite/overwrite.ts";
import { readSqliteVersions } from "../../store/sqlite/versions.ts";
import { showProgress } from "../workers/progress.ts";
import type { ProbeAddress } from "../workers/work-probes.ts";

/** Room for the migration itself and for what gateways write meanwhile. */
const SPARE_BYTES = 64 * 1024 * 1024;
const KEPT = ".before-";

/**
 * Runs `open`, which migrates the file; commands leave the rest of an upgrade to a gateway's start. Only the last copy is
 * kept. Without enough disk space there is none, and a line says so: each step of the migration is a transaction, so it is
 * safe without.
 */
export async function openUpgraded<Store>(
  path: string,
  { say, probes, isServing, stopsOlder }: UpgradeParts,
  open: (onStep?: () => void) => Promise<Store>,
): Promise<Store> {
  const from = readVersion(path);
  const to = makeSqliteSchema().version;
  if (from === null || from === 0) return open();
  const ended = stopsOlder ? [] : findEnded(readSqliteVersions(path));
  if (ended.length > 0) throw new OlderNodesError(ended);
  const store = await (from < to ? migrateKept(path, { from, to }, { say, probes }, open) : open());
  if (isServing) await cleanOnce(path, { say, probes });
  return store;
}

async function migrateKept<Store>(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
  { say, probes }: CopyParts,
  open: (onStep?: () => void) => Promise<Store>,
): Promise<Store> {
  const copy = await keepCopy(path, from, { say, probes });
  if (copy !== null) say(`poundkey: the store as it was is kept in ${copy}`);
  const what = `migrating the store from schema ${from} to ${to}, step`;
  return showProgress({ what, all: to - from, probes }, (progress) => open(() => progress.add()));
}

/**
 * Programs from before left the bytes of what they deleted in the file. If they can't be overwritten now, the next start
 * tries again.
 */
async function cleanOnce(path: string, { say, probes }: CopyParts): Promise<void> {
  try {
    if (readOverwriting(path) === "due") await overwrite(path, { say, probes });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(
      `poundkey: what was deleted from the store isn't overwritten yet, and the next start tries again: ${why}`,
    );
  }
}

/** Leaves the overwriting of a migrated store to `overwritePostponed`. False if nothing is left to do. */
export function postponeCleaning(path: string): boolean {
  if (readOverwriting(path) === "done") return false;
  postponeOverwriting(path);
  return true;
}

/** Does what was left to it. False if nothing was. Throws SQLite's error, as while gateways write to the store. */
export async function overwritePostponed(path: string, say: CopyParts["say"]): Promise<boolean> {
  if (readOverwriting(path) !== "postponed") return false;
  return overwrite(path, { say });
}

/** Returns false, and says so, if the disk has too little room. */
async function overwrite(path: string, { say, probes }: CopyParts): Promise<boolean> {
  const needed = measureDatabase(path) + SPARE_BYTES;
  const free = readFreeBytes(path);
  if (free >= needed) {
    const what = "overwriting what was deleted from the store";
    await showProgress({ what, all: null, probes }, () => overwriteFreed(path));
    return true;
  }
  say(
    `poundkey: names of people who were made anonymous may be left in free parts of the store's file: VACUUM needs ${needed} bytes, and ${free} are free on its disk. Make room and restart, or run VACUUM by hand`,
  );
  return false;
}

interface CopyParts {
  readonly say: (line: string) => void;
  readonly probes?: ProbeAddress | undefined;
}

interface UpgradeParts extends CopyParts {
  /** True for a gateway's own start. */
  readonly isServing: boolean;
  /** See `StartParts`. */
  readonly stopsOlder: boolean;
}

/** A node that was killed counts as live until its beat is so old. */
const BEAT_MS = 15_000;
const LOOK_EVERY_MS = 500;

/** Opens the store, once nodes of older programs that were killed count as ended. Throws an OlderNodesError if others run. */
export async function waitForOlder<Store>(open: () => Promise<Store>, say: CopyParts["say"]): Promise<Store> {
  const untilMs = performance.now() + BEAT_MS;
  for (let looks = 0; ; looks++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof OlderNodesError) || performance.now() >= untilMs) throw error;
      if (looks === 0) say(`poundkey: ${error.message}. Waiting 15 s, in case they were killed`);
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

async function keepCopy(path: string, from: number, { say, probes }: CopyParts): Promise<string | null> {
  const copy = `${path}${KEPT}${version}`;
  // Made before a migration that was killed between two of its steps: the store has gone on since.
  if ((readVersion(copy) ?? from) < from) return copy;
  const bytes = measureDatabase(path);
  const free = readFreeBytes(path);
  if (free < bytes + SPARE_BYTES) {
    say(
      `poundkey: no copy of the store is kept before its migration: it has ${bytes} bytes, and ${free} are free on its disk`,
    );
    return null;
  }
  const draft = `${copy}.${process.pid}.part`;
  try {
    const what = "copying the store before its migration";
    const work = { what, all: bytes, file: nameDraft(draft), finishing: "checking the copy", probes };
    await showProgress(work, () => copyDatabase(path, draft));
    // Another process may have migrated it meanwhile, after a copy of its own.
    if (readVersion(draft) !== from) return null;
    removeCopies(path);
    renameSync(draft, copy);
    return copy;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`poundkey: no copy of the store is kept before its migration: ${why}`);
    return null;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns null for a file that can't be read, which opening it explains better. */
function readVersion(path: string): number | null {
  try {
    return readSchema(path).stored;
  } catch {
    return null;
  }
}

function readFreeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

function removeCopies(path: string): void {
  const prefix = `${basename(path)}${KEPT}`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix) && !name.endsWith(".part")) rmSync(join(dirname(path), name));
}
