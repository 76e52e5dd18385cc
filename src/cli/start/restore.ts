// `poundkey restore`: puts a backup in an empty place, and proves stores that another program restored.
import { describeOlder } from "../../app/start/older-releases.ts";
import { describeStore, findDatabaseFile, openWithKeys } from "../../app/start/open-store.ts";
import { readKeyFile, restoreStore } from "../../app/start/restore-store.ts";
import type { Io } from "../../app/terminal.ts";
import type { Settings } from "../../core/settings.ts";
import { formatJson, type Open, requireOne, runOnStore } from "../administration.ts";
import { type Arguments, parseArguments } from "../arguments.ts";
import { formatVerdict, verifyBooks } from "../money/ledger.ts";

const HELP = `usage: poundkey restore FILE [--master-key FILE] [--files DIR] [--json]
       poundkey restore --verify [--master-key FILE] [--json]

Puts a backup, as made by \`poundkey backup\`, in the place of the store, which must be empty. Before that, it checks the
file, opens it with the master key, and verifies the books as \`poundkey ledger verify\` does. If anything is wrong, the
place stays as it was. Gateways must not run on it.

With --verify alone, proves the store that is in place in the same way, such as one that psql or pg_restore restored.

  --master-key FILE         the master key that belongs to the backup; by default POUNDKEY_MASTER_KEY, or the file
                            master.key in the store's folder. A restored key is put there
  --files DIR               the uploaded files of the backup, as copied by \`poundkey backup --files\`. Without them, they are
                            gone
  --verify                  verify the books before it says done, which a restore always does
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey restore /var/backups/poundkey-2026-11-20.db --master-key /mnt/safe/poundkey-master.key
  poundkey restore --verify --store postgres://poundkey@db/poundkey`;

const FLAGS = { json: "switch", verify: "switch", "master-key": "value", files: "value" } as const;

/** Returns the exit code. `variable` is the value of `POUNDKEY_MASTER_KEY`. */
export function runRestore(
  args: readonly string[],
  io: Io,
  open: Open,
  { store }: Pick<Settings, "store">,
  variable: string | undefined,
): Promise<number> {
  return runOnStore(HELP, args, io, open, async () => {
    const given = parseArguments(args, FLAGS, 1);
    const call = { given, io, address: store, variable, file: given.values.get("master-key") };
    if (given.switches.has("verify") && given.words.length === 0) await proveStore(call);
    else await restore(call);
  });
}

type RestoredFileCount = Awaited<ReturnType<typeof restoreStore>>["files"];
type RestoredSchema = Awaited<ReturnType<typeof restoreStore>>["schema"];

interface RestoreCall {
  readonly given: Arguments;
  readonly io: Io;
  readonly address: string;
  readonly variable: string | undefined;
  readonly file: string | undefined;
}

async function restore({ given, io, ...inputs }: RestoreCall): Promise<void> {
  const backup = requireOne(given.words, "a backup's file, or --verify");
  if (findDatabaseFile(inputs.address) !== null) io.err(describeStore(inputs.address));
  const { proof, store, bytes, masterKey, schema, files } = await restoreStore({
    ...inputs,
    backup,
    files: given.values.get("files"),
    prove: proveBooks,
  });
  const shown = {
    file: backup,
    store,
    bytes,
    master_key: masterKey,
    accounts: proof.accounts,
    balanced: true,
    files_bytes: files.bytes,
    files_missing: files.missing,
    schema: { backup: schema.backup, now: schema.now, oldest_supported: schema.oldestSupported },
  };
  if (given.switches.has("json")) return io.out(formatJson(shown));
  io.out(
    [
      `Restored ${backup} to ${store} (${bytes} bytes). Its master key is in ${masterKey}.`,
      ...describeMigrated(schema),
      ...describeFiles(files),
      ...proof.lines,
    ].join("\n"),
  );
}

function describeFiles({ bytes, missing }: RestoredFileCount): readonly string[] {
  return [
    ...(bytes === 0 ? [] : [`Restored ${bytes} bytes of uploaded files.`]),
    ...(missing === 0 ? [] : [`${describeMissing(missing)} gone: the bytes were not restored.`]),
  ];
}

function describeMissing(count: number): string {
  return count === 1 ? "1 uploaded file is" : `${count} uploaded files are`;
}

function describeMigrated({ backup, now, oldestSupported }: RestoredSchema): readonly string[] {
  if (backup === now) return [];
  return [
    `It was migrated from schema ${backup} to ${now}: ${describeOlder(oldestSupported)}. For an older one, restore with its own binary, or copy the file.`,
  ];
}

async function proveStore({ given, io, address, variable, file }: RestoreCall): Promise<void> {
  const key = file === undefined ? { text: variable } : readKeyFile(file);
  const { store } = await openWithKeys(address, key, "find");
  try {
    const { lines, accounts } = await proveBooks(store);
    const shown = { balanced: true, accounts };
    io.out(
      given.switches.has("json")
        ? formatJson(shown)
        : ["The master key opens the store.", ...lines].join("\n"),
    );
  } finally {
    await store.close();
  }
}

async function proveBooks(store: Parameters<typeof verifyBooks>[0]) {
  const verified = await verifyBooks(store);
  const lines = formatVerdict(verified);
  if (verified.problems.length > 0) throw new Error(`The books do not balance: ${lines.join("; ")}.`);
  return { lines, accounts: verified.audit.accounts.length };
}
