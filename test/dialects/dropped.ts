// The fields of the chat-completions API that each model's interface can't express, as listed in the response header.

interface Row {
  readonly models: RegExp;
  readonly sampling: string;
  readonly rest: string;
}

const PENALTIES = "presence_penalty frequency_penalty";
const LOGPROBS = "logprobs top_logprobs";
const CACHE = "prompt_cache_key prompt_cache_retention prompt_cache_options";
const IDENTITY = "user safety_identifier";

/** The first matching row counts. The request's values are outside the narrower ranges: temperature 1.7, seed -7. */
const ROWS: readonly Row[] = [
  { models: /^Local/, sampling: "", rest: "moderation" },
  { models: /^OpenAI#gpt-4o-audio/, sampling: "", rest: "verbosity moderation" },
  { models: /^OpenAI#gpt-4/, sampling: "", rest: "verbosity modalities moderation" },
  {
    models: /^OpenAI#gpt-5\.[14]$/,
    sampling: `${PENALTIES} logit_bias top_logprobs stop`,
    rest: "modalities prediction moderation",
  },
  {
    models: /^(OpenAI#.*codex|Responses#gpt-6)/,
    sampling: `temperature top_p ${PENALTIES} seed logit_bias ${LOGPROBS} stop`,
    rest: "prediction moderation",
  },
  {
    models: /^OpenAI#o3/,
    sampling: `temperature top_p ${PENALTIES} logit_bias ${LOGPROBS} stop`,
    rest: "verbosity modalities prediction moderation",
  },
  {
    models: /^OpenAI/,
    sampling: `temperature top_p ${PENALTIES} logit_bias ${LOGPROBS} stop`,
    rest: "modalities prediction moderation",
  },
  {
    models: /^Responses#gpt-4/,
    sampling: `${PENALTIES} seed logit_bias stop`,
    rest: "verbosity prediction moderation",
  },
  { models: /^Responses/, sampling: `${PENALTIES} seed logit_bias stop`, rest: "prediction moderation" },
  {
    models: /^Anthropic#claude-sonnet-4-2025/,
    sampling: `temperature ${PENALTIES} seed logit_bias ${LOGPROBS}`,
    rest: `user metadata store verbosity modalities prediction ${CACHE} moderation`,
  },
  {
    models: /^Bedrock#(?!.*claude)/,
    sampling: `temperature ${PENALTIES} seed logit_bias ${LOGPROBS}`,
    rest: `${IDENTITY} metadata store verbosity modalities prediction ${CACHE} moderation`,
  },
  {
    models: /^(Anthropic|Bedrock)/,
    sampling: `temperature top_p ${PENALTIES} seed logit_bias ${LOGPROBS}`,
    rest: `user metadata store verbosity modalities prediction ${CACHE} moderation`,
  },
  {
    models: /^Google#gemini-2.0/,
    sampling: "logit_bias",
    rest: `${IDENTITY} metadata store service_tier verbosity prediction ${CACHE} moderation`,
  },
  {
    models: /^Google/,
    sampling: `${PENALTIES} logit_bias ${LOGPROBS}`,
    rest: `${IDENTITY} metadata store service_tier verbosity prediction ${CACHE} moderation`,
  },
  {
    models: /^Mistral/,
    sampling: `temperature logit_bias ${LOGPROBS}`,
    rest: `${IDENTITY} store service_tier verbosity modalities prompt_cache_retention prompt_cache_options moderation`,
  },
  {
    models: /^Perplexity/,
    sampling: `${PENALTIES} seed logit_bias ${LOGPROBS} stop`,
    rest: `${IDENTITY} service_tier verbosity modalities prediction ${CACHE} moderation`,
  },
  {
    models: /^Cohere/,
    sampling: `temperature ${PENALTIES} seed logit_bias ${LOGPROBS}`,
    rest: `${IDENTITY} metadata store service_tier verbosity modalities prediction ${CACHE} moderation`,
  },
];

/** The sorted names in `x-poundkey-dropped` when a model is sent all fields of a group. */
export function droppedAt(model: string, group: "sampling" | "rest"): readonly string[] {
  const row = ROWS.find(({ models }) => models.test(model));
  if (!row) throw new Error(`no row for ${model}`);
  return row[group].split(" ").filter(Boolean).sort();
}
