// Entries of LiteLLM's model_list, each as the provider and model that it becomes.
import { afterAll, describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { Report } from "../../src/moving/report.ts";
import { startSimulator } from "../simulator/server.ts";
import { digestForeign } from "./litellm-rows.ts";
import { ask } from "./nodes.ts";
import { load, usePlaces } from "./places.ts";

const makePlace = usePlaces();
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
afterAll(() => simulator.stop());

/** Reads a file of one entry for each text of parameters. They are named `m0`, `m1`, … and stand in the lines 1, 2, … */
function read(...params: readonly string[]) {
  const file = parse(
    `model_list:\n${params.map((one, at) => `  - { model_name: m${at}, litellm_params: { ${one} } }`).join("\n")}\n`,
  );
  const report = new Report();
  const findLine = (at: readonly (string | number)[]) => Number(at[1] ?? -1) + 1;
  const { config } = readConfig({ value: file, findLine }, report);
  const left = report.rows.filter(({ item, isTaken }) => !isTaken && !item.startsWith("price of "));
  return {
    settings: load(writeConfigText(config)),
    config: config.providers,
    aliases: config.aliases,
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
    expect(code).toBe(0);
    const { url, stop } = await place.start({ OPENAI_API_KEY: "sim-key" });
    try {
      expect(await ask(url, "sk-of-a-client", "resp")).toBe("ok");
      expect(simulator.calls.last()).toMatchObject({ dialect: "responses", body: { model: "gpt-5.4" } });
    } finally {
      await stop();
    }
  });
});
