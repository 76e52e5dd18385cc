// Azure in the configuration: addresses and credentials from fields and variables, and the models behind deployments.
import { describe, expect, test } from "bun:test";
import { read, readProvider } from "./platform-files.ts";

describe("Azure's address and authentication", () => {
  test.each([
    ["Azure: { resource: res, keys: [k] }", {}, "https://res.openai.azure.com/openai/v1"],
    [
      "Azure: { resource: res, base_url: 'http://127.0.0.1:9/openai/v1', keys: [k] }",
      {},
      "http://127.0.0.1:9/openai/v1",
    ],
    [
      "Azure: { base_url: 'https://res.openai.azure.com', keys: [k] }",
      {},
      "https://res.openai.azure.com/openai/v1",
    ],
    ["Azure: { base_url: 'http://127.0.0.1:9', keys: [k] }", {}, "http://127.0.0.1:9"],
    [
      "Azure: { keys: [k] }",
      { AZURE_OPENAI_ENDPOINT: "https://res.openai.azure.com/" },
      "https://res.openai.azure.com/openai/v1",
    ],
    [
      "Azure: { keys: [k] }",
      { AZURE_OPENAI_ENDPOINT: "https://res.services.ai.azure.com/openai" },
      "https://res.services.ai.azure.com/openai/v1",
    ],
    ...["models", "anthropic", "anthropic/v1"].map(
      (path) =>
        [
          `Azure: { base_url: 'https://res.services.ai.azure.com/${path}', keys: [k] }`,
          {},
          "https://res.services.ai.azure.com/openai/v1",
        ] as const,
    ),
    [
      "Second: { platform: azure, resource: other, keys: [k] }",
      {},
      "https://other.openai.azure.com/openai/v1",
    ],
  ])("%s %j", (fields, env, address) => {
    const setup = readProvider(fields, env);
    expect(setup?.baseUrl).toBe(address);
    expect([setup?.platform, setup?.credentials]).toEqual(["azure", [{ secret: "k", weight: 1 }]]);
  });

  test("a dated API version, or none", () => {
    expect(readProvider('Azure: { resource: r, keys: [k], api: "2024-10-21" }')?.apiVersion).toBe(
      "2024-10-21",
    );
    expect(readProvider("Azure: { resource: r, keys: [k], api: v1 }")).not.toHaveProperty("apiVersion");
  });

  test("an Entra application instead of keys", () => {
    const own = "tenant: t.example, client_id: c, client_secret: s3cret";
    expect(readProvider(`Azure: { resource: r, entra: { ${own} } }`)?.credentials).toEqual([
      {
        secret: null,
        weight: 1,
        proof: {
          kind: "client_credentials",
          tokenUrl: "https://login.microsoftonline.com/t.example/oauth2/v2.0/token",
          clientId: "c",
          clientSecret: "s3cret",
          scope: "https://cognitiveservices.azure.com/.default",
        },
      },
    ]);
    const other =
      "authority: 'https://login.microsoftonline.us/', scope: 'https://cognitiveservices.azure.us/.default'";
    expect(
      readProvider(`Azure: { resource: r, entra: { ${own}, ${other} } }`)?.credentials[0]?.proof,
    ).toMatchObject({
      tokenUrl: "https://login.microsoftonline.us/t.example/oauth2/v2.0/token",
      scope: "https://cognitiveservices.azure.us/.default",
    });
  });

  test("two variables together enable it, one of them does not", () => {
    const key = { AZURE_OPENAI_API_KEY: "k" };
    const endpoint = { AZURE_OPENAI_ENDPOINT: "https://res.openai.azure.com" };
    expect(read(null, { ...key, ...endpoint }).providers).toMatchObject([
      { name: "Azure", baseUrl: "https://res.openai.azure.com/openai/v1", credentials: [{ secret: "k" }] },
    ]);
    expect(read(null, key).providers).toEqual([]);
    expect(read(null, endpoint).providers).toEqual([]);
  });

  test("its other names are hidden from clients", () => {
    expect(readProvider("Azure: { resource: res, keys: [k] }")?.redactedWords).toContain(
      "res.services.ai.azure.com",
    );
  });
});

describe("Azure's models", () => {
  const models = (list: string, name = "Azure: { ") =>
    read(`providers: { ${name} resource: r, keys: [k], models: [${list}] } }`).operatorModels;

  test("a deployment of a catalogue model has its facts and rules, whatever its name", () => {
    const [plain, own, like, foreign] = models(
      '{ name: gpt-5.4, deployment: prod }, { name: gpt-5.4-mini, price: { input: 1, output: 2 } }, { name: fast, like: "OpenRouter#openai/gpt-5.4" }, { name: house }',
    );
    expect(plain).toMatchObject({
      id: "Azure#gpt-5.4",
      name: "gpt-5.4",
      deployment: "prod",
      like: "OpenAI#gpt-5.4",
    });
    expect(plain?.price).toMatchObject({ input: 2.5, output: 15 });
    expect(own).toMatchObject({ price: { input: 1, output: 2 }, contextTokensMax: 400_000 });
    expect(like).toMatchObject({ id: "Azure#fast", name: "gpt-5.4", deployment: "fast" });
    expect(foreign).toMatchObject({ id: "Azure#house", name: "house", deployment: "house", listed: false });
  });

  test("the documented line works, with its key from the environment", () => {
    const line = `resource: my-resource, keys: ["\${AZURE_OPENAI_API_KEY}"], models: [{ name: gpt-5.4, deployment: prod-gpt, like: "OpenAI#gpt-5.4" }]`;
    const { providers, operatorModels } = read(`providers: { Azure: { ${line} } }`, {
      AZURE_OPENAI_API_KEY: "k",
    });
    expect(providers[0]).toMatchObject({ baseUrl: "https://my-resource.openai.azure.com/openai/v1" });
    expect(providers[0]?.credentials).toEqual([{ secret: "k", weight: 1 }]);
    expect(operatorModels[0]).toMatchObject({ id: "Azure#gpt-5.4", name: "gpt-5.4", deployment: "prod-gpt" });
  });

  test("Claude is served in Anthropic's format, under its own name or another", () => {
    const [claude, mine] = models(
      '{ name: claude-sonnet-5 }, { name: mine, like: "Anthropic#claude-opus-5" }',
    );
    expect([claude?.dialects, mine?.dialects]).toEqual([["anthropic"], ["anthropic"]]);
  });

  test("a second resource knows the same models", () => {
    const [model] = models("{ name: gpt-5.4 }", "EU: { platform: azure, ");
    expect(model).toMatchObject({ id: "EU#gpt-5.4", like: "OpenAI#gpt-5.4", price: { input: 2.5 } });
  });
});
