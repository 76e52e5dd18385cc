// LiteLLM's tables from its database, or from CSV files of some of them.

import { reportColumns, reportTables } from "../../moving/litellm/schema.ts";
import {
  CSV_TABLES,
  type CsvTableName,
  LOST_TABLES,
  NO_TABLES,
  type Tables,
} from "../../moving/litellm/tables.ts";
import type { Report } from "../../moving/report.ts";
import { type ForeignTables, openForeignDatabase } from "../../store/keys/foreign-tables.ts";
import { readCsv } from "./import-files.ts";

interface TableInput {
  readonly database: string | undefined;
  readonly keys: string | undefined;
  readonly tables: Readonly<Partial<Record<CsvTableName, string>>>;
  readonly report: Report;
}

export async function readLitellmTables(input: TableInput): Promise<Tables> {
  const { database, keys, report } = input;
  if (keys !== undefined) return readCsvTables(keys, input);
  return database === undefined ? NO_TABLES : readDatabase(database, report);
}

function readCsvTables(keys: string, { tables, report }: TableInput): Tables {
  const read = (flag: CsvTableName) => {
    const path = tables[flag];
    return path === undefined ? null : readTable(path, CSV_TABLES[flag][1]);
  };
  report.leave(
    null,
    "tables of the database",
    "limits of customers, tags and groups of models are in none of the CSV files",
  );
  return {
    ...NO_TABLES,
    keys: readTable(keys, "token"),
    teams: read("teams"),
    budgets: read("budgets"),
    users: read("users"),
    members: read("members"),
    organizations: read("organizations"),
  };
}

function readTable(path: string, column: string) {
  const { columns, rows } = readCsv(path);
  if (!columns.includes(column)) throw new Error(`${path}: the first line has no column '${column}'`);
  return rows;
}

async function readDatabase(url: string, report: Report): Promise<Tables> {
  const database = openForeignDatabase(url);
  const read = (flag: CsvTableName) => {
    const [table, key] = CSV_TABLES[flag];
    return database.read(table, key);
  };
  const readUses = async (table: string, column: string) => {
    const rows = await database.readDistinct(table, [column, "api_key"]);
    return rows?.map((row) => ({ name: String(row[column]), digest: String(row.api_key) })) ?? null;
  };
  try {
    await reportLost(database, report);
    const mentions = await readMentions(database, reportTables(await database.listFilled(), report));
    const tables = {
      mentions,
      keys: await database.read("LiteLLM_VerificationToken", "token", true),
      replaced: await database.read("LiteLLM_DeprecatedVerificationToken", "token"),
      teams: await read("teams"),
      budgets: await read("budgets"),
      users: await read("users"),
      members: await database.read("LiteLLM_TeamMembership", "user_id"),
      organizations: await read("organizations"),
      teamAliases: await database.read("LiteLLM_ModelTable", "id"),
      accessGroups: await database.read("LiteLLM_AccessGroupTable", "access_group_id"),
      permissions: await database.read("LiteLLM_ObjectPermissionTable", "object_permission_id"),
      settings: await database.read("LiteLLM_Config", "param_name"),
      groupBudgets: await database.read("LiteLLM_ModelAccessGroupBudgetTable", "access_group_name"),
      tags: await database.read("LiteLLM_TagTable", "tag_name"),
      customers: await database.read("LiteLLM_EndUserTable", "user_id"),
      tagUses: await readUses("LiteLLM_DailyTagSpend", "tag"),
      customerUses: await readUses("LiteLLM_DailyEndUserSpend", "end_user_id"),
    };
    reportLostColumns(tables, report);
    return tables;
  } finally {
    await database.close();
  }
}

/** Columns whose values are the id of a key or of whom it belongs to. */
const REFERENCES = /^(hashed_)?(api_key|token|key_id|key_hash|team_id|user_id|organization_id|project_id)$/;

async function readMentions(
  database: ForeignTables,
  tables: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const mentions = new Map<string, string>();
  for (const table of tables) {
    for (const column of (await database.listColumns(table)).filter((name) => REFERENCES.test(name)))
      for (const row of (await database.readDistinct(table, [column])) ?? [])
        mentions.set(String(row[column]), table);
  }
  return mentions;
}

/** Reports columns of tables that are only read with the keys. */
function reportLostColumns(tables: Tables, report: Report): void {
  const read: readonly (readonly [table: string, rows: Tables["teams"]])[] = [
    ["LiteLLM_AccessGroupTable", tables.accessGroups],
    ["LiteLLM_Config", tables.settings],
    ["LiteLLM_DeprecatedVerificationToken", tables.replaced],
    ["LiteLLM_EndUserTable", tables.customers],
    ["LiteLLM_ModelAccessGroupBudgetTable", tables.groupBudgets],
    ["LiteLLM_ModelTable", tables.teamAliases],
    ["LiteLLM_ObjectPermissionTable", tables.permissions],
    ["LiteLLM_OrganizationTable", tables.organizations],
    ["LiteLLM_TagTable", tables.tags],
    ["LiteLLM_TeamMembership", tables.members],
  ];
  for (const [table, rows] of read) reportColumns(table, rows ?? [], report);
}

/** Reports rows of tables that are never read. */
async function reportLost(database: ForeignTables, report: Report): Promise<void> {
  for (const row of await database.read("LiteLLM_ProxyModelTable", "model_id"))
    report.leave(
      null,
      `model ${row.model_name} of the database`,
      "its parameters are encrypted: add it to the file",
    );
  for (const [table, [key, item, words]] of Object.entries(LOST_TABLES)) {
    const { length } = await database.read(table, key);
    if (length > 0) report.leave(null, `${item} of the database (${length})`, words);
  }
}
