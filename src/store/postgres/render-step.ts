// Renders a step of the schema as PostgreSQL's statements, each of which may run again.
import type { SqlType } from "../columns/columns.ts";
import { describeIndex, joinNames, quoteLiteral } from "../engine/sql.ts";
import { declareField } from "../schema/field-columns.ts";
import type { Change, NewColumn, Step } from "../schema/schema-step.ts";

/** Texts are compared by bytes: any other collation would order lists differently from SQLite, and more slowly. */
const TYPES: Readonly<Record<SqlType, string>> = {
  text: 'TEXT COLLATE "C"',
  integer: "BIGINT",
  real: "DOUBLE PRECISION",
  bytes: "BYTEA",
};

export function renderStep(step: Step): readonly string[] {
  return step.flatMap(renderChange);
}

function renderChange(change: Change): readonly string[] {
  switch (change.kind) {
    case "addColumn":
      return [addColumn(change.table, change.column)];
    case "addField":
      return [addColumn(change.table, declareField(change.field))];
    case "createTable": {
      const { table, columns, key, placement } = change;
      const declared = [...columns.map(declareColumn), `PRIMARY KEY (${joinNames(key)})`];
      return [`CREATE TABLE IF NOT EXISTS ${table} (${declared.join(", ")})`, distribute(table, placement)];
    }
    case "createIndex":
      return [`CREATE INDEX IF NOT EXISTS ${describeIndex(change, change.where?.postgres)}`];
    case "dropIndex":
      return [`DROP INDEX IF EXISTS ${change.name}`];
    case "moveRows":
      return change.postgres;
    case "dropLater":
    case "endSupport":
      return [];
  }
}

function addColumn(table: string, column: NewColumn): string {
  return `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${declareColumn(column)}`;
}

function declareColumn({ name, type, isNullable, initial }: NewColumn): string {
  const rule = isNullable ? "" : " NOT NULL";
  return `${name} ${TYPES[type]}${rule}${initial === undefined ? "" : ` DEFAULT ${quoteLiteral(initial)}`}`;
}

/**
 * Places a new table as the others are: with its account on Citus, if the accounts are distributed there. The conditions
 * are nested because Citus's own table doesn't exist elsewhere, and a statement that names it would fail.
 */
function distribute(table: string, placement: "account" | "everywhere"): string {
  const place =
    placement === "account"
      ? `create_distributed_table('${table}', 'account_id', colocate_with => 'account')`
      : `create_reference_table('${table}')`;
  return `DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND '${table}'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM ${place};
      END IF;
    END IF;
  END $$`;
}
