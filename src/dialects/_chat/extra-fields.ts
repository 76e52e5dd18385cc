// The names of fields outside an API that steer a server which is a gateway itself, or reach into the provider's account.
import type { Target } from "../../core/models/dialect.ts";

/** Compares names without case and punctuation: gateways read `api_base`, `API-Base` and `apiBase` alike. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Reads names that are separated by spaces. */
function readNames(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(" ")).map(normalizeName));
}

/**
 * Fields that choose a route, an identity, another model, plugins or recipients at other gateways. No client may set
 * them, not even in the provider's own format: the card decides the route, and the hold doesn't cover another model.
 */
const ROUTING = readNames(
  "api_base api_key api_version azure_ad_token base_url callbacks custom_host custom_llm_provider deployment_id",
  "extra_body extra_headers extra_query failure_callback fallbacks headers litellm_params mock_response model_list",
  "models organization plugins preset provider proxy route router_settings success_callback user_api_key webhook",
);

/** Fields for which an operator's `*` isn't enough, beside those above. */
const NAMED_ONLY = readNames(
  // Other gateways' configurations, guardrails and caches.
  "config deployment guardrails strategy targets user_config virtual_key",
  // Another model, adapter or cache slot of an inference server, or code that it runs.
  "adapter_id chat_template custom_logit_processor draft_model id_slot kv_transfer_params logits_processors lora",
  "lora_path lora_request safety_model session_params",
  // Objects of the provider's account, and addresses that it would call.
  "access_programs background cached_content connector_id container container_id conversation data_sources file_id",
  "file_ids mcp_servers previous_response_id prompt prompt_id skill_id thread thread_id user_profile_id",
  "vector_store_id vector_store_ids workspace_id",
  // A tier, a place or a search with a price of its own.
  "background_options enable_search inference_geo moderation priority search_parameters service_tier speed",
  // More output than is held for, under another server's name of the limit or of the number of answers.
  "best_of candidate_count generation_config max_new_tokens max_output_tokens n_predict num_predict",
  "num_return_sequences use_beam_search",
);

/** Prefixes of clouds' credentials and places at other gateways. */
const CLOUD = /^(aws|azure|bootstrap|gcp|sagemaker|vertex|watsonx)/;
/** Ends of names of addresses and credentials. */
const ADDRESS =
  /(url|urls|uri|host|endpoint|apibase|apikey|webhook|callbacks?|secret|password|credentials?)$/;

export function isRouting(name: string): boolean {
  return ROUTING.has(normalizeName(name));
}

function needsName(name: string): boolean {
  const plain = normalizeName(name);
  return ROUTING.has(plain) || NAMED_ONLY.has(plain) || CLOUD.test(plain) || ADDRESS.test(plain);
}

/** True if the operator lets a field outside the API pass, by its name or by `*`. */
export function isAllowed(name: string, { extraFields = [] }: Pick<Target, "extraFields">): boolean {
  return extraFields.includes(name) || (extraFields.includes("*") && !needsName(name));
}
