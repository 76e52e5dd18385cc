// The tables of new-api and One API: the columns that are read, those that have no place here, and the records.
import { type ForeignRow, isEmptyCell } from "../columns.ts";
import type { Report } from "../report.ts";

/** `read` also for records of the other gateway's own work, without which nobody may do more. */
type ColumnRule = "read" | { readonly leave: string };
type ColumnRules = Readonly<Record<string, ColumnRule>>;

function listRead(text: string): ColumnRules {
  return Object.fromEntries(text.split(/\s+/).map((column) => [column, "read"]));
}

function listLeft(text: string, leave: string): ColumnRules {
  return Object.fromEntries(text.split(/\s+/).map((column) => [column, { leave }]));
}

const PEOPLE = "people sign in with the company's identity provider";
const INVITING = "nobody gets anything for inviting others";

/** As of One API at 8df4a267 and new-api at 0089a12f (2026). A table that moved from one to the other has the columns of both. */
export const COLUMNS = {
  tokens: {
    ...listRead("id user_id key status name created_time accessed_time expired_time remain_quota"),
    ...listRead("unlimited_quota used_quota models subnet model_limits_enabled model_limits allow_ips group"),
    ...listRead("deleted_at billing_type"),
    cross_group_retry: { leave: "failover stays within the models of the key's group" },
  },
  users: {
    ...listRead("id username display_name status quota used_quota request_count group deleted_at"),
    ...listRead("created_at last_login_at auth_version aff_code"),
    ...listLeft("password role email github_id discord_id oidc_id wechat_id lark_id telegram_id", PEOPLE),
    ...listLeft("linux_do_id", PEOPLE),
    access_token: { leave: "it is for the admin routes: poundkey tokens add makes one" },
    ...listLeft("aff_count aff_quota aff_history inviter_id invite_rebate_eligible", INVITING),
    setting: { leave: "settings of the interface" },
    remark: { leave: "put it into the account's notes" },
    stripe_customer: { leave: "Stripe asks for the card again at the next top-up" },
  },
  channels: {
    ...listRead("id type key status name weight created_time test_time response_time base_url other balance"),
    ...listRead("balance_updated_time models group used_quota model_mapping priority config system_prompt"),
    ...listRead("setting param_override header_override channel_info test_model"),
    ...listRead("auto_ban need_reconcile other_info"),
    openai_organization: { leave: "set the header OpenAI-Organization in providers.<name>.headers" },
    status_code_mapping: { leave: "each fault has one status here" },
    tag: { leave: "channels have no tags" },
    remark: { leave: "comments are in the configuration" },
    settings: { leave: "set providers.<name>.headers or the model's entry" },
  },
  options: listRead("key value"),
  abilities: listRead("group model channel_id enabled priority weight tag"),
} as const satisfies Record<string, ColumnRules>;

type TableName = keyof typeof COLUMNS;

/** Records and sums, which limit nobody. */
const RECORDS = new Set(
  `logs midjourneys tasks quota_data top_ups checkins invite_rebates subscription_pre_consume_records perf_metrics
  system_instances system_tasks system_task_locks setups user_sessions auth_flows external_identity_claims`.split(
    /\s+/,
  ),
);

/** Things that have no place here. */
const LOST: Readonly<Record<string, string>> = {
  redemptions: "codes that weren't redeemed: top up accounts by hand",
  subscription_plans: "there are no subscriptions: give accounts budgets or top-ups",
  subscription_orders: "there are no subscriptions: give accounts budgets or top-ups",
  user_subscriptions: "there are no subscriptions: what is left of them isn't in the balance",
  passkey_credentials: PEOPLE,
  two_fas: PEOPLE,
  two_fa_backup_codes: PEOPLE,
  custom_oauth_providers: PEOPLE,
  user_oauth_bindings: PEOPLE,
  casbin_rule: "roles are in the configuration",
  authz_roles: "roles are in the configuration",
  models: "facts of models are the catalogue's",
  vendors: "facts of models are the catalogue's",
  prefill_groups: "lists for new-api's interface",
};

/** Reports the filled tables that nothing reads. */
export function reportTables(filled: readonly string[], report: Report): void {
  const records = filled.filter((table) => RECORDS.has(table));
  if (records.length > 0)
    report.leave(
      null,
      `records of the database (${records.length} tables)`,
      `they limit nobody, and stay there: keep a copy if you need them. ${records.join(", ")}`,
    );
  for (const table of filled) {
    if (records.includes(table) || Object.hasOwn(COLUMNS, table)) continue;
    const words = Object.hasOwn(LOST, table) ? LOST[table] : undefined;
    report.leave(
      null,
      `table ${table}`,
      words ?? "a table that isn't known here: look if it limits anything",
    );
  }
}

/** Reports the columns of a table that are lost, those that are lost for the same reason together. */
export function reportColumns(table: TableName, rows: readonly ForeignRow[], report: Report): void {
  const rules: ColumnRules = COLUMNS[table];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lost = columns.flatMap((column) => {
    const rule = Object.hasOwn(rules, column) ? rules[column] : undefined;
    const isFilled = rows.some((row) => !isEmptyCell(row[column]));
    const words = rule === undefined || rule === "read" ? "a column that isn't known here" : rule.leave;
    return rule === "read" || !isFilled ? [] : [{ column, words }];
  });
  for (const [words, all] of Map.groupBy(lost, (one) => one.words))
    report.leave(null, `${all.map(({ column }) => column).join(", ")} of ${table}`, words);
}

/** Returns the filled columns of a row that aren't known here, so that they may limit its owner. */
export function listUnknown(table: TableName, row: ForeignRow): readonly string[] {
  const rules: ColumnRules = COLUMNS[table];
  return Object.keys(row).filter((column) => !Object.hasOwn(rules, column) && !isEmptyCell(row[column]));
}
