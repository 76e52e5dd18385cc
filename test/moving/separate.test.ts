// Names that differ in key, price or fallbacks stay apart after an import, and are what clients see.
import { afterAll, expect, test } from "bun:test";
import { parse } from "yaml";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import { readPortkey } from "../../src/moving/portkey.ts";
import { Report } from "../../src/moving/report.ts";
import { startSimulator } from "../simulator/server.ts";
import { digestForeign } from "./litellm-rows.ts";
import { ask } from "./nodes.ts";
import { load, usePlaces } from "./places.ts";

const makePlace = usePlaces();
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
afterAll(() => simulator.stop());

/** A variable in the configuration's notation. */
const refer = (name: string) => `\${${name}}`;
const findLine = () => 1;

function readLitellm(text: string) {
  const report = new Report();
  const { config } = readConfig({ value: parse(text), findLine }, report);
  load(writeConfigText(config));
  return { ...config, report };
}

test("LiteLLM's names of one model keep their keys, prices and fallbacks", () => {
  const { providers, models, aliases } = readLitellm(`model_list:
  - { model_name: a-chat, litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY_A } }
  - { model_name: b-chat, litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY_B, input_cost_per_token: 0.00001, output_cost_per_token: 0.00003 } }
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: os.environ/ANTHROPIC_API_KEY } }
router_settings: { fallbacks: [{ b-chat: [claude] }] }
`);
  expect(providers).toEqual({
    OpenAI: { keys: [refer("KEY_A")] },
    "OpenAI-b-chat": {
      dialect: "openai",
      base_url: "https://api.openai.com/v1",
      keys: [refer("KEY_B")],
      models: [{ name: "gpt-4o", like: "OpenAI#gpt-4o", price: { input: 10, output: 30 } }],
    },
    Anthropic: { keys: [refer("ANTHROPIC_API_KEY")] },
  });
  expect(models).toEqual({ "OpenAI-b-chat#gpt-4o": { fallbacks: ["Anthropic#claude-sonnet-4-5"] } });
  expect(aliases).toEqual({
    "a-chat": [{ model: "OpenAI#gpt-4o" }],
    "b-chat": [{ model: "OpenAI-b-chat#gpt-4o" }],
    claude: [{ model: "Anthropic#claude-sonnet-4-5" }],
  });
});

test("LiteLLM's names that differ in nothing share a provider, and a fallback may be the same model elsewhere", () => {
  const { providers, models, report } = readLitellm(`model_list:
  - { model_name: one, litellm_params: { model: openai/gpt-4o, api_key: os.environ/K } }
  - { model_name: same, litellm_params: { model: openai/gpt-4o, api_key: os.environ/K } }
  - { model_name: small, litellm_params: { model: openai/gpt-4o-mini, api_key: os.environ/K } }
  - { model_name: two, litellm_params: { model: openai/gpt-4o, api_key: os.environ/L } }
  - { model_name: dear, litellm_params: { model: openai/gpt-4o, api_key: os.environ/K, input_cost_per_token: 0.00001 } }
  - { model_name: openai/*, litellm_params: { model: openai/*, api_key: os.environ/W } }
router_settings: { fallbacks: [{ two: [one] }, { nick: [two] }], model_group_alias: { nick: one } }
`);
  expect(Object.keys(providers)).toEqual(["OpenAI-one", "OpenAI-two", "OpenAI-dear", "OpenAI"]);
  expect(providers).toMatchObject({
    "OpenAI-one": { keys: [refer("K")], models: [{ name: "gpt-4o" }, { name: "gpt-4o-mini" }] },
    OpenAI: { keys: [refer("W")], unlisted_models: true },
  });
  // An alias is another name for the same models.
  expect(models).toEqual({ "OpenAI-two#gpt-4o": { fallbacks: ["OpenAI-one#gpt-4o"] } });
  expect(report.rows.filter(({ item }) => item === "fallbacks of nick")).toMatchObject([
    { outcome: "not_taken" },
  ]);
});

test("a server's models without a key of their own never get that of others", () => {
  const base = "api_base: http://10.0.0.5:8000/v1";
  const { providers, aliases } = readLitellm(`model_list:
  - { model_name: with, litellm_params: { model: openai/llama, ${base}, api_key: os.environ/K } }
  - { model_name: without, litellm_params: { model: openai/llama, ${base} } }
  - { model_name: implied, litellm_params: { model: gpt-4o } }
  - { model_name: own, litellm_params: { model: gpt-4o, api_key: os.environ/L } }
  - { model_name: own, litellm_params: { model: gpt-4o-mini, api_key: os.environ/L } }
`);
  expect(Object.values(providers)).toMatchObject([
    { keys: [refer("K")], models: [{ name: "llama" }] },
    { base_url: "http://10.0.0.5:8000/v1", models: [{ name: "llama" }] },
    {},
    { keys: [refer("L")] },
  ]);
  expect(providers["OpenAI-without"]).not.toHaveProperty("keys");
  expect(aliases.own).toHaveLength(2);
});

test("Portkey's configs keep their keys and fallbacks, and a key that is only a fallback stays one", () => {
  const target = (virtual_key: string) => ({ virtual_key, override_params: { model: "gpt-5.4" } });
  const claude = { provider: "anthropic", override_params: { model: "claude-sonnet-5" } };
  const value = {
    one: target("openai-a"),
    two: { strategy: { mode: "fallback" }, targets: [target("openai-b"), target("openai-a"), claude] },
  };
  const report = new Report();
  const { providers, models, aliases } = readPortkey({ value, findLine }, report);
  expect(providers).toMatchObject({
    OpenAI: { keys: [refer("OPENAI_API_KEY")] },
    "OpenAI-two": { keys: [refer("OPENAI_API_KEY_2")], models: [{ name: "gpt-5.4" }] },
  });
  expect(models).toEqual({
    "OpenAI-two#gpt-5.4": { fallbacks: ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5"] },
  });
  expect(aliases).toEqual({ one: [{ model: "OpenAI#gpt-5.4" }], two: [{ model: "OpenAI-two#gpt-5.4" }] });
});

test("Portkey's targets fall back only where they did, and a single strategy calls the first alone", () => {
  const target = (provider: string, model: string, more: object = {}) => ({
    provider,
    override_params: { model },
    ...more,
  });
  const chain = [target("openai", "gpt-5.4"), target("anthropic", "claude-sonnet-5")];
  const shared = [
    { strategy: { mode: "fallback" }, targets: chain, weight: 0.7 },
    target("groq", "x", { weight: 0.3 }),
  ];
  const value = {
    share: { strategy: { mode: "loadbalance" }, targets: shared },
    one: { strategy: { mode: "single" }, targets: [target("mistral", "y"), target("cohere", "z")] },
    later: {
      strategy: { mode: "fallback" },
      targets: [target("xai", "w"), { strategy: { mode: "loadbalance" }, targets: chain }],
    },
  };
  const report = new Report();
  const { models, aliases } = readPortkey({ value, findLine }, report);
  expect(models).toEqual({
    "OpenAI#gpt-5.4": { fallbacks: ["Anthropic#claude-sonnet-5"] },
    "xAI#w": { fallbacks: ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5"] },
  });
  expect(aliases.share).toEqual([
    { model: "OpenAI#gpt-5.4", weight: 0.7 },
    { model: "Groq#x", weight: 0.3 },
  ]);
  expect(aliases.one).toEqual([{ model: "Mistral#y" }]);
  const left = report.rows.filter(({ outcome }) => outcome === "not_taken").map(({ item }) => item);
  expect(left.filter((item) => !item.startsWith("price of"))).toEqual([
    "strategy single",
    "weights of fallbacks",
  ]);
});

test("new-api's channels of lower priority are fallbacks also on the same server", () => {
  const channels = [
    { id: 1, name: "first", key: "k-1", priority: 9, models: "gpt-5.4,gpt-5.4-mini" },
    { id: 2, name: "later", key: "k-2", priority: 0, models: "gpt-5.4" },
  ].map((one) => ({ type: 1, status: 1, weight: 0, ...one }));
  const tables = { users: [], tokens: [], options: [], channels };
  const { config } = readNewApi(tables, { report: new Report(), nowMs: 0, isFree: true });
  expect(config.providers).toMatchObject({
    OpenAI: { keys: [refer("OPENAI_API_KEY")] },
    "OpenAI-gpt-5-4": { keys: [refer("OPENAI_API_KEY_2")] },
  });
  expect(config.models).toEqual({ "OpenAI#gpt-5.4": { fallbacks: ["OpenAI-gpt-5-4#gpt-5.4"] } });
});

test("clients list the old names, call with the key of each, and a key for one name can't call the other", async () => {
  const entry = (name: string, key: string, more = "") =>
    `  - { model_name: ${name}, litellm_params: { model: openai/gpt-5.4, api_base: "${simulator.url}/openai/v1", api_key: os.environ/${key}${more} } }\n`;
  const place = makePlace({
    "litellm.yaml": `model_list:\n${entry("chat", "KEY_A")}${entry("dear", "KEY_B", ", input_cost_per_token: 0.00001")}`,
    "keys.csv": `token,key_alias,models\n${digestForeign("sk-of-all-names")},all,{}\n${digestForeign("sk-of-one-name")},one,{chat}\n`,
  });
  await place.run("litellm", place.path("litellm.yaml"), "--keys", place.path("keys.csv"));
  const { url, stop } = await place.start({ KEY_A: "sim-key", KEY_B: "sim-key-b" });
  const list = async (secret: string) => {
    const answer = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${secret}` } });
    const { data }: { data: readonly { id: string }[] } = JSON.parse(await answer.text());
    return data.map(({ id }) => id).filter((id) => !id.includes("#"));
  };
  try {
    expect(await list("sk-of-all-names")).toEqual(["chat", "dear"]);
    expect(await list("sk-of-one-name")).toEqual(["chat"]);
    expect(await ask(url, "sk-of-one-name", "chat")).toBe("ok");
    expect(await ask(url, "sk-of-one-name", "dear")).toBe("model_not_allowed");
  } finally {
    await stop();
  }
});
