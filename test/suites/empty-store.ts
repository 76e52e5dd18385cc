// New SQLite stores, copied rather than made: a new schema takes ten times as long as the rest of opening a store.
import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../src/store/sqlite/connection.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";

let empty: Buffer | null = null;

/** Writes a file that has the newest schema and no rows of ours, as the first start leaves it. */
export function writeEmptyStore(path: string): void {
  empty ??= makeEmptyStore();
  writeFileSync(path, empty, { mode: 0o600 });
}

/** Returns the same for a database in memory. */
export function readEmptyStore(): Uint8Array {
  empty ??= makeEmptyStore();
  const image = new Uint8Array(empty);
  // The versions of the format: without a log beside it, which a database in memory can't have.
  image.fill(1, 18, 20);
  return image;
}

function makeEmptyStore(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-empty-"));
  try {
    const path = join(folder, "empty.db");
    connect(path, { create: true, schema: makeSqliteSchema() }).close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lets the database refuse every change of a row from now on. */
export function refuseWrites(path: string): void {
  using database = new Database(path);
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  for (const { name } of tables)
    for (const change of ["INSERT", "UPDATE", "DELETE"])
      if (!name.startsWith("sqlite_"))
        database.run(
          `CREATE TRIGGER no_${change}_${name} BEFORE ${change} ON ${name} BEGIN SELECT RAISE(ABORT, 'no writes'); END`,
        );
}
