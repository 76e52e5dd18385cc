// Renders a step of the schema as SQLite's statements.
import type { SqlType } from "../columns/columns.ts";
import { describeIndex, joinNames, quoteLiteral } from "../engine/sql.ts";
import { declareField } from "../schema/field-columns.ts";
import type { Change, NewColumn, Step } from "../schema/schema-step.ts";

const TYPES: Readonly<Record<SqlType, string>> = {
  text: "TEXT",
  integer: "INTEGER",
  real: "REAL",
  bytes: "BLOB",
};

/** A step runs in one transaction. */
export function renderStep(step: Step): string {
  return step
    .flatMap(renderChange)
    .map((statement) => `${statement};`)
    .join("\n");
}

function renderChange(change: Change): readonly string[] {
  switch (change.kind) {
    case "addColumn":
      return change.only === "postgres" ? [] : [addColumn(change.table, change.column)];
    case "addField":
      return [addColumn(change.table, declareField(change.field))];
    case "createTable": {
      if (change.only === "postgres") return [];
      const { table, columns, key } = change;
      const declared = [...columns.map(declareColumn), `PRIMARY KEY (${joinNames(key)})`];
      return [`CREATE TABLE ${table} (${declared.join(", ")}) STRICT, WITHOUT ROWID`];
    }
    case "createIndex":
      if (change.only === "postgres") return [];
      return [`CREATE INDEX ${describeIndex(change, change.where?.sqlite)}`];
    case "dropIndex":
      return [`DROP INDEX IF EXISTS ${change.name}`];
    case "moveRows":
      return change.sqlite;
    case "dropLater":
    case "endSupport":
      return [];
  }
}

function addColumn(table: string, column: NewColumn): string {
  return `ALTER TABLE ${table} ADD COLUMN ${declareColumn(column)}`;
}

function declareColumn({ name, type, isNullable, initial }: NewColumn): string {
  const rule = isNullable ? "" : " NOT NULL";
  return `${name} ${TYPES[type]}${rule}${initial === undefined ? "" : ` DEFAULT ${quoteLiteral(initial)}`}`;
}
