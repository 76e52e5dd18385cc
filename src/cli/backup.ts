// `poundkey backup`: a consistent copy of a SQLite store, also while a gateway runs on it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findDatabaseFile, storeExists } from "../app/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import type { Settings } from "../core/settings.ts";
import { NoStoreError } from "../store/address.ts";
import { copyDatabase } from "../store/sqlite/copy.ts";
import { masterKeyFile } from "../store/sqlite/master-key-file.ts";
import { formatJson, report, requireOne } from "./administration.ts";

const HELP = `usage: poundkey backup FILE [--json]

Copies the SQLite store to a new file, as of one moment, also while gateways run on it, and checks the copy. The file
must not be there yet; it is readable by its owner alone. To go back to it, stop all gateways, move the store's file and
the -wal and -shm files beside it away, and put the copy in its place.

The master key is not in the copy. Without it no key works and no stored credential can be read, so keep it too, in
another place than the copy.

  --json                    print JSON
  --config FILE, --store S  as for the gateway`;

/** Returns the exit code. `masterKeyText` is the value of `POUNDKEY_MASTER_KEY`. */
export function runBackup(
  args: readonly string[],
  io: Io,
  { store }: Pick<Settings, "store">,
  masterKeyText: string | undefined,
): number {
  try {
    const options = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) {
      io.out(HELP);
      return EXIT.done;
    }
    const copy = backUp(store, requireOne(positionals, "the name of one new file"), masterKeyText);
    io.out(values.json ? formatJson(copy) : writeSummary(copy));
    return EXIT.done;
  } catch (error) {
    return report(error, HELP, io);
  }
}

interface Copy {
  readonly file: string;
  readonly bytes: number;
  readonly store: string;
  /** The master key's file, or the name of the environment variable. */
  readonly master_key: string;
}

function backUp(address: string, name: string, masterKeyText: string | undefined): Copy {
  const store = findDatabaseFile(address);
  if (store === null) {
    throw new Error("The store is on PostgreSQL, which has its own tools: pg_dump makes a consistent copy.");
  }
  if (!storeExists(store)) throw new NoStoreError(store);
  const file = resolve(name);
  if (existsSync(file)) throw new Error(`${file} is there already; a backup takes no file's place.`);
  const masterKey = masterKeyText ? "POUNDKEY_MASTER_KEY" : masterKeyFile(store).path;
  return { file, bytes: copyTo(store, file), store, master_key: masterKey };
}

function copyTo(store: string, file: string): number {
  try {
    return copyDatabase(store, file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${store} can't be copied to ${file}: ${why}.`, { cause: error });
  }
}

function writeSummary({ file, bytes, store, master_key }: Copy): string {
  return [
    `Copied ${store} to ${file}: ${bytes} bytes, checked.`,
    `The master key belongs to it and is not in it: keep ${master_key} too, in another place than the copy.`,
  ].join("\n");
}
