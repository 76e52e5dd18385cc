// The columns of LiteLLM's owners have a rule each, and a table or column that a later schema adds is noticed.
import { expect, test } from "bun:test";
import {
  BUDGET_COLUMNS,
  KEY_COLUMNS,
  TEAM_COLUMNS,
  USER_COLUMNS,
} from "../../src/moving/litellm/key-columns.ts";
import { LOST_TABLES } from "../../src/moving/litellm/tables.ts";
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
/** Tables of which some columns are read, with all that they have in this version. The others have no rule and no row. */
const READ: Readonly<Record<string, string>> = {
  LiteLLM_AccessGroupTable:
    "access_group_id access_group_name description access_model_names access_mcp_server_ids mcp_tool_permissions access_agent_ids access_skill_names assigned_team_ids assigned_key_ids created_at created_by updated_at updated_by",
  LiteLLM_Config: "param_name param_value last_run_at reload_revision",
  LiteLLM_DeprecatedVerificationToken: "id token active_token_id revoke_at created_at",
  LiteLLM_EndUserTable:
    "user_id alias spend allowed_model_region default_model models budget_id object_permission_id blocked",
  LiteLLM_ModelAccessGroupBudgetTable:
    "access_group_name spend budget_id created_at created_by updated_at updated_by",
  LiteLLM_ModelTable: "id aliases created_at created_by updated_at updated_by",
  LiteLLM_ObjectPermissionTable:
    "object_permission_id mcp_servers mcp_access_groups mcp_tool_permissions vector_stores agents agent_access_groups models blocked_tools mcp_toolsets search_tools mcp_tool_search_enabled skills",
  LiteLLM_OrganizationTable:
    "organization_id organization_alias budget_id metadata models spend model_spend object_permission_id created_at created_by updated_at updated_by",
  LiteLLM_ProxyModelTable:
    "model_id model_name litellm_params model_info blocked created_at created_by updated_at updated_by",
  LiteLLM_TagTable: "tag_name description models model_info spend budget_id created_at created_by updated_at",
  LiteLLM_TeamMembership: "user_id team_id spend total_spend budget_id",
};
/** All other tables of this version, mostly records and sums. None of them has a row of the report. */
const WITHOUT_ROW: ReadonlySet<string> = new Set(
  `AdaptiveRouterSession AdaptiveRouterState AgentIdentity AuditLog AutoRouterBaselineComparison AutoRouterBaselineObservation AutoRouterDailySpend AutoRouterSession AutoRouterUserSession BackgroundInteractionSettlement BudgetWindowSpend CacheConfig ClaudeCodePluginTable ConfigOverrides CronJob DailyAgentSpend DailyEndUserSpend DailyGatewayFailedRequests DailyGatewayRequests DailyGlobalSpend DailyGuardrailMetrics DailyGuardrailUsageUnits DailyModelUsage DailyOrganizationSpend DailyPolicyMetrics DailyRequestErrors DailyTagSpend DailyTeamSpend DailyToolSpend DailyUserSpend DeletedTeamTable DeletedVerificationToken ErrorLogs HealthCheckTable InvitationLink Lens LensDataset LensIngestionKey LensReview LensRun LensSignalConfig LensTraceSignal LensWorker MCPServerOAuthClient MCPToolsetTable MCPUserCredentials MCPUserEnvVars ManagedFileContentTable ManagedFileTable ManagedObjectTable ManagedVectorStoreIndexTable ManagedVectorStoreTable MemoryTable ProxyWorkerHeartbeat RetiredAgent RetiredAgentIdentity SSOConfig SSOIdentityAssertion ShadowEvalAttempt ShadowEvalFunnel ShadowEvalJob SkillsTable SpendLogGuardrailIndex SpendLogToolIndex SpendLogs TelemetryReport ToolTable UISettings UserNotifications UserProviderCredentials VerifiedSubject WorkflowEvent WorkflowMessage WorkflowRun`.split(
    /\s+/,
  ),
);

test("every column of LiteLLM's keys, teams, users and budgets has a rule", () => {
  for (const [table, rules] of Object.entries(RULES)) {
    const missing = TABLES[table]?.filter((column) => !Object.hasOwn(rules, column));
    expect([table, missing]).toEqual([table, []]);
  }
});

test("no other table of LiteLLM's is new: each is read, has a row, or is listed as one without", () => {
  const known = (table: string) =>
    Object.hasOwn(RULES, table) || Object.hasOwn(LOST_TABLES, table) || Object.hasOwn(READ, table);
  const unknown = Object.keys(TABLES).filter(
    (table) => !known(table) && !WITHOUT_ROW.has(table.replace("LiteLLM_", "")),
  );
  expect(unknown).toEqual([]);
  for (const [table, columns] of Object.entries(READ))
    expect([table, TABLES[table]?.join(" ")]).toEqual([table, columns]);
  for (const [table, [id]] of Object.entries(LOST_TABLES)) expect(TABLES[table]).toContain(id);
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
