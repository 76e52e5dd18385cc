// LiteLLM's tables beside those of keys, teams, users and budgets, as of 1.108.7: the columns that are read, and the records.
import { type ForeignRow, isEmptyCell } from "../columns.ts";
import type { Report } from "../report.ts";
import { listRead, type Rules, TOOLS } from "./key-columns.ts";
import { LOST_TABLES } from "./tables.ts";

/** The version whose migrations make these tables. */
export const LITELLM_VERSION = "1.108.7";
const CHANGED = listRead("created_at", "created_by", "updated_at", "updated_by");

/** By table. The limits in its rows are read with the keys. */
export const READ_COLUMNS: Readonly<Record<string, Rules>> = {
  LiteLLM_AccessGroupTable: {
    ...CHANGED,
    ...listRead("access_group_id", "access_group_name", "description", "access_model_names"),
    ...listRead("assigned_team_ids", "assigned_key_ids"),
    access_mcp_server_ids: { leave: TOOLS },
    mcp_tool_permissions: { leave: TOOLS },
    access_agent_ids: { leave: TOOLS },
    access_skill_names: { leave: TOOLS },
  },
  LiteLLM_Config: listRead("param_name", "param_value", "last_run_at", "reload_revision"),
  LiteLLM_DeprecatedVerificationToken: listRead("id", "token", "active_token_id", "revoke_at", "created_at"),
  LiteLLM_EndUserTable: {
    ...listRead("user_id", "alias", "spend", "allowed_model_region", "models", "budget_id", "blocked"),
    ...listRead("object_permission_id"),
    default_model: { leave: "a request names its model" },
  },
  LiteLLM_ModelAccessGroupBudgetTable: { ...CHANGED, ...listRead("access_group_name", "spend", "budget_id") },
  LiteLLM_ModelTable: { ...CHANGED, ...listRead("id", "aliases") },
  LiteLLM_ObjectPermissionTable: {
    ...listRead("object_permission_id", "models"),
    ...listRead("mcp_servers", "mcp_access_groups", "mcp_tool_permissions", "blocked_tools"),
    ...Object.fromEntries(
      [
        "vector_stores",
        "agents",
        "agent_access_groups",
        "mcp_toolsets",
        "search_tools",
        "mcp_tool_search_enabled",
        "skills",
      ].map((column) => [column, { leave: TOOLS }]),
    ),
  },
  LiteLLM_OrganizationTable: {
    ...CHANGED,
    ...listRead("organization_id", "organization_alias", "budget_id", "metadata", "models", "spend"),
    ...listRead("model_spend", "object_permission_id"),
  },
  LiteLLM_ProxyModelTable: {
    ...CHANGED,
    ...listRead("model_id", "model_name", "litellm_params", "model_info", "blocked"),
  },
  LiteLLM_TagTable: {
    ...listRead("tag_name", "models", "spend", "budget_id", "created_at", "created_by", "updated_at"),
    description: { leave: "tags have no description" },
    model_info: { leave: "deployments have no tags: make an alias for each" },
  },
  LiteLLM_TeamMembership: listRead("user_id", "team_id", "spend", "total_spend", "budget_id"),
};

/** The tables of keys, teams, users and budgets, whose owners' rows say what became of each column. */
const OWNERS = ["LiteLLM_VerificationToken", "LiteLLM_TeamTable", "LiteLLM_UserTable", "LiteLLM_BudgetTable"];

/** Records, sums, and what LiteLLM keeps for its own work and interface, without the prefix. None of them limits a key. */
export const RECORDS: ReadonlySet<string> = new Set(
  `AdaptiveRouterSession AdaptiveRouterState AgentIdentity AuditLog AutoRouterBaselineComparison
  AutoRouterBaselineObservation AutoRouterDailySpend AutoRouterSession AutoRouterUserSession
  BackgroundInteractionSettlement BudgetWindowSpend CacheConfig ClaudeCodePluginTable ConfigOverrides CronJob
  DailyAgentSpend DailyEndUserSpend DailyGatewayFailedRequests DailyGatewayRequests DailyGlobalSpend DailyGuardrailMetrics
  DailyGuardrailUsageUnits DailyModelUsage DailyOrganizationSpend DailyPolicyMetrics DailyRequestErrors DailyTagSpend
  DailyTeamSpend DailyToolSpend DailyUserSpend DeletedTeamTable DeletedVerificationToken ErrorLogs HealthCheckTable
  InvitationLink Lens LensDataset LensIngestionKey LensReview LensRun LensSignalConfig LensTraceSignal LensWorker
  MCPServerOAuthClient MCPToolsetTable MCPUserCredentials MCPUserEnvVars ManagedFileContentTable ManagedFileTable
  ManagedObjectTable ManagedVectorStoreIndexTable ManagedVectorStoreTable MemoryTable ProxyWorkerHeartbeat RetiredAgent
  RetiredAgentIdentity SSOConfig SSOIdentityAssertion ShadowEvalAttempt ShadowEvalFunnel ShadowEvalJob SkillsTable
  SpendLogGuardrailIndex SpendLogToolIndex SpendLogs TelemetryReport ToolTable UISettings UserNotifications
  UserProviderCredentials VerifiedSubject WorkflowEvent WorkflowMessage WorkflowRun`
    .split(/\s+/)
    .map((name) => `LiteLLM_${name}`),
);
/** Prisma's own. */
const MIGRATIONS = "_prisma_migrations";

/** Reports the filled tables that nothing reads. Returns those that aren't known. */
export function reportTables(filled: readonly string[], report: Report): readonly string[] {
  const records = filled.filter((table) => RECORDS.has(table));
  if (records.length > 0)
    report.leave(
      null,
      `records of the database (${records.length} tables)`,
      `they limit nobody, and stay there: keep a dump if you need them. ${records.join(", ")}`,
    );
  const unknown = filled.filter(
    (table) =>
      !RECORDS.has(table) &&
      !OWNERS.includes(table) &&
      !Object.hasOwn(LOST_TABLES, table) &&
      !Object.hasOwn(READ_COLUMNS, table) &&
      table !== MIGRATIONS,
  );
  for (const table of unknown)
    report.leave(
      null,
      `table ${table}`,
      `LiteLLM ${LITELLM_VERSION} doesn't have it, so nobody here knows if it limits anything. Keys that it names are paused`,
    );
  return unknown;
}

/** Reports the columns of a table that are lost, each once. */
export function reportColumns(table: string, rows: readonly ForeignRow[], report: Report): void {
  const rules = READ_COLUMNS[table] ?? {};
  const columns = new Set(rows.flatMap((row) => Object.keys(row)));
  for (const column of columns) {
    const rule = Object.hasOwn(rules, column) ? rules[column] : { leave: "a column that isn't known here" };
    if (rule === undefined || rule === "read") continue;
    const count = rows.filter((row) => !isEmptyCell(row[column])).length;
    if (count === 0) continue;
    report.leave(null, `${column} of ${table} (${count})`, "leave" in rule ? rule.leave : rule.pause);
  }
}
