// The columns of LiteLLM's keys and teams, and what the loss of each means. A column that nobody here knows pauses its owner.
import { asObject } from "../../core/json/json.ts";
import { type ForeignRow, isEmptyCell, readList, readObject, readText } from "../columns.ts";
import type { ModelNames } from "./config.ts";
import type { ImportNotes } from "./notes.ts";

type KeyColumnRule =
  /** Read elsewhere, or a record of LiteLLM's own work. */
  | "read"
  /** Without it its owner can do no more than before. */
  | { readonly leave: string }
  | { readonly pause: string };
export type Rules = Readonly<Record<string, KeyColumnRule>>;

const POLICIES = "policies, which are guardrails, have no place here";
export const TOOLS = "no MCP server of the file was taken, and there are no vector stores";
const ROUTER = "failover is the same for all keys";

export function listRead(...columns: readonly string[]): Rules {
  return Object.fromEntries(columns.map((column) => [column, "read"]));
}

/** LiteLLM 1.108's `schema.prisma`. */
const SHARED: Rules = {
  ...listRead("spend", "total_spend", "models", "metadata", "blocked", "team_id", "organization_id"),
  ...listRead("max_budget", "soft_budget", "budget_duration", "budget_reset_at", "budget_limits"),
  ...listRead(
    "model_spend",
    "model_max_budget",
    "max_parallel_requests",
    "tpm_limit",
    "rpm_limit",
    "tpd_limit",
  ),
  ...listRead("access_group_ids", "created_at", "created_by", "updated_at", "updated_by"),
  router_settings: { leave: ROUTER },
  object_permission_id: "read",
  policies: { pause: POLICIES },
};

export const KEY_COLUMNS: Rules = {
  ...SHARED,
  ...listRead(
    "token",
    "key_name",
    "key_alias",
    "expires",
    "user_id",
    "budget_id",
    "aliases",
    "allowed_routes",
  ),
  ...listRead(
    "key_type",
    "settings_updated_at",
    "last_active",
    "rotation_count",
    "last_rotation_at",
    "key_rotation_at",
    "soft_budget_cooldown",
  ),
  auto_rotate: { leave: "rotate it by poundkey keys rotate" },
  rotation_interval: { leave: "rotate it by poundkey keys rotate" },
  budget_fallbacks: { leave: "a used-up budget refuses" },
  permissions: { leave: "they allow more than calls of models" },
  config: { leave: "it has no counterpart" },
  allowed_cache_controls: { leave: "every client may send Cache-Control" },
  project_id: { pause: "it is of a project, whose limits have no place here" },
  agent_id: { pause: "it is of an agent, whose limits have no place here" },
};

/** One row names all teams that have some. */
export const TEAM_PEOPLE = ["admins", "members", "members_with_roles", "team_member_permissions"];

export const TEAM_COLUMNS: Rules = {
  ...SHARED,
  ...listRead("team_alias", "model_id", ...TEAM_PEOPLE),
  default_team_member_models: { leave: "only keys and accounts have models" },
  allow_team_guardrail_config: { leave: "hooks are the operator's" },
};

export const USER_COLUMNS: Rules = {
  ...SHARED,
  ...listRead("user_id", "user_alias", "user_email", "sso_user_id", "password", "teams", "user_role"),
  ...listRead("password_reset_required", "last_breach_check_at"),
  ...listRead("allowed_cache_controls", "object_permission_id", "router_settings"),
};

export const BUDGET_COLUMNS: Rules = {
  ...SHARED,
  ...listRead("budget_id", "allowed_models"),
  temp_budget_increase: { leave: "an increase for some time isn't taken" },
  temp_budget_expiry: { leave: "an increase for some time isn't taken" },
};

interface PermissionCheck {
  /** As for limits. */
  readonly where?: string;
  /** True if its tools are read. */
  readonly hasTools?: boolean;
}

/** A row of other permissions may limit the models too. `permissions` is null if they aren't given. */
export function checkPermission(
  row: ForeignRow,
  permissions: readonly ForeignRow[] | null,
  notes: ImportNotes,
  { where = "", hasTools = false }: PermissionCheck = {},
): void {
  const id = readText(row, "object_permission_id");
  if (id === null) return;
  const found = permissions?.find((one) => readText(one, "object_permission_id") === id);
  if (found === undefined) notes.pause(`object_permission_id${where}: ${id} may limit it, and isn't given`);
  else if (!isEmptyCell(found.models)) notes.pause(`object_permission_id${where}: it limits the models`);
  else if (!hasTools) notes.leave(`object_permission_id${where}`, TOOLS);
}

/** Notes what is lost of the columns that aren't empty. `where` is as for limits. */
export function checkColumns(row: ForeignRow, rules: Rules, notes: ImportNotes, where = ""): void {
  for (const [column, value] of Object.entries(row)) {
    const rule = Object.hasOwn(rules, column) ? rules[column] : { pause: "a column that isn't known here" };
    if (rule === undefined || rule === "read" || isEmptyCell(value)) continue;
    if ("leave" in rule) notes.leave(`${column}${where}`, rule.leave);
    else notes.pause(`${column}${where}: ${rule.pause}`);
  }
}

/** Fields of `metadata` that limit requests. The others are notes of people and programs. */
const METADATA: Rules = {
  ...listRead("model_rpm_limit", "model_tpm_limit", "rpm_limit_type", "tpm_limit_type"),
  ...listRead("team_member_budget_id"),
  guardrails: { pause: "guardrails of single keys have no place here" },
  policies: { pause: POLICIES },
  enforced_params: { pause: "parameters that a request must have can't be set here" },
  tag_rpm_limit: { pause: "limits of tags have no place here" },
  model_itpm_limit: { pause: "limits of what is read or written in a minute have no place here" },
  model_otpm_limit: { pause: "limits of what is read or written in a minute have no place here" },
  end_user_budget_id: { pause: "budgets of customers have no place here" },
  tag_tpm_limit: { pause: "limits of tags have no place here" },
};

function listFilledFields(row: ForeignRow): readonly string[] {
  const given = Object.entries(readObject(row, "metadata")).filter(([, value]) => !isEmptyCell(value));
  return given.map(([field]) => field);
}

/** `where` is as for limits. */
export function checkLimitingMetadata(row: ForeignRow, notes: ImportNotes, where = ""): void {
  for (const field of listFilledFields(row)) {
    const rule = Object.hasOwn(METADATA, field) ? METADATA[field] : undefined;
    if (rule !== undefined && rule !== "read" && "pause" in rule)
      notes.pause(`${field}${where}: ${rule.pause}`);
  }
}

export function checkMetadata(row: ForeignRow, notes: ImportNotes): void {
  checkLimitingMetadata(row, notes);
  const others = listFilledFields(row).filter((field) => !Object.hasOwn(METADATA, field));
  if (others.length > 0) notes.leave("metadata", `${others.join(", ")}: plain texts are in the key's notes`);
}

/** A name that means a model here and another one for this owner there would give it that model. */
export function checkAliases(value: unknown, part: string, names: ModelNames, notes: ImportNotes): void {
  const aliases = Object.entries(asObject(value));
  const missing = aliases.filter(([alias]) => names.find(alias).length === 0);
  const others = aliases.filter(([alias, target]) => {
    const there = names.find(String(target));
    return names.find(alias).some((id) => !there.includes(id));
  });
  for (const [alias, target] of others)
    notes.pause(`${part}: ${alias} stands for ${target} there, and for ${names.find(alias).join(", ")} here`);
  const list = (some: typeof aliases) => some.map(([alias]) => alias).join(", ");
  const equal = aliases.filter((one) => !missing.includes(one) && !others.includes(one));
  if (equal.length > 0) notes.take(part, `${list(equal)}: a name for all keys`);
  if (missing.length > 0) notes.leave(part, `${list(missing)}: add it to the configuration's aliases`);
}

/** Groups of routes that are all of those that call models. */
const ALL_ROUTES = ["llm_api_routes", "*", "/*"];
/** Groups without a route that calls one: keys of the types `management` and `read_only` have these. */
const OTHER_ROUTES = ["management_routes", "info_routes"];
/** The types whose keys may call models. */
const TYPES = ["default", "llm_api"];

/** Returns false if the key can call no model. */
export function checkRoutes(row: ForeignRow, notes: ImportNotes): boolean {
  const type = readText(row, "key_type");
  const isCalling = type === null || TYPES.includes(type);
  if (!isCalling) notes.pause(`key_type: a key of the type ${type} is no key for models`);
  return checkRouteList(row, notes) && isCalling;
}

function checkRouteList(row: ForeignRow, notes: ImportNotes): boolean {
  if (isEmptyCell(row.allowed_routes)) return true;
  const routes = readList(row, "allowed_routes");
  if (routes.some((route) => ALL_ROUTES.includes(route))) return true;
  const given = routes.join(", ");
  const isOther = routes.length > 0 && routes.every((route) => OTHER_ROUTES.includes(route));
  if (isOther)
    notes.pause(
      `allowed_routes: it calls no models (${given}); for the admin routes, use poundkey tokens add`,
    );
  else notes.pause(`allowed_routes: ${given || "a list that can't be read"}; a key may use every API here`);
  return !isOther;
}
