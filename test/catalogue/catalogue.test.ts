// The catalogue: a client's `model` resolves as the contract says, with the operator's changes applied.
import { describe, expect, test } from "bun:test";
import { buildCatalogue, type CatalogueInput, type Resolution } from "../../src/catalogue/catalogue.ts";
import { modelView } from "../../src/catalogue/model-view.ts";
import { findOverlayProblems } from "../../src/catalogue/overlay.ts";
import { buildPrice, findPriceProblem, type PriceFields } from "../../src/catalogue/price.ts";
import { buildCards, loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { findNearest } from "../../src/core/text/nearest.ts";
import { compareTimes } from "../surfaces/growth/measure.ts";

const SOUND_ROW = {
  id: "A#m",
  owner: "A",
  released: null,
  context: 10,
  output: 5,
  price: null,
  capabilities: [],
};

function catalogueOf(changes: Partial<CatalogueInput> = {}) {
  const names = new Set(loadShippedCards().map((card) => card.provider));
  const providers = [...names].map((name) => ({ name, unlistedModels: false }));
  return buildCatalogue({ providers, overlay: [], operatorModels: [], aliases: {}, ...changes });
}

/** Returns the result of a resolution as one word. */
function word(found: Resolution): string {
  if (found.kind === "card") return found.card.id;
  if (found.kind === "group")
    return found.members.map(({ card, weight }) => `${card.id}*${weight}`).join(" ");
  return found.kind === "selector" ? `(${found.selector})` : `unknown: ${found.nearest.join(" ")}`;
}

test("an invalid row is named and prevents the start", () => {
  const broken: readonly [object, string][] = [
    [{ ...SOUND_ROW, id: "A" }, "isn't <Provider>#<model>"],
    [{ ...SOUND_ROW, output: 11 }, "A#m: has an output limit larger than its context window"],
    [{ ...SOUND_ROW, context: 1.5 }, "invalid limit"],
    [{ ...SOUND_ROW, released: "soon" }, "date"],
    [{ ...SOUND_ROW, capabilities: ["smell"] }, "unknown capability"],
    [{ ...SOUND_ROW, price: { input: 1 } }, "no output price"],
    [{ ...SOUND_ROW, price: { input: -1, output: 1 } }, "input must be from 0 to 10000 USD, not -1"],
    [{ ...SOUND_ROW, price: { input: 20_000, output: 1 } }, "input must be from 0 to 10000 USD, not 20000"],
  ];
  for (const [row, says] of broken) expect(() => buildCards([row])).toThrow(says);
  expect(() => buildCards([SOUND_ROW, { ...SOUND_ROW, id: "a#M" }])).toThrow("twice");
  expect(buildCards([SOUND_ROW])[0]?.contextTokensMax).toBe(10);
});

describe("the meaning of a client's model name", () => {
  const aliases = {
    "gpt-5": "OpenAI#gpt-5.4",
    smart: "router#best",
    "openai/gpt-5.5": "OpenAI#gpt-5.4",
    "my/own": "xai/grok-4.3",
    team: [
      { model: "OpenAI#gpt-5.4", weight: 1 },
      { model: "Mistral#off", weight: 9 },
      { model: "xai/grok-4.3", weight: 2 },
      { model: "OpenRouter#some/new-model", weight: 1 },
    ],
    "claude-*": [{ model: "OpenAI#gpt-5.4", weight: 1 }],
    gone: [{ model: "Mistral#off", weight: 1 }],
  };
  const open = catalogueOf({
    providers: [
      { name: "OpenAI", unlistedModels: false },
      { name: "xAI", unlistedModels: false },
      { name: "OpenRouter", unlistedModels: true },
    ],
    aliases: { ...aliases, "openrouter/mine": "OpenAI#gpt-5.4" },
    overlay: [{ id: "OpenRouter#openai/gpt-5.4", disabled: true }],
  });
  const rows: readonly [string, string][] = [
    ["OpenAI#gpt-5.4", "OpenAI#gpt-5.4"],
    ["OPENAI#gpt-5.4", "OpenAI#gpt-5.4"],
    ["openai/gpt-5.4", "OpenAI#gpt-5.4"],
    ["OpenAI#GPT-5.4", "unknown: OpenAI#gpt-5.4"],
    ["openrouter#x-ai/grok-4.3", "OpenRouter#x-ai/grok-4.3"],
    ["openrouter/x-ai/grok-4.3", "OpenRouter#x-ai/grok-4.3"],
    ["gpt-5", "OpenAI#gpt-5.4"],
    ["my/own", "xAI#grok-4.3"],
    ["openai/gpt-5.5", "OpenAI#gpt-5.5"],
    ["openrouter/mine", "OpenAI#gpt-5.4"],
    ["smart", "(best)"],
    ["team", "xAI#grok-4.3*2 OpenAI#gpt-5.4*1 OpenRouter#some/new-model*1"],
    ["claude-any", "OpenAI#gpt-5.4*1"],
    ["gone", "unknown: "],
    ["Router#fair", "(fair)"],
    ["router/light", "(light)"],
    ["Router#Best", "unknown: "],
    ["Router#", "unknown: "],
    ["OpenRouter#some/new-model", "OpenRouter#some/new-model"],
    ["OpenRouter#some new", "unknown: "],
    ["OpenRouter#..", "unknown: "],
    ["OpenRouter#...", "OpenRouter#..."],
    ["OpenRouter#openai/gpt-5.4", "unknown: OpenAI#gpt-5.4"],
    ["OpenAI#new-model", "unknown: "],
    ["gpt-5.4", "unknown: OpenAI#gpt-5.4"],
    ["grok-4.3", "unknown: xAI#grok-4.3 OpenRouter#x-ai/grok-4.3"],
    ["Anthropic#claude-opus-5", "unknown: OpenRouter#anthropic/claude-opus-5"],
    ["", "unknown: "],
    ["#", "unknown: "],
    ["#gpt-5.4", "unknown: OpenAI#gpt-5.4 OpenAI#gpt-5.1 OpenRouter#openai/gpt-5.1"],
    ["OpenAI#", "unknown: OpenAI#o3"],
    [`OpenAI#${"x".repeat(10_000)}`, "unknown: "],
    [`${"x".repeat(10_000)}#gpt-5.4`, "unknown: "],
    [`OpenRouter#${"x".repeat(201)}`, "unknown: "],
  ];
  for (const [text, means] of rows) {
    test(`${text.slice(0, 40)} → ${means}`, () => expect(word(open.resolve(text))).toBe(means));
  }

  test("the time that a pattern takes grows with the name as the name does, and case counts", () => {
    const own = { "claude-*-*-*-latest": "OpenAI#gpt-5.4", "claude*": "xAI#grok-4.3" };
    const providers = ["OpenAI", "xAI"].map((name) => ({ name, unlistedModels: false }));
    const catalogue = catalogueOf({ providers, aliases: own });
    expect(word(catalogue.resolve("claude-a-b-\nc-latest"))).toBe("OpenAI#gpt-5.4");
    expect(word(catalogue.resolve("claude-a-b-c-LATEST"))).toBe("xAI#grok-4.3");
    expect(catalogue.resolve("Claude-a-b-c-latest").kind).toBe("unknown");
    const resolve = (length: number) => () => {
      for (let times = 0; times < 50; times++) catalogue.resolve(`claude${"-".repeat(length)}`);
    };
    expect(compareTimes(resolve(40), resolve(320), 27)).toBeLessThan(27);
  });

  test("an unlisted name gets a card with unknown properties", () => {
    const found = open.resolve("openrouter#some/new-model");
    expect(found.kind === "card" && found.card).toMatchObject({
      listed: false,
      price: null,
      contextTokensMax: null,
    });
  });

  test("a misspelt id gets a few suggestions, the most likely first", () => {
    const found = catalogueOf().resolve("Anthropic#claude-opuss-5");
    expect(found.kind === "unknown" && found.nearest[0]).toBe("Anthropic#claude-opus-5");
    expect(found.kind === "unknown" && found.nearest.length).toBeLessThanOrEqual(3);
  });

  test("a retired name leads to its vendor's models, the nearest in price first, or to nothing that is near", () => {
    const catalogue = catalogueOf();
    const priceOf = (id = "") => catalogue.list().find((card) => card.id === id)?.price?.output ?? 0;
    for (const [name = "", vendor = "", asked = 0] of [
      ["OpenAI#gpt-3.5-turbo", "OpenAI", 1.5],
      ["gpt-3.5-turbo-0125", "OpenAI", 1.5],
      ["xAI#grok-4", "xAI", 15],
      ["anthropic/claude-3-opus-20240229", "Anthropic", 75],
    ] as const) {
      const found = catalogue.resolve(name);
      const nearest = found.kind === "unknown" ? found.nearest : [];
      expect([name, nearest.length > 0]).toEqual([name, true]);
      for (const id of nearest) {
        expect(id).toStartWith(`${vendor}#`);
        expect(Math.abs(Math.log(priceOf(id) / asked))).toBeLessThanOrEqual(Math.log(4));
      }
    }
  });

  test("no suggestion is in a dearer tier than the model meant", () => {
    const rows = ["small-1", "small-2", "smell-1"].map((name, index) => {
      return { ...SOUND_ROW, id: `Mine#${name}`, price: { input: 1, output: index === 1 ? 90 : 10 } };
    });
    const providers = [{ name: "Mine", unlistedModels: false }];
    const found = catalogueOf({ providers, operatorModels: buildCards(rows) }).resolve("smal-1");
    expect(found).toEqual({ kind: "unknown", nearest: ["Mine#small-1", "Mine#smell-1"], off: null });
  });

  test("the nearest ids are served here: without a similar name, by the price of the model meant", () => {
    const rows = [
      ...(
        [
          ["dear", 90],
          ["like", 10],
          ["cheap", 1],
        ] as const
      ).map(([name, output]) => {
        return { ...SOUND_ROW, id: `Mine#${name}`, price: { input: 1, output } };
      }),
      { ...SOUND_ROW, id: "Mine#unpriced" },
      {
        ...SOUND_ROW,
        id: "Mine#vector",
        operations: ["embeddings" as const],
        price: { input: 1, output: 0 },
      },
    ];
    const providers = [{ name: "Mine", unlistedModels: false }];
    const mine = catalogueOf({ providers, operatorModels: buildCards(rows) });
    const nearest = ["Mine#like", "Mine#cheap"];
    for (const text of ["gpt5", "gpt-5", "OpenAI#gpt5", "OpenAI#gpt-5"])
      expect(mine.resolve(text)).toEqual({ kind: "unknown", nearest, off: "OpenAI" });
    expect(mine.resolve("text-embeding-3-small")).toEqual({
      kind: "unknown",
      nearest: ["Mine#vector"],
      off: "OpenAI",
    });
    expect(mine.resolve("chaep")).toMatchObject({ nearest: ["Mine#cheap"], off: null });
    expect(mine.resolve("nothing like it")).toMatchObject({ nearest: [], off: null });
  });

  test("only enabled providers are listed", () => {
    const one = catalogueOf({ providers: [{ name: "DeepSeek", unlistedModels: false }] });
    expect(one.list().map((card) => card.id)).toEqual([
      "DeepSeek#deepseek-flash",
      "DeepSeek#deepseek-v4-flash",
      "DeepSeek#deepseek-v4-pro",
    ]);
    expect(catalogueOf().list().length).toBe(loadShippedCards().length);
  });
});

describe("the operator's changes", () => {
  const cards = new Map(loadShippedCards().map((card) => [card.id, card]));
  const own = buildCards([{ ...SOUND_ROW, id: "OpenAI#gpt-5.4", owner: "us" }]);

  test("only affect the fields they name", () => {
    const price = { input: 1, output: 2 };
    const overlay = [
      { id: "OpenAI#gpt-5.4", disabled: false, price, fallbacks: ["OpenRouter#openai/gpt-5.4"] },
      { id: "OpenAI#gpt-5.5", disabled: true },
    ];
    const catalogue = catalogueOf({ overlay });
    const found = catalogue.resolve("openai#gpt-5.4");
    const shipped: Partial<ModelCard> = cards.get("OpenAI#gpt-5.4") ?? {};
    const expected: Partial<ModelCard> = {
      ...shipped,
      // A price without a search's leaves the search at its listed price.
      price: { ...price, perSearch: 0.01 },
      isPriceStated: true,
      fallbacks: ["OpenRouter#openai/gpt-5.4"],
    };
    expect(found.kind === "card" ? found.card : {}).toEqual(expected);
    expect(catalogue.resolve("OpenAI#gpt-5.5").kind).toBe("unknown");
    expect(catalogue.list().some((card) => card.id === "OpenAI#gpt-5.5")).toBe(false);
  });

  test("replace a model of the catalogue with the operator's own", () => {
    const catalogue = catalogueOf({ operatorModels: own });
    const found = catalogue.resolve("openai#gpt-5.4");
    expect(found.kind === "card" && found.card.ownedBy).toBe("us");
    expect(catalogue.list().length).toBe(loadShippedCards().length);
  });

  test("an impossible value is reported", () => {
    const problems = findOverlayProblems(cards, [
      { id: "OpenAI#none", disabled: true },
      { id: "OpenAI#gpt-5.4", disabled: false, price: { input: 250, output: 1500 }, contextTokensMax: 1000 },
      { id: "OpenAI#gpt-5.5", disabled: false, price: { input: 0, output: 0 }, fallbacks: ["A#b", "A#b"] },
    ]);
    expect(problems.map(({ id, path }) => [id, ...path].join(" "))).toEqual([
      "OpenAI#none",
      "OpenAI#gpt-5.4 price",
      "OpenAI#gpt-5.4 context",
      "OpenAI#gpt-5.5 fallbacks 0",
      "OpenAI#gpt-5.5 fallbacks 1",
    ]);
  });
});

test("a card as clients see it", () => {
  const tiers = [{ above_tokens: 5, input: 5, output: 20 }];
  const price = { input: 2.5, output: 15, cached_input: 0.25, per_search: 0.01, tiers };
  const [card] = buildCards([
    {
      ...SOUND_ROW,
      released: "2026-03-05",
      shutdown: "2027-01-14",
      kind: "preview",
      price,
      capabilities: ["tools", "vision"],
    },
  ]);
  expect(card && modelView(card)).toEqual({
    id: "A#m",
    object: "model",
    created: 1_772_668_800,
    owned_by: "A",
    name: "m",
    context_window: 10,
    context_length: 10,
    max_output_tokens: 5,
    pricing: price,
    capabilities: ["tools", "vision"],
    operations: ["chat"],
    release_date: "2026-03-05",
    shutdown_date: "2027-01-14",
    kind: "preview",
  });
});

test("invalid prices", () => {
  const price = (changes: Partial<PriceFields>) => findPriceProblem({ input: 1, output: 2, ...changes });
  expect(price({})).toBeNull();
  expect(price({ input: 0, output: 0 })).toBeNull();
  expect(price({ input: Number.NaN })).toContain("input");
  expect(price({ output: 10_001 })).toContain("output");
  expect(price({ per_request: 101 })).toContain("per_request");
  expect(price({ input: 0.0000001 })).toContain("6 decimals");
  expect(price({ cached_input: 1.5 })).toContain("higher than");
  const tier = { above_tokens: 10, input: 1, output: 2 };
  expect(price({ tiers: [tier, tier] })).toContain("two tiers");
  expect(price({ tiers: [{ ...tier, above_tokens: 0 }] })).toContain("above_tokens");
  const twice = buildPrice({ input: 1, output: 2, tiers: [{ ...tier, above_tokens: 20 }, tier] });
  expect(twice.tiers?.map((one) => one.aboveTokens)).toEqual([10, 20]);
});

test("the nearest words", () => {
  const words = ["store", "server", "router", "providers"];
  expect(findNearest("stor", words, 1)).toEqual(["store"]);
  expect(findNearest("ROUTR", words, 3)).toEqual(["router"]);
  expect(findNearest("x", words, 3)).toEqual([]);
  expect(findNearest("", words, 3)).toEqual([]);
  expect(findNearest("s".repeat(10_000), words, 3)).toEqual([]);
});
