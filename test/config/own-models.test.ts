// An operator's own models that resemble one of the catalogue, and the dialect in which they are served.
import { expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { formatError } from "../../src/config/errors.ts";
import type { LoadResult } from "../../src/config/load.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { KnownProvider } from "../../src/core/settings.ts";
import { loadText, requireSettings } from "../harness/settings.ts";

const KNOWN: readonly KnownProvider[] = [
  { name: "Anthropic", keyVariables: [], baseUrl: "http://a.example", dialects: [{ name: "anthropic" }] },
  { name: "OpenAI", keyVariables: [], baseUrl: "http://o.example", dialects: [{ name: "openai" }] },
  {
    name: "Mixed",
    keyVariables: [],
    baseUrl: "http://m.example",
    dialects: [{ name: "gemini" }, { name: "anthropic" }],
  },
];

function load(models: string, provider = "Mixed: { models: ["): LoadResult {
  return loadText(`providers:\n  ${provider}${models}] }\n`, { known: KNOWN });
}

function readCard(models: string): ModelCard | undefined {
  return requireSettings(load(models)).operatorModels[0];
}

const CLAUDE = loadShippedCards().find(({ id }) => id === "Anthropic#claude-opus-5");

test("`like` copies another model except for its name and the fields given", () => {
  expect(readCard('{ name: mine, like: "anthropic/claude-opus-5", output: 1000 }')).toEqual({
    id: "Mixed#mine",
    provider: "Mixed",
    name: "mine",
    like: "Anthropic#claude-opus-5",
    created: CLAUDE?.created ?? Number.NaN,
    ownedBy: "Anthropic",
    contextTokensMax: CLAUDE?.contextTokensMax ?? Number.NaN,
    outputTokensMax: 1000,
    price: CLAUDE?.price ?? null,
    capabilities: CLAUDE?.capabilities ?? new Set(),
    operations: new Set(["chat"]),
    listed: true,
    fallbacks: [],
    dialects: ["anthropic"],
  });
});

test.each([
  ['{ name: m, like: "Anthropic#claude-opus-5" }', ["anthropic"]],
  ['{ name: m, like: "OpenAI#gpt-5.4" }', undefined],
  ["{ name: m, dialect: gemini }", ["gemini"]],
  ['{ name: m, like: "Anthropic#claude-opus-5", dialect: gemini }', ["gemini"]],
  ["{ name: anthropic.claude-opus-5 }", undefined],
] as const)("the dialect of %s", (model, dialects) => {
  expect(readCard(model)?.dialects).toEqual(dialects as ModelCard["dialects"]);
});

test.each([
  [
    '{ name: m, like: "Anthropic#claude-opuss-5" }',
    "models[0].like: no model has this id; did you mean Anthropic#claude-opus-5?",
  ],
  ["{ name: m, dialect: cohere }", "models[0].dialect: Mixed only speaks gemini and anthropic"],
  ['{ name: m, like: "OpenAI#gpt-5.4", context: 5 }', "models[0].context: the output limit"],
  ["{ name: m, like: 5 }", "models[0].like: expected a model id like OpenAI#gpt-5.4, got 5"],
] as const)("%s is refused", (model, says) => {
  const loaded = load(model);
  expect(loaded.ok ? [] : loaded.errors.map(formatError)).toEqual([expect.stringContaining(says)]);
});

test("a server with one dialect offers its models no other", () => {
  const loaded = load("{ name: m, dialect: gemini }", "Own: { base_url: http://x.example, models: [");
  expect(loaded.ok ? [] : loaded.errors.map(formatError)).toEqual([
    expect.stringContaining("providers.Own.models[0].dialect: Own only speaks openai"),
  ]);
});
