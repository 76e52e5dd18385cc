// Writes what was planned: first the former bytes and the journal, then each file at once.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Disk, describeUnwritten, replaceFile } from "./disk.ts";
import {
  closeJournal,
  computeBytesDigest,
  type Journal,
  type JournalFile,
  type SetupFolder,
  writeJournal,
} from "./journal.ts";
import type { AgentPlan, PlannedFile } from "./plan.ts";
import { RefusedError, readSettings } from "./read-settings.ts";
import { addFiles, type Backup, listMissing, recordFile, settleFile } from "./record.ts";
import { withLock } from "./with-lock.ts";

const FILE_MODE = 0o600;

export interface KeyFile {
  readonly path: string;
  readonly key: string;
  /** True if it isn't on disk yet. */
  readonly isNew: boolean;
}

interface Application {
  /** The plans as they came out. */
  readonly plans: readonly AgentPlan[];
  readonly remark: string | null;
}

/** Throws a RefusedError, with no agent's file changed, if the journal can't be written. */
export function applyPlans(
  disk: Disk,
  folder: SetupFolder,
  plans: readonly AgentPlan[],
  keyFile: KeyFile | null,
): Application {
  return withLock(disk, folder, (journal) => {
    const checked = plans.map(checkUnchanged);
    const { files, backups } = recordPlans(checked, journal, keyFile);
    const keys = keyFile === null ? journal.keys : [...new Set([...journal.keys, keyFile.path])];
    const begun = addFiles({ ...journal, keys }, files);
    begin(disk, folder, { backups, begun, keyFile });
    const done = checked.map((plan) => writeFiles(disk, plan));
    return { plans: done, remark: close(disk, folder, journal, begun) };
  });
}

interface Beginning {
  readonly backups: readonly Backup[];
  readonly begun: Journal;
  readonly keyFile: KeyFile | null;
}

/** Writes all that has to be there before the first agent's file. Throws a RefusedError if it can't. */
function begin(disk: Disk, folder: SetupFolder, { backups, begun, keyFile }: Beginning): void {
  try {
    for (const path of [folder.backups, folder.keys]) if (!existsSync(path)) disk.makeFolder(path);
    for (const { name, bytes } of backups) replaceFile(disk, join(folder.backups, name), bytes, FILE_MODE);
    writeJournal(disk, folder, begun);
    if (keyFile?.isNew) replaceFile(disk, keyFile.path, Buffer.from(`${keyFile.key}\n`), FILE_MODE);
  } catch (error) {
    throw new RefusedError(
      `nothing was changed, since ${folder.root} can't be written: ${describeUnwritten(error)}`,
    );
  }
}

/** The journal that was begun is right too, so that a full disk at the end costs nothing. */
function close(disk: Disk, folder: SetupFolder, journal: Journal, begun: Journal): string | null {
  const earlier = new Map(journal.files.map((file) => [file.target, file]));
  const files = begun.files.flatMap((file) => settle(file, earlier.get(file.target)));
  try {
    closeJournal(disk, folder, { ...begun, files });
    return null;
  } catch (error) {
    return `${folder.journal} isn't up to date (${describeUnwritten(error)}), but --undo works.`;
  }
}

/** A file that wasn't written keeps its earlier entry, or has none. */
function settle(file: JournalFile, earlier: JournalFile | undefined): readonly JournalFile[] {
  if (file === earlier) return [file];
  const digest = readDigest(file.target);
  if (digest === file.written.at(-1)) return [settleFile(file)];
  return earlier === undefined ? [] : [earlier];
}

function readDigest(path: string): string | null {
  try {
    const found = readSettings(path);
    return found === null ? null : computeBytesDigest(found.bytes);
  } catch {
    return null;
  }
}

function isWritten({ state }: AgentPlan): boolean {
  return state === "connected" || state === "already" || state === "needs_person";
}

function checkUnchanged(plan: AgentPlan): AgentPlan {
  const changed = isWritten(plan) ? plan.files.filter((file) => file.isChanged && !isUnchanged(file)) : [];
  if (changed.length === 0) return plan;
  const words = changed.map(({ path }) => `${path}: it was changed since it was read. Run setup again.`);
  return { ...plan, state: "refused", words };
}

function isUnchanged({ target, found }: PlannedFile): boolean {
  try {
    const now = readSettings(target);
    if (now === null || found === null) return now === found;
    return now.mode === found.mode && Buffer.compare(now.bytes, found.bytes) === 0;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

interface Records {
  readonly files: readonly JournalFile[];
  readonly backups: readonly Backup[];
}

/** A file that names the key's file is recorded even if it stays as it is: the key is needed as long as it does. */
function recordPlans(plans: readonly AgentPlan[], journal: Journal, keyFile: KeyFile | null): Records {
  const earlier = new Map(journal.files.map((file) => [file.target, file]));
  const recorded = plans
    .filter(isWritten)
    .flatMap(({ agent, files }) =>
      files
        .filter((file) => file.isChanged || (file.namesKeyFile && !earlier.has(file.target)))
        .map((file) => recordFile(agent, file, keyFile?.path ?? null, earlier.get(file.target))),
    );
  return {
    files: recorded.map(({ file }) => file),
    backups: recorded.flatMap(({ backup }) => (backup === undefined ? [] : [backup])),
  };
}

function writeFiles(disk: Disk, plan: AgentPlan): AgentPlan {
  if (!isWritten(plan)) return plan;
  for (const file of plan.files.filter(({ isChanged }) => isChanged)) {
    try {
      for (const path of listMissing(dirname(file.target))) disk.makeFolder(path);
      replaceFile(disk, file.target, file.next, file.mode);
    } catch (error) {
      const words = `${file.path}: it could not be written: ${describeUnwritten(error)}.`;
      return { ...plan, state: "refused", words: [words] };
    }
  }
  return plan;
}
