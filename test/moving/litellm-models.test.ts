// Entries of LiteLLM's model_list, each as the provider and model that it becomes.
import { afterAll, describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { Report } from "../../src/moving/report.ts";
import { startSimulator } from "../simulator/server.ts";
import { digestForeign } from "./litellm-rows.ts";
import { ask } from "./nodes.ts";
import { load, nameAlone, usePlaces } from "./places.ts";

const makePlace = usePlaces();
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
afterAll(() => simulator.stop());

/** A variable in the configuration's notation. */
const refer = (name: string) => `\${${name}}`;

/** Reads a file of one entry for each text of parameters. They are named `m0`, `m1`, … and stand in the lines 1, 2, … */
function read(...params: readonly string[]) {
  const file = parse(
    `model_list:\n${params.map((one, at) => `  - { model_name: m${at}, litellm_params: { ${one} } }`).join("\n")}\n`,
  );
  const report = new Report();
  const findLine = (at: readonly (string | number)[]) => Number(at[1] ?? -1) + 1;
  const { config } = readConfig({ value: file, findLine }, report);
  const left = report.rows.filter(
    ({ item, outcome }) => outcome !== "taken" && !item.startsWith("price of "),
  );
  return {
    settings: load(writeConfigText(config)),
    config: config.providers,
    aliases: nameAlone(config.aliases),
    left: Object.fromEntries(left.map(({ item, words }) => [item, words])),
    variables: report.variables.map(({ name }) => name),
  };
}

describe("a route", () => {
  test("of Bedrock is no part of the model's name, and a region is the provider's", () => {
    const { aliases, config, left } = read(
      "model: bedrock/converse/us.amazon.nova-pro-v1:0, aws_region_name: us-east-1, api_key: k",
      "model: bedrock/invoke/us.anthropic.claude-sonnet-4-6, aws_region_name: us-east-1, api_key: k",
      "model: bedrock/eu-west-1/amazon.nova-pro-v1:0, api_key: k",
      "model: bedrock/converse/arn:aws:bedrock:us-east-1:1:application-inference-profile/x, aws_region_name: us-east-1, api_key: k",
      "model: bedrock/agent/ABC/DEF, aws_region_name: us-east-1, api_key: k",
    );
    expect(aliases).toEqual({
      m0: "Bedrock#us.amazon.nova-pro-v1:0",
      m1: "Bedrock#us.anthropic.claude-sonnet-4-6",
      m2: "Bedrock-eu-west-1#amazon.nova-pro-v1:0",
      m3: "Bedrock#arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
    });
    expect(config).toMatchObject({
      Bedrock: { region: "us-east-1" },
      "Bedrock-eu-west-1": { platform: "bedrock", region: "eu-west-1" },
    });
    expect(left).toEqual({ "model m4": "Bedrock's 'agent' isn't served here" });
  });

  test("of Azure is no part of the deployment's name, and it is said if nothing tells the model", () => {
    const azure = "api_base: https://r.openai.azure.com, api_key: k";
    const { aliases, left } = read(
      `model: azure/o_series/dep, ${azure}`,
      `model: azure/responses/pro, ${azure}`,
    );
    expect(aliases).toEqual({ m0: "Azure#dep", m1: "Azure#pro" });
    expect(left).toEqual({ "m1: responses": expect.stringContaining("models[].like") });
  });

  test("to /responses is the dialect of a server of its own, and of OpenAI's own nothing", () => {
    const { aliases, settings } = read(
      "model: openai/responses/gpt-5.4, api_key: k",
      "model: openai/responses/gpt-5.4, api_base: https://llm.example/v1, api_key: k",
      "model: openai/gpt-5.4, api_base: https://llm.example/v1, api_key: k",
      "model: responses/gpt-5.4, custom_llm_provider: openai, api_key: k",
    );
    expect(aliases).toEqual({
      m0: "OpenAI#gpt-5.4",
      m1: "OpenAI-llm-example-responses#gpt-5.4",
      m2: "OpenAI-llm-example#gpt-5.4",
      m3: "OpenAI#gpt-5.4",
    });
    expect(settings.providers.map(({ name, dialect, baseUrl }) => [name, dialect, baseUrl])).toEqual([
      ["OpenAI", null, "https://api.openai.com/v1"],
      ["OpenAI-llm-example-responses", "responses", "https://llm.example/v1"],
      ["OpenAI-llm-example", "openai", "https://llm.example/v1"],
    ]);
  });

  test("to /responses is where a server of its own is called", async () => {
    const key = "os.environ/OPENAI_API_KEY";
    const openai = `api_base: "${simulator.url}/openai/v1", api_key: ${key}`;
    const place = makePlace({
      "litellm.yaml": `model_list:
  - { model_name: resp, litellm_params: { model: openai/responses/gpt-5.4, ${openai} } }
`,
      "keys.csv": `token,key_alias\n${digestForeign("sk-of-a-client")},mine\n`,
    });
    const { code } = await place.run("litellm", place.path("litellm.yaml"), "--keys", place.path("keys.csv"));
    expect(code).toBe(3);
    const { url, stop } = await place.start({ OPENAI_API_KEY: "sim-key" });
    try {
      expect(await ask(url, "sk-of-a-client", "resp")).toBe("ok");
      expect(simulator.calls.last()).toMatchObject({ dialect: "responses", body: { model: "gpt-5.4" } });
    } finally {
      await stop();
    }
  });
});

describe("an address", () => {
  const known = "model_info: { base_model: azure/gpt-5.4 }";

  test("of one call on Azure is split into the resource, the deployment and the API", () => {
    const url =
      "https://r.openai.azure.com/openai/deployments/live/chat/completions?api-version=2025-01-01-preview";
    const { config, settings, left } = read(
      `model: azure/gpt-5.4, api_base: "${url}", api_key: k }, ${known.slice(0, -2)}`,
    );
    expect(config.Azure).toMatchObject({
      base_url: "https://r.openai.azure.com",
      api: "2025-01-01-preview",
      models: [{ name: "gpt-5.4", deployment: "live", like: "OpenAI#gpt-5.4" }],
    });
    expect([settings.providers[0]?.baseUrl, left]).toEqual(["https://r.openai.azure.com/openai/v1", {}]);
  });

  test("of a Foundry resource is the resource's, whichever of its APIs LiteLLM called", () => {
    const foundry = "https://r.services.ai.azure.com";
    const { config, aliases, settings, left, variables } = read(
      `model: azure_ai/mistral-large, api_base: "${foundry}/models/chat/completions?api-version=2024-05-01-preview", api_key: k`,
      `model: azure_ai/claude-sonnet-4-5, api_base: "${foundry}/anthropic/v1/messages", api_key: k`,
      `model: azure_ai/model_router/router, api_base: "${foundry}/", api_version: 2024-05-01-preview, api_key: k`,
      'model: azure_ai/command-r-plus, api_base: "https://m.eastus2.inference.ai.azure.com/", api_key: l',
    );
    expect(aliases).toEqual({
      m0: "Azure#mistral-large",
      m1: "Azure#claude-sonnet-4-5",
      m2: "Azure#router",
      m3: "OpenAI-m-eastus2-inference-ai-azure-com#command-r-plus",
    });
    expect(config.Azure).toMatchObject({ base_url: foundry, keys: [refer("AZURE_OPENAI_API_KEY")] });
    expect(settings.providers.map(({ dialect, baseUrl }) => [dialect, baseUrl]).slice(0, 2)).toEqual([
      [null, `${foundry}/openai/v1`],
      ["openai", "https://m.eastus2.inference.ai.azure.com"],
    ]);
    expect(left).toEqual({ "m2: api_version": expect.stringContaining("API without versions") });
    expect(variables).toEqual(["AZURE_OPENAI_API_KEY", "OPENAI_M_EASTUS2_INFERENCE_AI_AZURE_COM_API_KEY"]);
  });

  test("of one call elsewhere loses its path, and its query by name", () => {
    const { settings, left } = read(
      'model: openai/a, api_base: "https://llm.example/v1/chat/completions?team=a", api_key: k',
      'model: azure/b, api_base: "https://apim.example", api_version: preview, api_key: k',
    );
    expect(settings.providers.map(({ baseUrl }) => baseUrl)).toEqual([
      "https://llm.example/v1",
      "https://apim.example/openai/v1",
    ]);
    expect(left).toEqual({ "m0: api_base": "an address has no query" });
  });

  test("of a provider's own API, in any version, is the provider's own, also if OpenAI's name stands before it", () => {
    const { config, aliases, settings, variables } = read(
      'model: cohere/command-a-03-2025, api_base: "https://api.cohere.ai/v1/generate", api_key: k',
      'model: cohere_chat/command-a-03-2025, api_base: "https://api.cohere.ai/v1/chat", api_key: k',
      'model: openai/gpt-5.4, api_base: "https://api.openai.com/v1/", api_key: k',
      'model: openai/deepseek-chat, api_base: "https://api.deepseek.com", api_key: l',
      'model: moonshot/kimi-k2.5, api_base: "https://api.moonshot.cn/v1", api_key: m',
    );
    expect(aliases).toEqual({
      m0: "Cohere#command-a-03-2025",
      m1: "Cohere#command-a-03-2025",
      m2: "OpenAI#gpt-5.4",
      m3: "DeepSeek#deepseek-chat",
      m4: "Moonshot-api-moonshot-cn#kimi-k2.5",
    });
    expect(config.Cohere).toEqual({ keys: [refer("COHERE_API_KEY")] });
    expect(settings.providers.map(({ baseUrl }) => baseUrl)).toEqual([
      "https://api.cohere.com/v2",
      "https://api.openai.com/v1",
      "https://api.deepseek.com",
      "https://api.moonshot.cn/v1",
    ]);
    expect(variables).toEqual([
      "COHERE_API_KEY",
      "OPENAI_API_KEY",
      "DEEPSEEK_API_KEY",
      "MOONSHOT_API_MOONSHOT_CN_V1_API_KEY",
    ]);
  });

  test("of Bedrock is its provider's", () => {
    const { settings } = read(
      "model: bedrock/amazon.nova-pro-v1:0, aws_bedrock_runtime_endpoint: https://vpce.example, api_key: k",
    );
    expect(settings.providers[0]?.baseUrl).toBe("https://vpce.example");
  });
});

describe("a credential", () => {
  const keys =
    "aws_access_key_id: AKIA-plain, aws_secret_access_key: aws-plain, aws_session_token: session-plain";
  const entra = "tenant_id: t, client_id: c, client_secret: entra-plain";

  test("of AWS has its session token, and one of Azure may be an application's", () => {
    const { config, variables } = read(
      `model: bedrock/amazon.nova-pro-v1:0, aws_region_name: us-east-1, ${keys}`,
      `model: azure/a, api_base: https://r.openai.azure.com, ${entra}`,
    );
    expect(config).toMatchObject({
      Bedrock: {
        aws: {
          access_key_id: refer("AWS_ACCESS_KEY_ID"),
          secret_access_key: refer("AWS_SECRET_ACCESS_KEY"),
          session_token: refer("AWS_SESSION_TOKEN"),
        },
      },
      Azure: { entra: { tenant: "t", client_id: "c", client_secret: refer("AZURE_CLIENT_SECRET") } },
    });
    expect(JSON.stringify(config)).not.toContain("plain");
    expect(variables).toEqual([
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      "AZURE_CLIENT_SECRET",
    ]);
  });

  test("that is a word for none is none, at a server of one's own", () => {
    const server = "api_base: http://10.0.0.5:8000/v1";
    const { config, aliases, variables, left } = read(
      `model: openai/llama, ${server}, api_key: none`,
      `model: hosted_vllm/llama, ${server}, api_key: EMPTY`,
      `model: openai/llama, ${server}, api_key: nonesuch`,
    );
    expect([config["OpenAI-m0"], config.vLLM]).toEqual([
      expect.not.objectContaining({ keys: expect.anything() }),
      expect.not.objectContaining({ keys: expect.anything() }),
    ]);
    expect([aliases.m2, left]).toEqual(["OpenAI-m2#llama", {}]);
    expect(variables).toEqual(["OPENAI_10_0_0_5_8000_V1_API_KEY"]);
  });

  test("that isn't used beside a key is reported", () => {
    const { config, left } = read(
      `model: bedrock/amazon.nova-pro-v1:0, api_key: k, ${keys}`,
      `model: azure/a, api_base: https://r.openai.azure.com, api_key: k, ${entra}`,
      "model: openai/gpt-5.4, litellm_credential_name: gone",
    );
    expect(config.Bedrock).not.toHaveProperty("aws");
    expect(config.Azure).not.toHaveProperty("entra");
    expect(Object.keys(left)).toEqual([
      "m0: aws_access_key_id",
      "m0: aws_secret_access_key",
      "m0: aws_session_token",
      "m1: tenant_id",
      "m1: client_id",
      "m1: client_secret",
      "m2: litellm_credential_name",
    ]);
  });
});

test("a model with the id of a profile is called by it, and has the facts of its name", () => {
  const arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x";
  const model = "model: bedrock/us.anthropic.claude-sonnet-4-6, aws_region_name: us-east-1, api_key: k";
  const { config, aliases } = read(`${model}, model_id: "${arn}"`, `${model}, model_id: os.environ/PROFILE`);
  expect(config.Bedrock).toMatchObject({
    models: [
      { name: arn, like: "Bedrock#us.anthropic.claude-sonnet-4-6" },
      { name: "us.anthropic.claude-sonnet-4-6", deployment: refer("PROFILE") },
    ],
  });
  expect(aliases).toEqual({ m0: `Bedrock#${arn}`, m1: "Bedrock#us.anthropic.claude-sonnet-4-6" });
});

describe("headers", () => {
  const headers = "extra_headers: { x-team: a, x-api-key: secret-plain, x-region: os.environ/REGION }";

  test("that all models of a provider share are the provider's, without secrets", () => {
    const { config, left } = read(`model: openai/gpt-5.4, api_key: k, ${headers}`);
    expect(config.OpenAI).toMatchObject({
      headers: { "x-team": "a", "x-api-key": refer("HEADER_X_API_KEY"), "x-region": refer("REGION") },
    });
    expect(left).toEqual({});
  });

  test("in which models of a provider differ make it several", () => {
    const { config, aliases, left } = read(
      `model: openai/gpt-5.4, api_key: k, ${headers}`,
      "model: openai/gpt-5.4, api_key: k",
    );
    expect(config.OpenAI).toHaveProperty("headers");
    expect(config["OpenAI-m1"]).not.toHaveProperty("headers");
    expect([aliases.m1, left]).toEqual(["OpenAI-m1#gpt-5.4", {}]);
  });
});

test("every field that has no place here has a row, also one that nobody knows", () => {
  const { left } = read(
    "model: openai/gpt-5.4, order: 2, reasoning_effort: high, extra_body: { a: 1 }, brand_new: 1, vertex_location: x }, tpm: 5, model_info: { tier: free, supports_vision: true, output_cost_per_image: 1",
  );
  expect(left).toEqual({
    "m0: order": "name the later models in models.<id>.fallbacks",
    "m0: reasoning_effort": "clients set it",
    "m0: extra_body": expect.stringContaining("extra_fields"),
    "m0: brand_new": "it has no counterpart",
    "m0: vertex_location": "it has no counterpart",
    "m0: tier": "it has no counterpart",
    "m0: supports_vision": "set models.<id>.capabilities",
    "m0: output_cost_per_image": "set models.<id>.price",
    "m0: tpm": "limits belong to a key: providers.<name>.keys",
  });
});
