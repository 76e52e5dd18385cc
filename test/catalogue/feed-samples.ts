// Small lists of prices in the forms that others publish, with the facts of models that the catalogue has.

/** LiteLLM's map: USD per token. */
export function makeLiteLlm(rows: Readonly<Record<string, object>>) {
  const spec = { litellm_provider: "one of the providers", input_cost_per_token: "a number" };
  return { sample_spec: spec, ...rows };
}

/** A row of OpenAI's gpt-5.4 in it: 2.5 and 15 USD per million tokens, unless `fields` say otherwise. */
export function makeLiteLlmRow(fields: object = {}) {
  return {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 2.5e-6,
    output_cost_per_token: 1.5e-5,
    supports_function_calling: true,
    ...fields,
  };
}

/** The list of models.dev: USD per million tokens. */
export function makeModelsDev(models: Readonly<Record<string, object>>) {
  return { openai: { id: "openai", models }, "some-host": { id: "some-host", models: { m: {} } } };
}

/** The list of genai-prices, with one model of OpenAI. */
export function makeGenaiPrices(prices: unknown) {
  const match = { or: [{ equals: "gpt-5.4" }, { regex: "(a+)+$" }] };
  return [{ id: "openai", models: [{ id: "gpt-5-4-of-the-list", match, prices }] }];
}
