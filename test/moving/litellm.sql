-- The shape of the tables that LiteLLM keeps its keys in, as its migrations leave them, without columns that no import reads.
CREATE TABLE "LiteLLM_BudgetTable" (
  budget_id TEXT PRIMARY KEY, max_budget DOUBLE PRECISION, soft_budget DOUBLE PRECISION, max_parallel_requests INTEGER,
  tpm_limit BIGINT, rpm_limit BIGINT, tpd_limit BIGINT, model_max_budget JSONB, budget_duration TEXT,
  budget_reset_at TIMESTAMP(3),
  created_by TEXT NOT NULL, updated_at TIMESTAMP(3) NOT NULL, updated_by TEXT NOT NULL);
CREATE TABLE "LiteLLM_TeamTable" (
  team_id TEXT PRIMARY KEY, team_alias TEXT, organization_id TEXT, admins TEXT[], members TEXT[],
  metadata JSONB NOT NULL DEFAULT '{}', max_budget DOUBLE PRECISION, soft_budget DOUBLE PRECISION,
  spend DOUBLE PRECISION NOT NULL DEFAULT 0, models TEXT[], max_parallel_requests INTEGER, tpm_limit BIGINT,
  rpm_limit BIGINT, tpd_limit BIGINT, budget_duration TEXT, budget_reset_at TIMESTAMP(3),
  blocked BOOLEAN NOT NULL DEFAULT false, created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  model_spend JSONB NOT NULL DEFAULT '{}', model_max_budget JSONB NOT NULL DEFAULT '{}', model_id INTEGER);
CREATE TABLE "LiteLLM_VerificationToken" (
  token TEXT PRIMARY KEY, key_name TEXT, key_alias TEXT, spend DOUBLE PRECISION NOT NULL DEFAULT 0,
  total_spend DOUBLE PRECISION NOT NULL DEFAULT 0, expires TIMESTAMP(3), models TEXT[],
  aliases JSONB NOT NULL DEFAULT '{}', config JSONB NOT NULL DEFAULT '{}', user_id TEXT, team_id TEXT,
  permissions JSONB NOT NULL DEFAULT '{}', max_parallel_requests INTEGER, metadata JSONB NOT NULL DEFAULT '{}',
  blocked BOOLEAN, tpm_limit BIGINT, rpm_limit BIGINT, tpd_limit BIGINT, max_budget DOUBLE PRECISION,
  budget_duration TEXT, budget_reset_at TIMESTAMP(3), allowed_routes TEXT[] DEFAULT ARRAY[]::TEXT[],
  key_type TEXT,
  model_spend JSONB NOT NULL DEFAULT '{}', model_max_budget JSONB NOT NULL DEFAULT '{}',
  budget_fallbacks JSONB NOT NULL DEFAULT '{}', budget_id TEXT, organization_id TEXT, object_permission_id TEXT,
  created_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE "LiteLLM_DeprecatedVerificationToken" (
  id TEXT PRIMARY KEY, token TEXT UNIQUE NOT NULL, active_token_id TEXT NOT NULL, revoke_at TIMESTAMP(3) NOT NULL,
  created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE "LiteLLM_ProxyModelTable" (
  model_id TEXT PRIMARY KEY, model_name TEXT NOT NULL, litellm_params JSONB NOT NULL, created_by TEXT NOT NULL,
  updated_at TIMESTAMP(3) NOT NULL, updated_by TEXT NOT NULL);
CREATE TABLE "LiteLLM_UserTable" (
  user_id TEXT PRIMARY KEY, max_budget DOUBLE PRECISION, spend DOUBLE PRECISION NOT NULL DEFAULT 0);
CREATE TABLE "LiteLLM_TagTable" (
  tag_name TEXT PRIMARY KEY, models TEXT[], spend DOUBLE PRECISION NOT NULL DEFAULT 0, budget_id TEXT);
CREATE TABLE "LiteLLM_EndUserTable" (
  user_id TEXT PRIMARY KEY, spend DOUBLE PRECISION NOT NULL DEFAULT 0, budget_id TEXT, blocked BOOLEAN NOT NULL DEFAULT false);
CREATE TABLE "LiteLLM_DailyEndUserSpend" (
  id TEXT PRIMARY KEY, end_user_id TEXT, date TEXT NOT NULL, api_key TEXT NOT NULL);
CREATE TABLE "LiteLLM_DailyTagSpend" (
  id TEXT PRIMARY KEY, tag TEXT, date TEXT NOT NULL, api_key TEXT NOT NULL);
CREATE TABLE "LiteLLM_ModelTable" (id SERIAL PRIMARY KEY, aliases JSONB);
CREATE TABLE "LiteLLM_ModelAccessGroupBudgetTable" (
  access_group_name TEXT PRIMARY KEY, spend DOUBLE PRECISION NOT NULL DEFAULT 0, budget_id TEXT);
