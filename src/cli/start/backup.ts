// `poundkey backup`: a consistent copy of a SQLite store, also while a gateway runs on it.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { findDatabaseFile, storeExists } from "../../app/start/open-store.ts";
import type { Io } from "../../app/terminal.ts";
import { showProgress } from "../../app/workers/progress.ts";
import { asObject, parseJson } from "../../core/json/json.ts";
import type { Settings } from "../../core/settings.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { copyDatabase, measureDatabase, nameDraft, readCopiedAuditHead } from "../../store/sqlite/copy.ts";
import { copyPieces, measurePieces } from "../../store/sqlite/files-copy.ts";
import { masterKeyFile } from "../../store/sqlite/master-key-file.ts";
import { nameBackupMark } from "../../store/sqlite/measure.ts";
import { nameFilesFolder } from "../../store/sqlite/pieces.ts";
import { formatJson, type Open, requireOne, runOnStore } from "../administration.ts";
import { parseArguments } from "../arguments.ts";

const HELP = `usage: poundkey backup FILE [--files DIR] [--json]

Makes a consistent copy of the SQLite store, even while gateways run on it, and checks it. FILE must not exist yet; only
its owner can read it. \`poundkey restore\` puts it in a store's place.

The master key is not part of the copy. Without it, no key works and no stored credential can be read, so back it up
too, in a different place.

Files that clients uploaded are left out, and their bytes are told. With --files they are copied into DIR, which must not
exist yet. They are encrypted by the same master key.

  --files DIR               copy uploaded files, too
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey backup /var/backups/poundkey-2026-11-20.db --files /var/backups/poundkey-2026-11-20.files`;

/** Returns the exit code. `masterKeyText` is the value of `POUNDKEY_MASTER_KEY`. */
export function runBackup(
  args: readonly string[],
  io: Io,
  open: Open,
  { store }: Pick<Settings, "store">,
  masterKeyText: string | undefined,
): Promise<number> {
  return runOnStore(HELP, args, io, open, async () => {
    const { words, switches, values } = parseArguments(args, { json: "switch", files: "value" }, 1);
    const folder = values.get("files");
    const copy = await backUp(store, requireOne(words, "the name of a new file"), masterKeyText, folder);
    io.out(switches.has("json") ? formatJson(copy) : writeSummary(copy));
  });
}

interface Copy {
  readonly file: string;
  readonly bytes: number;
  readonly store: string;
  /** The master key's file, or the name of the environment variable. */
  readonly master_key: string;
  /** The last row of the audit log's chain. Null if there is none. */
  readonly audit_head: { readonly seq: number; readonly hash: string } | null;
  /** The folder with uploaded files. Null if they are left out. */
  readonly files: string | null;
  /** The bytes of uploaded files, copied or left out. */
  readonly files_bytes: number;
}

function readHead(file: string): Copy["audit_head"] {
  const head = readCopiedAuditHead(file);
  const { seq, hash } = head === null ? {} : asObject(parseJson(head));
  return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : null;
}

async function backUp(
  address: string,
  name: string,
  masterKeyText: string | undefined,
  folder: string | undefined,
): Promise<Copy> {
  const store = findDatabaseFile(address);
  if (store === null) {
    throw new Error("The store is on PostgreSQL. Use pg_dump to make a consistent copy.");
  }
  if (!storeExists(store)) throw new NoStoreError(store);
  const file = resolve(name);
  if (existsSync(file))
    throw new Error(`${file} already exists. Choose a new file: backups never overwrite one.`);
  const files = folder === undefined ? null : resolve(folder);
  if (files !== null && existsSync(files))
    throw new Error(`${files} already exists. Choose a new folder: backups never overwrite one.`);
  const masterKey = masterKeyText ? "POUNDKEY_MASTER_KEY" : masterKeyFile(store).path;
  const bytes = await copyTo(store, file);
  markBackup(store, file);
  const filesBytes = files === null ? measurePieces(store) : copyPieces(nameFilesFolder(store), files);
  return {
    file,
    bytes,
    store,
    master_key: masterKey,
    audit_head: readHead(file),
    files,
    files_bytes: filesBytes,
  };
}

/** Gateways report its time, so that an alert notices backups that fail or aren't made. */
function markBackup(store: string, file: string): void {
  try {
    writeFileSync(nameBackupMark(store), `${file}\n`, { mode: 0o600 });
  } catch {
    // The folder may be read-only for the user of the backups. The copy is good all the same.
  }
}

async function copyTo(store: string, file: string): Promise<number> {
  const work = {
    what: "copying the store",
    all: measureDatabase(store),
    file: nameDraft(file),
    finishing: "checking the copy",
  };
  try {
    return await showProgress(work, () => copyDatabase(store, file));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Can't copy ${store} to ${file}: ${why}.`, { cause: error });
  }
}

function writeSummary({ file, bytes, store, master_key, audit_head: head, ...more }: Copy): string {
  return [
    `Copied ${store} to ${file} (${bytes} bytes) and checked the copy.`,
    `The copy is useless without the master key, which is not part of it. Back up ${master_key} too, in a different place.`,
    ...describeFiles(more),
    ...(head === null ? [] : [`Its audit log ends in ${head.seq}.${head.hash}`]),
  ].join("\n");
}

function describeFiles({
  files,
  files_bytes: bytes,
}: Pick<Copy, "files" | "files_bytes">): readonly string[] {
  if (files !== null) return [`Copied ${bytes} bytes of uploaded files to ${files}.`];
  return bytes === 0 ? [] : [`Left out ${bytes} bytes of uploaded files: --files DIR copies them, too.`];
}
