// LiteLLM's tables for its rows: the columns of its schema, of the types that its migrations give them.

const LISTS =
  /^(models|admins|members|teams|policies|allowed_\w+s|access_\w*_?(ids|names)|assigned_\w+_ids)$|_(servers|groups|stores|toolsets|tools)$|^(agents|skills)$/;
const OBJECTS =
  /^(metadata|aliases|config|permissions|model_spend|model_max_budget|budget_fallbacks|router_settings|members_with_roles|budget_limits|param_value|mcp_tool_permissions|model_info|litellm_params)$/;
const NUMBERS = /(^|_)(spend|budget)$|_limit$|^max_parallel_requests$|^(reload_revision|rotation_count)$/;
const FLAGS =
  /^(blocked|auto_rotate|password_reset_required|soft_budget_cooldown|allow_team_guardrail_config)$/;
const TIMES = /(_at|_time)$|^(expires|last_active|last_rotation|temp_budget_expiry|window_start)$/;

function chooseType(column: string): string {
  if (column === "mcp_tool_search_enabled") return "BOOLEAN";
  if (OBJECTS.test(column)) return "JSONB";
  if (LISTS.test(column)) return "TEXT[]";
  if (FLAGS.test(column)) return "BOOLEAN";
  if (NUMBERS.test(column)) return "DOUBLE PRECISION";
  return TIMES.test(column) ? "TIMESTAMP(3)" : "TEXT";
}

export function writeTables(tables: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(tables)
    .map(([name, columns]) => {
      const list = columns.map((column) => `"${column}" ${chooseType(column)}`);
      return `CREATE TABLE "${name}" (${list.join(", ")});`;
    })
    .join("\n");
}
