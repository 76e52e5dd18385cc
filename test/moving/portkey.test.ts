// Targets of Portkey's configs: clouds with their credentials, and a row for every field that has no place.
import { expect, test } from "bun:test";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readPortkey } from "../../src/moving/portkey.ts";
import { Report } from "../../src/moving/report.ts";
import { load, nameAlone } from "./places.ts";

/** A variable in the configuration's notation. */
const refer = (name: string) => `\${${name}}`;

function read(...targets: readonly object[]) {
  const report = new Report();
  const config = readPortkey({ value: { targets }, findLine: () => 1 }, report);
  load(writeConfigText(config));
  const left = report.rows.filter(
    ({ item, outcome }) => outcome !== "taken" && !item.startsWith("price of "),
  );
  return {
    ...config,
    aliases: nameAlone(config.aliases),
    left: Object.fromEntries(left.map(({ item, words }) => [item, words])),
  };
}

test("a target on Bedrock or Azure has its credentials, region and deployment", () => {
  const keys = { aws_access_key_id: "AKIA-plain", aws_secret_access_key: "aws-plain" };
  const { providers, left } = read(
    {
      provider: "bedrock",
      ...keys,
      aws_region: "eu-west-1",
      override_params: { model: "amazon.nova-pro-v1:0" },
    },
    {
      provider: "azure-openai",
      api_key: "azure-plain",
      resource_name: "res",
      deployment_id: "dep",
      api_version: "2024-10-21",
    },
  );
  expect(providers).toMatchObject({
    Bedrock: {
      region: "eu-west-1",
      aws: { access_key_id: refer("AWS_ACCESS_KEY_ID"), secret_access_key: refer("AWS_SECRET_ACCESS_KEY") },
    },
    Azure: {
      resource: "res",
      api: "2024-10-21",
      keys: [refer("AZURE_OPENAI_API_KEY")],
      models: [{ name: "dep" }],
    },
  });
  expect(JSON.stringify(providers)).not.toContain("plain");
  expect(left).toEqual({});
});

test("targets on Vertex AI have their own accounts", () => {
  const targets = ["one", "two"].map((id) => ({
    provider: "vertex-ai",
    vertex_project_id: id,
    vertex_region: "global",
    vertex_service_account_json: { type: "service_account", project_id: id },
    override_params: { model: "gemini-3.5-flash" },
  }));
  const report = new Report();
  const { providers } = readPortkey({ value: { targets }, findLine: () => 1 }, report);
  expect(Object.values(providers)).toMatchObject([
    { project: "one", service_account: refer("VERTEX_CREDENTIALS") },
    { project: "two", service_account: refer("VERTEX_CREDENTIALS_2") },
  ]);
});

test("a target on Foundry is the resource's, and one at a server for a single model that server's", () => {
  const target = (host: string) => ({
    provider: "azure-ai",
    azure_foundry_url: host,
    azure_api_version: "2024-05-01-preview",
    api_key: "k",
    override_params: { model: "mistral-large" },
  });
  const { providers, left } = read(
    target("https://r.services.ai.azure.com/models"),
    target("https://m.eastus2.inference.ai.azure.com/v1"),
  );
  expect(providers).toMatchObject({
    Azure: { base_url: "https://r.services.ai.azure.com", models: [{ name: "mistral-large" }] },
    "OpenAI-m-eastus2-inference-ai-azure-com-v1": {
      base_url: "https://m.eastus2.inference.ai.azure.com/v1",
    },
  });
  expect(left).toEqual({ azure_api_version: expect.stringContaining("no counterpart") });
});

test("a target on Vertex AI without an account has that of the environment, and its model the name it has there", () => {
  const targets = ["anthropic.claude-sonnet-4-5@20250929", "google.gemini-3.5-flash", "meta.llama-x"].map(
    (model) => ({
      provider: "@vertex-prod",
      vertex_project_id: "p",
      vertex_region: "us-east5",
      api_key: "token",
      override_params: { model },
    }),
  );
  const report = new Report();
  const value = { strategy: { mode: "loadbalance" }, targets };
  const { aliases, providers } = readPortkey({ value, findLine: () => 1 }, report);
  expect(aliases.portkey).toEqual(
    ["claude-sonnet-4-5@20250929", "gemini-3.5-flash", "meta/llama-x"].map((name) => ({
      model: `Vertex#${name}`,
    })),
  );
  expect(providers.Vertex).not.toHaveProperty("keys");
  expect(report.variables.map(({ name }) => name)).toEqual(["GOOGLE_APPLICATION_CREDENTIALS"]);
});

test("each virtual key is a key of its own, and a host of Ollama has the path that Portkey appends", () => {
  const { providers } = read(
    { virtual_key: "openai-a", override_params: { model: "gpt-5.4" } },
    { provider: "@openai-b", override_params: { model: "gpt-5.4" } },
    { virtual_key: "openai-a", override_params: { model: "gpt-5.4-mini" } },
    { provider: "ollama", custom_host: "http://localhost:11434", override_params: { model: "llama" } },
  );
  expect(providers).toMatchObject({
    OpenAI: { keys: [refer("OPENAI_API_KEY")] },
    "OpenAI-portkey": { keys: [refer("OPENAI_API_KEY_2")], models: [{ name: "gpt-5.4" }] },
    Ollama: { base_url: "http://localhost:11434/v1" },
  });
});

test("a model of the catalogue names its provider", () => {
  const { aliases } = read({ override_params: { model: "@openai-prod/gpt-5.4" } });
  expect(aliases).toEqual({ portkey: "OpenAI#gpt-5.4" });
});

test("a host that is a provider's own is no other server", () => {
  const { providers } = read({
    provider: "openai",
    custom_host: "https://api.deepseek.com/v1",
    api_key: "k",
    override_params: { model: "deepseek-chat" },
  });
  expect(providers).toEqual({
    DeepSeek: { keys: [refer("DEEPSEEK_API_KEY")], models: [{ name: "deepseek-chat" }] },
  });
});

test("every field that has no place here has a row", () => {
  const { left } = read({
    provider: "openai",
    api_key: "k",
    aws_region: "x",
    brand_new: 1,
    override_params: { model: "gpt-5.4", temperature: 0 },
  });
  expect(left).toEqual({
    "target openai: temperature": "clients set it",
    aws_region: "it has no counterpart",
    brand_new: "it has no counterpart",
  });
});
