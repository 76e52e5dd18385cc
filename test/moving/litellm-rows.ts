// Teams and keys in LiteLLM's tables: plain keys, and one of each kind that an import must understand.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../suites/postgres-suites.ts";

export const digestForeign = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** Keys whose clients go on calling: fewer than the 400 that the import was once proven with. */
export const PLAIN = Array.from(
  { length: Number(process.env.IMPORT_KEYS ?? 40) },
  (_, at) => `sk-litellm-${at}-${digestForeign(`${at}`).slice(0, 8)}`,
);

export const SECRETS = {
  limited: "sk-limited-by-the-minute",
  spent: "sk-spent-by-the-month",
  blocked: "sk-blocked-by-an-admin",
  expired: "sk-expired-last-year",
  narrow: "sk-only-two-models",
  replaced: "sk-before-the-rotation",
  current: "sk-after-the-rotation",
  shared: "sk-with-a-shared-budget",
  perModel: "sk-with-a-budget-per-model",
  customers: "sk-for-customers-with-budgets",
  tagged: "sk-with-a-tag-of-a-budget",
  tagSeen: "sk-once-used-with-that-tag",
  known: "sk-1234",
} as const;

type Cells = Readonly<Record<string, string>>;

function insert(table: string, cells: Cells): string {
  return `INSERT INTO "${table}" (${Object.keys(cells).join(", ")}) VALUES (${Object.values(cells).join(", ")});`;
}

export function addKey(secret: string, cells: Cells): string {
  const token = `'${digestForeign(secret)}'`;
  const name = `'sk-...${secret.slice(-4)}'`;
  return insert("LiteLLM_VerificationToken", {
    token,
    key_name: name,
    models: "'{}'",
    team_id: "'team-1'",
    ...cells,
  });
}

const BY = { created_by: "'admin'", updated_at: "'2026-01-01'", updated_by: "'admin'" };

const KINDS: readonly string[] = [
  insert("LiteLLM_BudgetTable", {
    budget_id: "'b-1'",
    max_budget: "20",
    soft_budget: "15",
    budget_duration: "'7d'",
    rpm_limit: "60",
    ...BY,
  }),
  addKey(SECRETS.limited, {
    key_alias: "'limited'",
    rpm_limit: "2",
    tpm_limit: "90000",
    max_parallel_requests: "7",
  }),
  addKey(SECRETS.spent, {
    key_alias: "'spent'",
    max_budget: "5",
    budget_duration: "'30d'",
    spend: "5.000000123",
  }),
  addKey(SECRETS.blocked, { key_alias: "'blocked'", blocked: "true", team_id: "NULL" }),
  addKey(SECRETS.expired, { key_alias: "'expired'", expires: "'2025-01-01'" }),
  addKey(SECRETS.narrow, {
    key_alias: "'narrow'",
    models: "'{chat,\"openai/gpt-5.4\",unknown}'",
    expires: "'2099-01-02 03:04:05'",
  }),
  addKey(SECRETS.current, { key_alias: "'rotated'" }),
  addKey(SECRETS.shared, { key_alias: "'shared'", budget_id: "'b-1'", aliases: `'{"a":"b"}'` }),
  addKey(SECRETS.perModel, {
    key_alias: "'per model'",
    model_max_budget: `'{"chat":{"budget_limit":2,"time_period":"1d"},"other":{"budget_limit":1,"time_period":"1h"}}'`,
    model_spend: `'{"chat":0.5}'`,
    metadata: `'{"model_rpm_limit":{"chat":3}}'`,
  }),
  addKey(SECRETS.known, { key_alias: "'everybody knows it'" }),
  insert("LiteLLM_DeprecatedVerificationToken", {
    id: "'d-1'",
    token: `'${digestForeign(SECRETS.replaced)}'`,
    active_token_id: `'${digestForeign(SECRETS.current)}'`,
    revoke_at: "'2099-01-01'",
  }),
  insert("LiteLLM_TeamTable", {
    team_id: "'team-1'",
    team_alias: "'Search'",
    models: "'{}'",
    max_budget: "100",
    budget_duration: "'1mo'",
    spend: "12.5",
    tpm_limit: "900000000",
  }),
  insert("LiteLLM_TeamTable", {
    team_id: "'team-2'",
    team_alias: "'Blocked'",
    models: "'{chat}'",
    blocked: "true",
  }),
  insert("LiteLLM_ProxyModelTable", {
    model_id: "'m-1'",
    model_name: "'stored'",
    litellm_params: "'{}'",
    ...BY,
  }),
  addKey(SECRETS.customers, { key_alias: "'for customers'" }),
  addKey(SECRETS.tagged, { key_alias: "'tagged'", metadata: `'{"tags":["paid"]}'` }),
  addKey(SECRETS.tagSeen, { key_alias: "'tag seen'" }),
  insert("LiteLLM_TagTable", { tag_name: "'paid'", budget_id: "'b-1'", spend: "1.5" }),
  insert("LiteLLM_EndUserTable", { user_id: "'alice'", budget_id: "'b-1'" }),
  insert("LiteLLM_EndUserTable", { user_id: "'anybody'" }),
  ...[SECRETS.customers, SECRETS.limited].map((secret, at) =>
    insert("LiteLLM_DailyEndUserSpend", {
      id: `'${at}'`,
      end_user_id: at === 0 ? "'alice'" : "'anybody'",
      date: "'2026-11-25'",
      api_key: `'${digestForeign(secret)}'`,
    }),
  ),
  ...[SECRETS.tagged, SECRETS.tagSeen].map((secret, at) =>
    insert("LiteLLM_DailyTagSpend", {
      id: `'${at}'`,
      tag: "'paid'",
      date: "'2026-11-25'",
      api_key: `'${digestForeign(secret)}'`,
    }),
  ),
  insert("LiteLLM_ModelAccessGroupBudgetTable", { access_group_name: "'chat'", budget_id: "'b-1'" }),
  insert("LiteLLM_ModelTable", { id: "7", aliases: `'{"chat":"openai/gpt-5.4"}'` }),
  insert("LiteLLM_TeamTable", {
    team_id: "'team-3'",
    team_alias: "'Renaming'",
    models: "'{}'",
    model_id: "7",
  }),
  insert("LiteLLM_UserTable", { user_id: "'u-1'", max_budget: "3" }),
];

/** Returns the statements that add all rows. */
export function statements(): readonly string[] {
  return [...KINDS, ...PLAIN.map((secret, at) => addKey(secret, { key_alias: `'app ${at}'` }))];
}

/** Makes the tables in an empty database. */
export async function fillDatabase(url: string): Promise<void> {
  const shape = readFileSync(join(import.meta.dir, "litellm.sql"), "utf8");
  await runSql(url, [shape, ...statements()].join("\n"));
}
