// LiteLLM's settings outside its list of models: those that hold here anyway, and the reasons why others have no place.

import { CACHE, HOOKS, type Outcome } from "../report.ts";
import { FACTS, PARAMETERS } from "./parameters.ts";

interface SettingVerdict {
  readonly outcome: Outcome;
  readonly words: string;
}

const holds = (words: string): SettingVerdict => ({ outcome: "taken", words });
const lost = (words: string): SettingVerdict => ({ outcome: "not_taken", words });

/** By field, in whichever section it stands. */
const FIELDS: Readonly<Record<string, SettingVerdict>> = {
  drop_params: holds("always on: x-poundkey-dropped names what was left out"),
  num_retries: holds("failover is built in: up to four attempts, within a budget for each provider"),
  max_retries: holds("failover is built in: up to four attempts, within a budget for each provider"),
  allowed_fails: holds("breakers are built in"),
  cooldown_time: holds("breakers are built in"),
  enable_pre_call_checks: holds("models whose context is too small leave the plan by themselves"),
  include_cost_in_streaming_usage: holds("usage.cost is in every answer"),
  database_url: holds("keys and teams are read with --database; Poundkey keeps its own store"),
  set_verbose: lost("the level of the log is log.level"),
  routing_strategy: lost("by weight, load and errors here; to choose among models, use a selector"),
  request_timeout: lost("set providers.<name>.timeouts"),
  timeout: lost("set providers.<name>.timeouts"),
  stream_timeout: lost("set providers.<name>.timeouts"),
  context_window_fallbacks: lost("fallbacks are for failures, not for long prompts"),
  content_policy_fallbacks: lost("fallbacks are for failures, not for refused contents"),
  default_fallbacks: lost("name the models in models.<id>.fallbacks"),
  master_key: lost(
    "choose a new server.admin_token; clients that send the master key itself need a key of their own",
  ),
  store_model_in_db: lost("models in LiteLLM's database are encrypted: add them to the file"),
  max_budget: lost("give each account a budget"),
  budget_duration: lost("give each account a budget"),
  cache: lost(CACHE),
  cache_params: lost(CACHE),
  guardrails: lost(HOOKS),
  callbacks: lost("traces, logs and metrics are exported by OTLP and /metrics"),
  success_callback: lost("traces, logs and metrics are exported by OTLP and /metrics"),
  failure_callback: lost("traces, logs and metrics are exported by OTLP and /metrics"),
  pass_through_endpoints: lost("clients can't reach other addresses through the gateway"),
  custom_auth: lost("programs of your own don't run in the gateway"),
  redis_host: lost("no Redis is needed"),
  redis_port: lost("no Redis is needed"),
  redis_password: lost("no Redis is needed"),
  mcp_aliases: holds("permissions of keys find the servers by them"),
  enable_tag_filtering: lost("deployments have no tags: make an alias for each"),
};

const SECTIONS: Readonly<Record<string, SettingVerdict>> = {
  environment_variables: lost("set it in the environment of the gateway"),
  guardrails: lost(HOOKS),
  include: lost("import each included file by itself"),
  files_settings: lost("there are no files"),
  finetune_settings: lost("there is no fine-tuning"),
  search_tools: lost("searches are the providers' own"),
  default_team_settings: lost("traces, logs and metrics are exported by OTLP and /metrics"),
};
const UNKNOWN = lost("it has no counterpart");

export function describeSetting(section: string, field: string): SettingVerdict {
  return SECTIONS[section] ?? FIELDS[field] ?? UNKNOWN;
}

/** Parameters of one deployment. */
export function describeParameter(field: string): SettingVerdict {
  const reason = PARAMETERS[field] ?? FACTS.find(([look]) => look.test(field))?.[1];
  return reason === undefined ? (FIELDS[field] ?? UNKNOWN) : lost(reason);
}
