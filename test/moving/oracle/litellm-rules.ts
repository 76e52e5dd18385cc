// The rules of LiteLLM 1.108.7 for what a key may do (its documentation and `proxy/auth`): the judge of imports, with which it
// shares no code.

export type Cells = Readonly<Record<string, unknown>>;

export interface MadeTables {
  readonly keys: readonly Cells[];
  readonly teams: readonly Cells[];
  readonly users: readonly Cells[];
  readonly members: readonly Cells[];
  readonly organizations: readonly Cells[];
  readonly budgets: readonly Cells[];
}

export interface Allowance {
  /** The names of models that it may call. Null if it is refused whatever it asks for. */
  readonly names: ReadonlySet<string> | null;
  /** Requests in a minute. */
  readonly rate: number;
  /** The USD that it may still spend before anything stops it. */
  readonly leftUsd: number;
  /** The same of those that share a budget with it, by the budget's owner. */
  readonly shared: ReadonlyMap<string, number>;
}

/** Columns with which a key can do less than without, and which nothing here is equal to. */
export const STRICT = ["policies", "project_id", "agent_id", "object_permission_id"];

const DAY_MS = 86_400_000;
const num = (value: unknown) => (typeof value === "number" ? value : null);
const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const has = (value: unknown) =>
  value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);

function findRow(rows: readonly Cells[], column: string, id: unknown): Cells | undefined {
  return rows.findLast((row) => row[column] === id);
}

/** Returns the USD that are left of a row's budgets. Those whose window has ended start over. */
function countLeft(row: Cells, nowMs: number, spent: unknown = row.spend): number {
  const max = num(row.max_budget);
  const reset = typeof row.budget_reset_at === "string" ? Date.parse(row.budget_reset_at) : null;
  const isOver = has(row.budget_duration) && reset !== null && reset <= nowMs;
  const whole = max === null ? Number.POSITIVE_INFINITY : max - (isOver ? 0 : (num(spent) ?? 0));
  const windows = Array.isArray(row.budget_limits) ? row.budget_limits : [];
  // The windows' own spending is in memory: at most all of the amount is left.
  return Math.min(whole, ...windows.map((one: Cells) => num(one.max_budget) ?? Number.POSITIVE_INFINITY));
}

function limitNames(all: readonly string[], lists: readonly (readonly string[])[]): Set<string> {
  const isOpen = (given: readonly string[]) =>
    given.length === 0 || given.some((name) => ["all-proxy-models", "*", "all-team-models"].includes(name));
  return new Set(all.filter((name) => lists.every((given) => isOpen(given) || given.includes(name))));
}

const NOBODY: Allowance = { names: null, rate: 0, leftUsd: 0, shared: new Map() };

export function judgeKey(key: Cells, tables: MadeTables, all: readonly string[], nowMs: number): Allowance {
  const team = has(key.team_id) ? findRow(tables.teams, "team_id", key.team_id) : undefined;
  const user = has(key.user_id) ? findRow(tables.users, "user_id", key.user_id) : undefined;
  const expiry = typeof key.expires === "string" ? Date.parse(key.expires) : null;
  const routes = list(key.allowed_routes);
  const isRefused =
    key.blocked === true ||
    team?.blocked === true ||
    (expiry !== null && expiry <= nowMs) ||
    ["management", "read_only"].includes(String(key.key_type)) ||
    (routes.length > 0 && !routes.includes("llm_api_routes")) ||
    user?.user_role === "proxy_admin_viewer";
  if (isRefused) return NOBODY;
  const member = tables.members.findLast((row) => row.user_id === key.user_id && row.team_id === key.team_id);
  const memberBudget = member && team && findRow(tables.budgets, "budget_id", member.budget_id);
  const own = has(key.budget_id) ? findRow(tables.budgets, "budget_id", key.budget_id) : undefined;
  const organizationId = has(key.organization_id) ? key.organization_id : team?.organization_id;
  const organization = has(organizationId)
    ? findRow(tables.organizations, "organization_id", organizationId)
    : undefined;
  const organizationBudget = organization && findRow(tables.budgets, "budget_id", organization.budget_id);
  const shared = new Map<string, number>();
  if (team) shared.set(`team ${key.team_id}`, countLeft(team, nowMs));
  if (user && !team) shared.set(`user ${key.user_id}`, countLeft(user, nowMs));
  if (memberBudget)
    shared.set(`member ${key.user_id} ${key.team_id}`, countLeft(memberBudget, nowMs, member?.spend));
  if (organizationBudget)
    shared.set(`organization ${organizationId}`, countLeft(organizationBudget, nowMs, organization?.spend));
  const merged =
    own === undefined
      ? key
      : { ...own, ...Object.fromEntries(Object.entries(key).filter(([, one]) => one !== null)) };
  const rates = [merged, team, user, memberBudget, organizationBudget].map((row) => num(row?.rpm_limit));
  const lists = [
    list(key.models),
    list(team?.models),
    list(organization?.models),
    ...(team ? [] : [list(user?.models)]),
  ];
  return {
    names: limitNames(all, lists),
    rate: Math.min(...rates.map((one) => one ?? Number.POSITIVE_INFINITY)),
    leftUsd: Math.min(countLeft(merged, nowMs), ...shared.values()),
    shared,
  };
}

export { DAY_MS };
