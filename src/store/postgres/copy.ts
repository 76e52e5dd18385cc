// A temporary copy of what a change of owners meets in a PostgreSQL store, in a schema of its own in the same database.
import { randomBytes } from "node:crypto";
import type { ReservedSQL } from "bun";
import { NoStoreError, redactAddress } from "../engine/address.ts";
import { Dialer } from "./dialer.ts";
import { describeError } from "./failures.ts";

/** Tables whose rows are copied. The others, such as the request log, which may hold millions of rows, stay empty. */
const COPIED = [
  "schema_version",
  "setting",
  "account",
  "gateway_key",
  "foreign_digest",
  "slot",
  "meter",
  "spend",
  "movement",
  "top_up",
  "departure",
  "member",
];
const NAME_BYTES = 6;

interface SchemaCopy {
  readonly searchPath: string;
  remove(): Promise<void>;
}

/**
 * Throws a NoStoreError if the database holds no store, and an Error if the store's user may not create a schema. A process that
 * is killed leaves the schema `poundkey_copy_…`, which can be dropped.
 */
export async function copyToSchema(url: string): Promise<SchemaCopy> {
  const searchPath = `poundkey_copy_${randomBytes(NAME_BYTES).toString("hex")}`;
  const session = await new Dialer({ url }).open({ settings: {}, prepare: false });
  const connection = session.reserved;
  const remove = async () => {
    await connection.unsafe(`DROP SCHEMA IF EXISTS ${searchPath} CASCADE`);
    session.close();
  };
  try {
    await connection.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await copyTables(connection, searchPath);
    await connection.unsafe("COMMIT");
    return { searchPath, remove };
  } catch (error) {
    // The transaction that has not been committed ends with its connection.
    session.close();
    if (error === NOTHING_THERE) throw new NoStoreError(redactAddress(url));
    throw new Error(`The store ${redactAddress(url)} can't be copied: ${describeError(error)}.`, {
      cause: error,
    });
  }
}

const NOTHING_THERE = new Error("no store");

async function copyTables(transaction: Pick<ReservedSQL, "unsafe">, to: string): Promise<void> {
  const found: readonly { readonly name: string; readonly place: string }[] = await transaction.unsafe(
    `SELECT quote_ident(tablename) AS name, quote_ident(schemaname) AS place FROM pg_tables
      WHERE schemaname = (SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE pg_class.oid = to_regclass('schema_version'))
      AND has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')`,
  );
  if (found.length === 0) throw NOTHING_THERE;
  await transaction.unsafe(`CREATE SCHEMA ${to}`);
  for (const { name, place } of found) {
    await transaction.unsafe(`CREATE TABLE ${to}.${name} (LIKE ${place}.${name} INCLUDING ALL)`);
    if (COPIED.includes(name))
      await transaction.unsafe(`INSERT INTO ${to}.${name} SELECT * FROM ${place}.${name}`);
  }
}
