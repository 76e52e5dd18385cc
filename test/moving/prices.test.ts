// The prices of models after an import: 0 on the operator's own servers, elsewhere the catalogue's or none, which is said.
import { expect, test } from "bun:test";
import { parse } from "yaml";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import type { PlannedConfig } from "../../src/moving/plan.ts";
import { readPortkey } from "../../src/moving/portkey.ts";
import { Report } from "../../src/moving/report.ts";
import { loadText, requireSettings } from "../harness/settings.ts";

/** Stands for every secret, Vertex's account included. */
const VALUE = "metadata";
const source = (value: unknown) => ({ value, findLine: () => 1 });

/** Returns the price of input tokens of each model that the written file lists, and the models whose price is said to be unknown. */
function readPrices(config: PlannedConfig, report: Report) {
  const text = writeConfigText(config);
  // Each price stands where it counts, so that entries can be moved and removed.
  expect(text).not.toMatch(/[&*]a\d/);
  const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, VALUE]));
  const { operatorModels } = requireSettings(loadText(text, { env }));
  const unknown = report.rows.filter(
    ({ item, outcome }) => outcome !== "taken" && item.startsWith("price of "),
  );
  return {
    listed: Object.fromEntries(operatorModels.map(({ id, price }) => [id, price?.input ?? null])),
    unknown: unknown.map(({ item }) => item.slice("price of ".length)),
  };
}

const findInput = (id: string) =>
  loadShippedCards().find((card) => card.id === id)?.price?.input ?? Number.NaN;

test("LiteLLM's clouds and remote servers cost what the catalogue says, or it is said that their price is unknown", () => {
  const file = parse(`model_list:
  - { model_name: a, litellm_params: { model: bedrock/amazon.nova-pro-v1:0, aws_region_name: us-west-2, api_key: k } }
  - { model_name: b, litellm_params: { model: bedrock/some.model-v9:0, aws_region_name: us-west-2, api_key: k } }
  - { model_name: c, litellm_params: { model: bedrock/amazon.nova-pro-v1:0, aws_region_name: eu-west-1, api_key: k } }
  - { model_name: d, litellm_params: { model: azure/prod, api_base: https://r.openai.azure.com, api_key: k } }
  - { model_name: e, litellm_params: { model: azure/known, api_base: https://r.openai.azure.com, api_key: k }, model_info: { base_model: azure/gpt-5.4 } }
  - { model_name: f, litellm_params: { model: vertex_ai/none-such, vertex_project: p, vertex_location: global, vertex_credentials: os.environ/SA } }
  - { model_name: g, litellm_params: { model: openai/llama, api_base: https://reseller.example/v1, api_key: k } }
  - { model_name: h, litellm_params: { model: openai/gpt-5.4, api_base: https://reseller.example/v1, api_key: k } }
  - { model_name: i, litellm_params: { model: openai/later, api_base: https://reseller.example/v1, api_key: k } }
  - { model_name: i, litellm_params: { model: openai/later, api_base: https://reseller.example/v1, api_key: k, input_cost_per_token: 0.000002 } }
  - { model_name: j, litellm_params: { model: openai/mine, api_base: "http://[::1]:9000/v1", api_key: k } }
  - { model_name: k, litellm_params: { model: openai/mine, api_base: https://llm.internal/v1, api_key: k } }
  - { model_name: l, litellm_params: { model: hosted_vllm/mine, api_base: https://gpu.example/v1, api_key: k } }
  - { model_name: m, litellm_params: { model: groq/groq/compound, api_key: k } }
`);
  const report = new Report();
  const { listed, unknown } = readPrices(readConfig(source(file), report).config, report);
  expect(listed).toEqual({
    "Bedrock#some.model-v9:0": null,
    "Bedrock-eu-west-1#amazon.nova-pro-v1:0": findInput("Bedrock#amazon.nova-pro-v1:0"),
    "Azure#prod": null,
    "Azure#known": findInput("OpenAI#gpt-5.4"),
    "Vertex#none-such": null,
    "OpenAI-reseller-example#llama": null,
    "OpenAI-reseller-example#gpt-5.4": findInput("OpenAI#gpt-5.4"),
    "OpenAI-reseller-example#later": null,
    "OpenAI-reseller-example-i#later": 2,
    "OpenAI-j#mine": 0,
    "OpenAI-k#mine": 0,
    "vLLM#mine": 0,
  });
  expect(unknown).toEqual([
    "Bedrock#some.model-v9:0",
    "Azure#prod",
    "Vertex#none-such",
    "OpenAI-reseller-example#llama",
    "OpenAI-reseller-example#later",
    "Groq#groq/compound",
  ]);
});

test("new-api's channels at a remote address, and on Azure, have no price that nobody set", () => {
  const channel = { status: 1, key: "k", priority: 0, weight: 0 };
  const channels = [
    {
      ...channel,
      id: 1,
      type: 1,
      name: "reseller",
      base_url: "https://reseller.example",
      models: "gpt-5.4,own",
    },
    { ...channel, id: 2, type: 3, name: "azure", base_url: "https://r.openai.azure.com", models: "prod" },
    { ...channel, id: 3, type: 1, name: "near", base_url: "http://192.168.1.9:8000", models: "own" },
    { ...channel, id: 4, type: 4, name: "ollama", base_url: "https://gpu.example", models: "llama" },
  ];
  const report = new Report();
  const tables = { users: [], tokens: [], options: [], channels };
  const { config } = readNewApi(tables, { report, nowMs: 0, isFree: false });
  expect(readPrices(config, report)).toEqual({
    listed: {
      "OpenAI-reseller-example#gpt-5.4": findInput("OpenAI#gpt-5.4"),
      "OpenAI-reseller-example#own": null,
      "Azure#prod": null,
      "OpenAI-own#own": 0,
      "Ollama#llama": 0,
    },
    unknown: ["OpenAI-reseller-example#own", "Azure#prod"],
  });
});

test("Portkey's targets at a host of their own cost nothing only in a private network", () => {
  const target = (host: string) => ({
    provider: "openai",
    custom_host: host,
    override_params: { model: "own" },
  });
  const value = { targets: [target("https://reseller.example/v1"), target("http://10.1.2.3/v1")] };
  const report = new Report();
  expect(readPrices(readPortkey(source(value), report), report)).toEqual({
    listed: { "OpenAI-reseller-example-v1#own": null, "OpenAI-portkey#own": 0 },
    unknown: ["OpenAI-reseller-example-v1#own"],
  });
});
