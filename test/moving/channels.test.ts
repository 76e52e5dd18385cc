// Channels of new-api and One API on clouds and at addresses of their own, each as the provider that it becomes.
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import { Report } from "../../src/moving/report.ts";
import { loadText, requireSettings } from "../harness/settings.ts";
import { nameAlone } from "./places.ts";

/** A variable in the configuration's notation. */
const refer = (name: string) => `\${${name}}`;
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const makeAccount = (project: string) => ({
  type: "service_account",
  project_id: project,
  client_email: "a@example",
  private_key: privateKey,
});

/** The channels are named `c0`, `c1`, …, and serve `models`. Each variable has the value that the other gateway had. */
function read(...channels: readonly object[]) {
  const rows = channels.map((one, at) => ({ id: at, name: `c${at}`, status: 1, key: "k", ...one }));
  const report = new Report();
  const tables = { users: [], tokens: [], options: [], channels: rows };
  const { config } = readNewApi(tables, { report, nowMs: 0, isFree: true });
  const text = writeConfigText(config);
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  const value = (name: string) =>
    name.startsWith("VERTEX_CREDENTIALS") ? JSON.stringify(makeAccount("p")) : `v-${name}`;
  const env = Object.fromEntries(names.map((name) => [name, value(name)]));
  const { providers } = requireSettings(loadText(text, { env }));
  const left = report.rows.filter(
    ({ item, outcome }) => outcome !== "taken" && !item.startsWith("price of "),
  );
  return {
    text,
    providers,
    config: config.providers,
    aliases: nameAlone(config.aliases),
    left: Object.fromEntries(left.map(({ item, words }) => [item, words])),
  };
}

test("a channel on AWS is a provider on Bedrock for each key, with the region's names of its models", () => {
  const models = "claude-sonnet-4-5-20250929,nova-pro-v1:0,meta.llama3-3-70b-instruct-v1:0,claude-2.1";
  const { config, aliases, left, text } = read({
    type: 33,
    models,
    key: "AKIA-plain|secret-plain|us-east-1\nAKIA-plain-2|secret-plain-2|eu-west-1",
  });
  expect(config).toMatchObject({
    Bedrock: {
      region: "us-east-1",
      aws: { access_key_id: refer("AWS_ACCESS_KEY_ID"), secret_access_key: refer("AWS_SECRET_ACCESS_KEY") },
    },
    "Bedrock-eu-west-1-aws-access-key-id-2": {
      platform: "bedrock",
      region: "eu-west-1",
      aws: { secret_access_key: refer("AWS_SECRET_ACCESS_KEY_2") },
    },
  });
  expect(aliases).toMatchObject({
    "claude-sonnet-4-5-20250929": [
      { model: "Bedrock#us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
      { model: "Bedrock-eu-west-1-aws-access-key-id-2#eu.anthropic.claude-sonnet-4-5-20250929-v1:0" },
    ],
    "nova-pro-v1:0": [{ model: "Bedrock#us.amazon.nova-pro-v1:0" }, {}],
    "meta.llama3-3-70b-instruct-v1:0": [{ model: "Bedrock#meta.llama3-3-70b-instruct-v1:0" }, {}],
  });
  expect(left).toEqual({ "channel c0: model claude-2.1": "its name on Bedrock isn't known here" });
  expect(text).not.toContain("plain");
});

test("a channel on AWS may have keys of Bedrock's own, or none that can be read", () => {
  const { config, left } = read(
    { type: 33, models: "claude-sonnet-4-6", key: "bearer-plain|ap-northeast-1" },
    { type: 33, models: "claude-sonnet-4-6", key: "half" },
  );
  expect(config.Bedrock).toEqual({ region: "ap-northeast-1", keys: [refer("AWS_BEARER_TOKEN_BEDROCK")] });
  expect(left["channel c1"]).toStartWith("its key isn't AccessKey|SecretKey|Region");
});

test("a channel on Vertex AI is a provider there for each location, with the project of its account", () => {
  const other = { default: "us-central1", "claude-sonnet-4-5-20250929": "global" };
  const { config, aliases, providers, text } = read({
    type: 41,
    models: "gemini-3.5-flash,claude-sonnet-4-5-20250929,claude-opus-4-1-20250805",
    key: JSON.stringify(makeAccount("my-project"), null, 2),
    other: JSON.stringify(other),
  });
  expect(config.Vertex).toMatchObject({
    project: "my-project",
    location: "us-central1",
    service_account: refer("VERTEX_CREDENTIALS"),
    models: [{ name: "claude-opus-4-1@20250805" }],
  });
  expect(aliases).toEqual({
    "gemini-3.5-flash": "Vertex#gemini-3.5-flash",
    "claude-sonnet-4-5-20250929": expect.stringMatching(/^Vertex-global-.*#claude-sonnet-4-5@20250929$/),
    "claude-opus-4-1-20250805": "Vertex#claude-opus-4-1@20250805",
  });
  expect(providers.map(({ baseUrl }) => baseUrl)).toEqual([
    "https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1",
    "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global",
  ]);
  expect(text).not.toContain("PRIVATE");
});

test("a channel on Vertex AI may have several accounts, or express keys", () => {
  const accounts = read({
    type: 41,
    models: "gemini-3.5-flash",
    other: "europe-west1",
    key: JSON.stringify([makeAccount("one"), makeAccount("two")]),
  });
  expect(Object.values(accounts.config)).toMatchObject([
    { project: "one", location: "europe-west1" },
    { platform: "vertex", project: "two", location: "europe-west1" },
  ]);
  expect(accounts.aliases["gemini-3.5-flash"]).toHaveLength(2);
  const express = read({ type: 41, models: "gemini-3.5-flash", key: "express-plain", other: "global" });
  expect(express.config).toEqual({ Vertex: { keys: [refer("VERTEX_API_KEY")] } });
});

test("One API's channels on clouds have their region and keys in their settings", () => {
  const aws = { region: "us-west-2", ak: "AKIA-plain", sk: "secret-plain" };
  const vertex = {
    region: "us-east5",
    vertex_ai_project_id: "paying",
    vertex_ai_adc: JSON.stringify(makeAccount("own")),
  };
  const { config, aliases } = read(
    { type: 33, models: "claude-sonnet-4-6", key: "", config: JSON.stringify(aws) },
    { type: 42, models: "gemini-3.5-flash", key: "", config: JSON.stringify(vertex) },
  );
  expect(config).toMatchObject({
    Bedrock: { region: "us-west-2", aws: { access_key_id: refer("AWS_ACCESS_KEY_ID") } },
    Vertex: { project: "paying", location: "us-east5" },
  });
  expect(aliases).toEqual({
    "claude-sonnet-4-6": "Bedrock#us.anthropic.claude-sonnet-4-6",
    "gemini-3.5-flash": "Vertex#gemini-3.5-flash",
  });
});

test("a custom channel's address is that of its calls, and others are no servers' here", () => {
  const { config, left } = read(
    { type: 8, models: "own", base_url: "https://custom.example/v2/chat/completions" },
    { type: 8, models: "own", base_url: "https://custom.example/{model}/chat/completions" },
    { type: 8, models: "own", base_url: "https://custom.example/run" },
    { type: 45, models: "doubao" },
  );
  expect(config).toMatchObject({
    "OpenAI-custom-example-v2": { dialect: "openai", base_url: "https://custom.example/v2" },
  });
  expect(left).toEqual({
    "channel c1": "its address isn't that of a server's /chat/completions",
    "channel c2": "its address isn't that of a server's /chat/completions",
    "channel c3": "VolcEngine has no provider here",
  });
});

test("channels in China stay there, and an address of the vendor elsewhere is another provider", () => {
  const { config, aliases, providers } = read(
    { type: 25, models: "kimi-k2.5", key: "in-china" },
    { type: 25, models: "kimi-k2.5", key: "elsewhere", base_url: "https://api.moonshot.ai" },
    { type: 17, models: "qwen-max", base_url: "https://dashscope.aliyuncs.com/" },
    { type: 26, models: "glm-5" },
  );
  expect(config).toMatchObject({
    Moonshot: { base_url: "https://api.moonshot.cn/v1", keys: [refer("MOONSHOT_API_KEY")] },
    Qwen: { base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1" },
    ZAI: { base_url: "https://open.bigmodel.cn/api/paas/v4" },
  });
  expect(providers.map(({ baseUrl }) => baseUrl)).toContain("https://api.moonshot.ai/v1");
  expect(aliases["kimi-k2.5"]).toHaveLength(2);
});

test("an address of one's own gets the path that the vendor's API has", () => {
  const { providers } = read(
    { type: 24, models: "gemini-3.5-flash", base_url: "https://proxy.example/google" },
    { type: 34, models: "command-a-03-2025", base_url: "https://proxy.example/cohere" },
    { type: 14, models: "claude-sonnet-5", base_url: "https://proxy.example/anthropic" },
  );
  expect(providers.map(({ baseUrl }) => baseUrl)).toEqual([
    "https://proxy.example/google/v1beta",
    "https://proxy.example/cohere/v2",
    "https://proxy.example/anthropic/v1",
  ]);
});

test("a channel of OpenAI's type at another vendor's address is that vendor's", () => {
  const { config, aliases } = read(
    { type: 1, models: "deepseek-chat", key: "k-1", base_url: "https://api.deepseek.com" },
    { type: 1, models: "z/any", key: "k-2", base_url: "https://openrouter.ai/api" },
    { type: 8, models: "grok-4", key: "k-3", base_url: "https://api.x.ai/v1/chat/completions" },
    { type: 1, models: "gpt-5.4", key: "k-4", base_url: "https://api.openai.com" },
  );
  expect(config).toMatchObject({
    DeepSeek: { keys: [refer("DEEPSEEK_API_KEY")] },
    OpenRouter: { keys: [refer("OPENROUTER_API_KEY")] },
    xAI: { keys: [refer("XAI_API_KEY")] },
    OpenAI: { keys: [refer("OPENAI_API_KEY")] },
  });
  expect(aliases).toMatchObject({
    "deepseek-chat": "DeepSeek#deepseek-chat",
    "z/any": "OpenRouter#z/any",
  });
});

test("a key of a channel that is disabled there stays so", () => {
  const info = (states: object) => JSON.stringify({ is_multi_key: true, multi_key_status_list: states });
  const { config, left } = read(
    { type: 1, models: "gpt-5.4", key: "k-one\nk-two\nk-three", channel_info: info({ 1: 3 }) },
    {
      type: 33,
      models: "nova-pro-v1:0",
      key: "a|us-east-1\nb|eu-west-1",
      channel_info: info({ 0: 2, 1: 1 }),
    },
    { type: 14, models: "claude-sonnet-5", key: "k", channel_info: info({ 0: 3 }) },
  );
  expect(config).toMatchObject({
    OpenAI: { keys: [refer("OPENAI_API_KEY"), refer("OPENAI_API_KEY_2")] },
    Bedrock: { region: "eu-west-1" },
  });
  expect(config).not.toHaveProperty("Anthropic");
  expect(left).toEqual({
    "channel c0: key 2": "it is disabled",
    "channel c1: key 1": "it is disabled",
    "channel c2: key 1": "it is disabled",
    "channel c2": "all of its keys are disabled",
  });
});
