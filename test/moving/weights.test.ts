// The weights and limits of several keys of one provider, from each gateway that has them.
import { expect, test } from "bun:test";
import { parse } from "yaml";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import { readPortkey } from "../../src/moving/portkey.ts";
import { Report } from "../../src/moving/report.ts";

/** A variable in the configuration's notation. */
const refer = (name: string) => `\${${name}}`;
const findLine = () => 1;

function listLeft({ rows }: Report): Readonly<Record<string, string>> {
  const left = rows.filter(({ item, outcome }) => outcome !== "taken" && !item.startsWith("price of "));
  return Object.fromEntries(left.map(({ item, words }) => [item, words]));
}

/** The deployments of the name `a`. */
function readLitellm(...deployments: readonly string[]) {
  const models = deployments.map((one) => `  - { model_name: a, litellm_params: { ${one} } }\n`);
  const report = new Report();
  const { config } = readConfig({ value: parse(`model_list:\n${models.join("")}`), findLine }, report);
  return { ...config, left: listLeft(report) };
}

test("LiteLLM's deployments are keys with their weights, and what is no weight is reported", () => {
  const { providers, aliases, left } = readLitellm(
    "model: gpt-5.4, api_key: k-1, weight: 3",
    "model: gpt-5.4, api_key: k-2",
    "model: gpt-5.4, api_key: k-3, weight: os.environ/W",
    "model: anthropic/claude-sonnet-5, api_key: k-4, weight: 2",
  );
  expect(providers).toEqual({
    OpenAI: {
      keys: [
        { key: refer("OPENAI_API_KEY"), weight: 3 },
        { key: refer("OPENAI_API_KEY_2"), weight: 1 },
        { key: refer("OPENAI_API_KEY_3"), weight: 1 },
      ],
    },
    Anthropic: { keys: [refer("ANTHROPIC_API_KEY")] },
  });
  expect(aliases.a).toEqual([
    { model: "OpenAI#gpt-5.4", weight: 5 },
    { model: "Anthropic#claude-sonnet-5", weight: 2 },
  ]);
  expect(left).toEqual({ "a: weight": "it has no counterpart" });
});

test("a key whose weight differs between its models is reported, unless it is the only one", () => {
  const models = ["model: gpt-5.4, api_key: k-1, weight: 3", "model: gpt-5.4-mini, api_key: k-1, weight: 1"];
  expect(readLitellm(...models).left).toEqual({});
  const others = ["model: gpt-5.4, api_key: k-2, weight: 1", "model: gpt-5.4-mini, api_key: k-2, weight: 1"];
  const { left } = readLitellm(...models, ...others);
  expect(left).toEqual({ "weights of OpenAI": "a key has one weight for all models" });
});

test("a key's limit that one of its deployments doesn't have is reported", () => {
  const limited = "model: gpt-5.4, api_key: k-1, rpm: 500";
  const { providers, left } = readLitellm(limited, "model: gpt-5.4-mini, api_key: k-1");
  expect(providers).toEqual({ OpenAI: { keys: [refer("OPENAI_API_KEY")] } });
  expect(left).toEqual({ "limits of OpenAI": expect.stringContaining("a deployment of it has none") });
  const calls = "max_parallel_requests";
  const both = readLitellm(
    `${limited}, ${calls}: 7`,
    `model: gpt-5.4-mini, api_key: k-1, rpm: 100, ${calls}: 2`,
  );
  expect(both.providers).toEqual({
    OpenAI: { keys: [{ key: refer("OPENAI_API_KEY"), requests_per_minute: 600, parallel: 9 }] },
  });
  expect(both.left).toEqual({});
});

test("Portkey's targets that differ in their keys alone keep their weights", () => {
  const target = (api_key: string, weight: number) => ({
    provider: "openai",
    api_key,
    weight,
    override_params: { model: "gpt-5.4" },
  });
  const value = { strategy: { mode: "loadbalance" }, targets: [target("k-1", 0.7), target("k-2", 0.3)] };
  const { providers } = readPortkey({ value, findLine }, new Report());
  expect(providers).toEqual({
    OpenAI: {
      keys: [
        { key: refer("OPENAI_API_KEY"), weight: 0.7 },
        { key: refer("OPENAI_API_KEY_2"), weight: 0.3 },
      ],
    },
  });
});

test("new-api's channels of one provider and priority share their weight among their keys", () => {
  const channels = [
    { type: 1, models: "gpt-5.4", key: "k-1\nk-2", weight: 5, priority: 10 },
    { type: 1, models: "gpt-5.4", key: "k-3", weight: 1, priority: 10 },
    { type: 1, models: "gpt-5.4,gpt-5.4-mini", key: "k-5", weight: 1 },
    { type: 14, models: "gpt-5.4", key: "k-4", model_mapping: '{"gpt-5.4":"claude-sonnet-5"}' },
  ].map((one, at) => ({ id: at, name: `c${at}`, status: 1, ...one }));
  const report = new Report();
  const tables = { users: [], tokens: [], options: [], channels };
  const { config } = readNewApi(tables, { report, nowMs: 0, isFree: true });
  expect(config.providers).toMatchObject({
    OpenAI: {
      keys: [
        { key: refer("OPENAI_API_KEY"), weight: 2.5 },
        { key: refer("OPENAI_API_KEY_2"), weight: 2.5 },
        { key: refer("OPENAI_API_KEY_3"), weight: 1 },
      ],
    },
    "OpenAI-gpt-5-4": { keys: [refer("OPENAI_API_KEY_4")] },
    Anthropic: { keys: [refer("ANTHROPIC_API_KEY")] },
  });
  expect(config.aliases["gpt-5.4"]).toEqual([{ model: "OpenAI#gpt-5.4" }]);
  expect(config.models["OpenAI#gpt-5.4"]).toEqual({
    fallbacks: ["OpenAI-gpt-5-4#gpt-5.4", "Anthropic#claude-sonnet-5"],
  });
  expect(listLeft(report)).toEqual({});
});
