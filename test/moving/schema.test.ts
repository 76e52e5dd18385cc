// The columns of LiteLLM's owners have a rule each, and a table or column that a later schema adds is noticed.
import { expect, test } from "bun:test";
import {
  BUDGET_COLUMNS,
  KEY_COLUMNS,
  TEAM_COLUMNS,
  USER_COLUMNS,
} from "../../src/moving/litellm/key-columns.ts";
import { LITELLM_VERSION, READ_COLUMNS, RECORDS, reportTables } from "../../src/moving/litellm/schema.ts";
import { LOST_TABLES } from "../../src/moving/litellm/tables.ts";
import { Report } from "../../src/moving/report.ts";
import schema from "./litellm-schema.data.json" with { type: "json" };
import { key, readStore, useTables } from "./tables.ts";

const importTables = useTables();
const TABLES: Readonly<Record<string, readonly string[]>> = schema.tables;

/** Tables whose columns have a rule each. A column without one pauses its owner. */
const RULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  LiteLLM_VerificationToken: KEY_COLUMNS,
  LiteLLM_TeamTable: TEAM_COLUMNS,
  LiteLLM_UserTable: USER_COLUMNS,
  LiteLLM_BudgetTable: BUDGET_COLUMNS,
};
test("every column of LiteLLM's keys, teams, users and budgets has a rule", () => {
  for (const [table, rules] of Object.entries(RULES)) {
    const missing = TABLES[table]?.filter((column) => !Object.hasOwn(rules, column));
    expect([table, missing]).toEqual([table, []]);
  }
});

test("every other table and column of LiteLLM's is read, has a row, or is a record", () => {
  for (const [table, rules] of Object.entries(READ_COLUMNS)) {
    const missing = TABLES[table]?.filter((column) => !Object.hasOwn(rules, column));
    expect([table, missing]).toEqual([table, []]);
    expect([table, Object.keys(rules).filter((column) => !TABLES[table]?.includes(column))]).toEqual([
      table,
      [],
    ]);
  }
  const report = new Report();
  expect(reportTables(Object.keys(TABLES), report)).toEqual([]);
  for (const table of RECORDS) expect([table, Object.hasOwn(TABLES, table)]).toEqual([table, true]);
  for (const [table, [id]] of Object.entries(LOST_TABLES)) expect(TABLES[table]).toContain(id);
  expect(schema.version).toBe(LITELLM_VERSION);
});

test("permissions that may limit models, and a column of a budget that nobody knows, pause the key", async () => {
  const { place, find } = await importTables({
    keys: [
      key("permitted", { object_permission_id: "p-1" }),
      key("of a budget", { budget_id: "b-1" }),
      key("of a member", { user_id: "bob", team_id: "t-1" }),
    ],
    teams: [{ team_id: "t-1" }],
    users: [{ user_id: "bob" }],
    members: [{ user_id: "bob", team_id: "t-1", budget_id: "b-1" }],
    budgets: [{ budget_id: "b-1", max_budget: 3, cost_ceiling: 5, temp_budget_increase: 9 }],
  });
  const { keys } = await readStore(place);
  for (const name of ["permitted", "of a budget", "of a member"])
    expect([name, keys.get(name)?.isPaused]).toEqual([name, true]);
  expect(find("key permitted")?.words).toContain("object_permission_id: p-1 may limit it");
  expect(find("key of a budget")?.words).toContain("cost_ceiling of its budget");
  expect(find("key of a budget: temp_budget_increase of its budget")?.outcome).toBe("not_taken");
});
