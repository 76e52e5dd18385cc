// Fields of LiteLLM's deployments that have no place here, with the reason.
import type { Reasons } from "../fields.ts";

const OF_A_KEY = "limits belong to a key: providers.<name>.keys";
const KEY_OR_AWS = "calls carry api_key, or are signed with aws_access_key_id and aws_secret_access_key";
const KEY_OR_ENTRA = "calls carry api_key, or a token of tenant_id, client_id and client_secret";
const NO_ROLES = "roles are not assumed: use keys, or the container's own";
const CLIENTS = "clients set it";

export const PARAMETERS: Reasons = {
  tags: "deployments have no tags: make an alias for each",
  timeout: "set providers.<name>.timeouts",
  stream_timeout: "set providers.<name>.timeouts",
  max_retries: "failover is built in",
  rpm: OF_A_KEY,
  tpm: OF_A_KEY,
  max_parallel_requests: OF_A_KEY,
  litellm_credential_name: "no entry of credential_list has this name",
  order: "name the later models in models.<id>.fallbacks",
  temperature: CLIENTS,
  max_tokens: CLIENTS,
  reasoning_effort: CLIENTS,
  thinking: CLIENTS,
  extra_body: "clients set it: providers.<name>.extra_fields lets more fields pass",
  organization: "set providers.<name>.headers: { OpenAI-Organization: … }",
  region_name: "a provider at another address is another provider",
  max_budget: "providers have no budgets: give the keys or accounts one",
  budget_duration: "providers have no budgets: give the keys or accounts one",
  mock_response: "answers aren't made up: use Sim#echo",
  adaptive_router_config: "use Router#best, Router#fair or Router#light",
  s3_bucket_name: "there are no batches",
  aws_access_key_id: KEY_OR_AWS,
  aws_secret_access_key: KEY_OR_AWS,
  aws_session_token: KEY_OR_AWS,
  aws_role_name: NO_ROLES,
  aws_session_name: NO_ROLES,
  aws_profile_name: NO_ROLES,
  aws_web_identity_token: NO_ROLES,
  tenant_id: KEY_OR_ENTRA,
  client_id: KEY_OR_ENTRA,
  client_secret: KEY_OR_ENTRA,
  api_version: "the models of a Foundry resource are called by its API without versions",
  azure_ad_token: "tokens end: use api_key, or tenant_id, client_id and client_secret",
  cache_control_injection_points: "set providers.<name>.cache_marks",
  base_model: "set providers.<name>.models[].like",
  max_input_tokens: "set models.<id>.context",
  max_output_tokens: "set models.<id>.output",
  team_id: "name the model in allowed_models of the keys that may use it",
};

/** Facts on a model, by the shapes of their names. */
export const FACTS: readonly (readonly [look: RegExp, reason: string])[] = [
  [/(^|_)cost(_|$)/, "set models.<id>.price"],
  [/^supports_/, "set models.<id>.capabilities"],
];
