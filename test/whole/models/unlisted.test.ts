// Models that no catalogue lists: as fallbacks, aliases, in groups and in keys, where a provider accepts such names.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { loadText } from "../../harness/settings.ts";
import { seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { asking } from "../world/world.ts";

let world: UnderTest;
let operator: Operator;
beforeAll(async () => {
  world = await startUnderTest({
    more: `  Down: { dialect: openai, keys: [x], base_url: "http://127.0.0.1:1/v1", models: [{ name: m }, { name: n }] }
models: { "Down#m": { fallbacks: ["local#vendor/new-model"] } }
aliases: { solo: "Local#new-model", both: [{ model: "Down#n" }, { model: "Local#new-model" }] }`,
  });
  operator = createOperator(world);
});
afterAll(() => world.stop());

describe("a model that no catalogue lists answers", () => {
  test.each([
    ["as a fallback", "Down#m", "Local#vendor/new-model"],
    ["as an alias", "solo", "Local#new-model"],
    ["in a group", "both", "Local#new-model"],
  ])("%s", async (_, model, id) => {
    const { status, headers } = await seen(await world.chat(asking(model)));
    expect([status, headers.get("x-poundkey-model")]).toEqual([200, id]);
  });

  const loads = (providers: string) =>
    loadText(`providers: { ${providers} }
models: { "OpenAI#gpt-5.4": { fallbacks: ["OpenRouter#maker/new-model"] } }`);

  test("only of a provider that accepts such names", () => {
    const keys = "keys: [a]";
    expect(loads(`OpenAI: { ${keys} }, OpenRouter: { ${keys}, unlisted_models: true }`).ok).toBe(true);
    expect(loads(`OpenAI: { ${keys} }, OpenRouter: { ${keys} }`)).toMatchObject({
      ok: false,
      errors: [{ line: 2, message: expect.stringContaining("no model has this id") }],
    });
  });
});

describe("a key for a model that nobody serves", () => {
  const DOUBTFUL = ["Down#nn", "xAI#grok-none"];
  const warnings = [
    "No model here is called 'Down#nn'. Did you mean 'Down#n' or 'Down#m'?",
    expect.stringMatching(/^No model here is called 'xAI#grok-none'\./),
  ];

  test("is made with a warning for each", async () => {
    const made = await operator.post("/keys", { name: "a", allowed_models: [...DOUBTFUL, "Down#*"] });
    expect(made.body).toMatchObject({ allowed_models: [...DOUBTFUL, "Down#*"], warnings });
    const changed = await operator.patch(`/keys/${made.body.id}`, { allowed_models: DOUBTFUL });
    expect(changed.body).toMatchObject({ allowed_models: DOUBTFUL, warnings });
    expect((await operator.get(`/keys/${made.body.id}`)).body).not.toHaveProperty("warnings");
  });

  test("gets none for what is served, or may be", async () => {
    const models = ["*", "Router#*", "router#best", "DOWN#M", "Local#anything", "Local#*", "OpenAI#gpt-*"];
    const made = await operator.post("/keys", { name: "a", allowed_models: models });
    expect([made.status, made.body.warnings]).toEqual([201, undefined]);
    const renamed = await operator.patch(`/keys/${made.body.id}`, { name: "b" });
    expect([renamed.status, renamed.body.warnings]).toEqual([200, undefined]);
  });
});
