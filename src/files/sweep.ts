// Removes files that have ended, and pieces that nothing names, such as those of an upload whose process was killed.
import type { StoredFile } from "../core/batches/file.ts";
import type { FilesPorts } from "./files-ports.ts";

/** Rows that are read at once. */
const ROWS_MAX = 500;
/** An upload writes a piece at least every 64 s, since slower ones are refused. */
const UNNAMED_MS = 600_000;
/** Unnamed pieces are looked for once in this many sweeps. */
const UNNAMED_SWEEPS = 10;

/** Returns the task, to be run regularly. */
export function makeSweep(ports: FilesPorts): () => Promise<void> {
  let sweeps = 0;
  return async () => {
    await removeEnded(ports);
    if (sweeps++ % UNNAMED_SWEEPS === 0) await removeUnnamed(ports);
  };
}

/** A file that a batch still reads stays until the batch has ended. */
async function removeEnded({ store: { files }, clock, users }: FilesPorts): Promise<void> {
  const endedMs = clock.nowMs();
  for (let after: StoredFile | null | undefined = null; after !== undefined; ) {
    const ended: readonly StoredFile[] = await files.list({
      endedMs,
      order: "oldest",
      limit: ROWS_MAX,
      after,
    });
    for (const { id, owner } of ended) {
      if (await users.isFileInUse(id)) continue;
      await files.remove(owner.accountId, id);
      await files.pieces.remove(owner.accountId, id);
    }
    after = ended.length < ROWS_MAX ? undefined : ended.at(-1);
  }
}

/** The objects are listed first, so that the row of a file that is finished meanwhile is seen. */
async function removeUnnamed({ store: { files }, clock, users }: FilesPorts): Promise<void> {
  const old = await files.pieces.listBefore(clock.nowMs() - UNNAMED_MS);
  if (old.length === 0) return;
  const name = (accountId: string, object: string) => JSON.stringify([accountId, object]);
  const named = new Set<string>();
  for (const { accountId, object } of await users.listLiveObjects()) named.add(name(accountId, object));
  for (let after: StoredFile | null | undefined = null; after !== undefined; ) {
    const rows: readonly StoredFile[] = await files.list({ order: "oldest", limit: ROWS_MAX, after });
    for (const { id, owner } of rows) named.add(name(owner.accountId, id));
    after = rows.length < ROWS_MAX ? undefined : rows.at(-1);
  }
  for (const { accountId, object } of old)
    if (!named.has(name(accountId, object))) await files.pieces.remove(accountId, object);
}
