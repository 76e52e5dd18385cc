// The cards of names that no card has, where `unlisted_models` gives them the price of their family.
import { describe, expect, test } from "bun:test";
import { buildCatalogue, type CatalogueInput } from "../../src/catalogue/catalogue.ts";
import { buildPrice } from "../../src/catalogue/price.ts";
import { countAs, type ModelCard, readRelative } from "../../src/core/models/card.ts";
import { loadText, readSettings } from "../harness/settings.ts";

const NOW = Date.UTC(2026, 10, 28);
const FAMILY = { times: 2, names: /./ };

function build(changes: Partial<CatalogueInput> = {}) {
  const providers = [{ name: "OpenAI", unlistedModels: true, familyPrice: FAMILY }];
  return buildCatalogue({ providers, overlay: [], operatorModels: [], aliases: {}, nowMs: NOW, ...changes });
}

function findCard(catalogue: ReturnType<typeof build>, id: string): ModelCard {
  const found = catalogue.resolve(id);
  if (found.kind !== "card") throw new Error(`${id} is ${found.kind}`);
  return found.card;
}

describe("a new name's card", () => {
  test("is its relative's under another name, at a multiple of its price", () => {
    const sol = findCard(build(), "OpenAI#gpt-6.2-sol");
    const card = findCard(build(), "openai/gpt-7-sol");
    expect(card).toMatchObject({
      id: "OpenAI#gpt-7-sol",
      name: "gpt-7-sol",
      pricedLike: "OpenAI#gpt-6.2-sol",
      contextTokensMax: sol.contextTokensMax,
      outputTokensMax: sol.outputTokensMax,
      capabilities: sol.capabilities,
      operations: sol.operations,
      listed: true,
      fallbacks: [],
    });
    const { input = 0, output = 0, cachedInput = 0, tiers = [], service } = sol.price ?? {};
    expect(card.price).toMatchObject({ input: 2 * input, output: 2 * output, cachedInput: 2 * cachedInput });
    expect(card.price?.tiers?.[0]).toMatchObject({ output: 2 * (tiers[0]?.output ?? 0) });
    const priority = service?.get("priority")?.output ?? Number.NaN;
    expect(card.price?.service?.get("priority")?.output).toBe(2 * priority);
  });

  test("has the operator's price, words and factors for the relative", () => {
    const refuses = new Set(["temperature"] as const);
    const overlay = [
      { id: "OpenAI#gpt-6.2-sol", disabled: false, price: buildPrice({ input: 1, output: 3 }), refuses },
    ];
    const [open] = [{ name: "OpenAI", unlistedModels: true, familyPrice: { times: 1.5, names: /./ } }];
    const card = findCard(build({ overlay, providers: [{ ...open, priceFactor: 0.5 }] }), "OpenAI#gpt-7-sol");
    expect([card.price?.input, card.price?.output, card.refuses]).toEqual([0.75, 2.25, refuses]);
    expect(card.unfactored?.card.price?.input).toBe(1.5);
  });

  test("has the announced prices of its relative", () => {
    const later = { fromMs: NOW + 1000, price: buildPrice({ input: 7, output: 8 }) };
    const overlay = [{ id: "OpenAI#gpt-6.2-sol", disabled: false, laterPrices: [later] }];
    const [announced] = findCard(build({ overlay }), "OpenAI#gpt-7-sol").laterPrices ?? [];
    expect(announced).toMatchObject({ fromMs: NOW + 1000, price: { input: 14, output: 16 } });
    const then = findCard(build({ overlay, nowMs: NOW + 2000 }), "OpenAI#gpt-7-sol");
    expect(then.price).toMatchObject({ input: 14, output: 16 });
  });

  test("is counted with its relative's name, whatever clients call it", () => {
    const card = findCard(build(), "OpenAI#gpt-7-sol");
    expect(countAs(card)).toBe("OpenAI#(unlisted, like gpt-6.2-sol)");
    expect(readRelative(countAs(card))).toBe("OpenAI#gpt-6.2-sol");
    expect(readRelative("OpenAI#(unlisted)")).toBeNull();
  });
});

test("only the provider's names of families have the price of one", () => {
  const names = /^gpt-/;
  const providers = [{ name: "OpenAI", unlistedModels: true, familyPrice: { times: 2, names } }];
  const likes = ["OpenAI#gpt-7-sol", "OpenAI#o4"].map((id) => [
    findCard(build(), id).pricedLike,
    findCard(build({ providers }), id).pricedLike,
  ]);
  expect(likes).toEqual([
    ["OpenAI#gpt-6.2-sol", "OpenAI#gpt-6.2-sol"],
    ["OpenAI#o3", undefined],
  ]);
});

test("a name without a relative has no price, as without families", () => {
  const card = findCard(build(), "OpenAI#gpt-4");
  expect([card.price, card.pricedLike, card.listed, countAs(card)]).toEqual([
    null,
    undefined,
    false,
    "OpenAI#(unlisted)",
  ]);
});

test("a model that the operator switched off, or that a credential can't ask, gets no price of its family", () => {
  const overlay = [{ id: "OpenAI#gpt-7-sol", disabled: true }];
  expect(build({ overlay }).resolve("OpenAI#gpt-7-sol").kind).toBe("unknown");
  const providers = [
    { name: "OpenAI", unlistedModels: true, familyPrice: FAMILY, dialects: ["mistral" as const] },
  ];
  const operatorModels = [{ ...findCard(build(), "OpenAI#gpt-6.2-sol"), dialects: ["openai" as const] }];
  const card = findCard(build({ providers, operatorModels }), "OpenAI#gpt-6.2-sol");
  expect(card.pricedLike).toBeUndefined();
});

test("no group chooses it, and no list has it", () => {
  const members = [
    { model: "OpenAI#gpt-7-sol", weight: 9 },
    { model: "OpenAI#gpt-5.4", weight: 1 },
  ];
  const catalogue = build({ aliases: { team: members, next: "OpenAI#gpt-7-sol" } });
  const group = catalogue.resolve("team");
  expect(group.kind === "group" && group.members.map(({ card }) => card.id)).toEqual(["OpenAI#gpt-5.4"]);
  expect(findCard(catalogue, "next").pricedLike).toBe("OpenAI#gpt-6.2-sol");
  expect(catalogue.listWithEnded().some(({ pricedLike }) => pricedLike !== undefined)).toBe(false);
});

test("10,000 invented names are remembered within a bound", () => {
  const catalogue = build();
  const first = findCard(catalogue, "OpenAI#gpt-7-sol");
  expect(findCard(catalogue, "OpenAI#gpt-7-sol")).toBe(first);
  for (let at = 0; at < 10_000; at++) findCard(catalogue, `OpenAI#gpt-7.${at}-sol`);
  expect(findCard(catalogue, "OpenAI#gpt-7-sol")).not.toBe(first);
  const last = findCard(catalogue, "OpenAI#gpt-7.9999-sol");
  expect(findCard(catalogue, "OpenAI#gpt-7.9999-sol")).toBe(last);
});

describe("the configuration of unlisted_models", () => {
  const load = (fields: string, provider = "OpenAI: { keys: [k]", more = "") =>
    loadText(`providers: { ${provider}, unlisted_models: ${fields} } }\n${more}`);
  const messageOf = (...given: Parameters<typeof load>) => {
    const loaded = load(...given);
    return loaded.ok ? "" : loaded.errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  };
  const OWN = 'Edge: { base_url: "http://127.0.0.1:1/v1"';

  test("takes a price of the family, at twice the relative's unless it says otherwise", () => {
    const timesOf = (fields: string) =>
      readSettings(`providers: { OpenAI: { keys: [k], unlisted_models: ${fields} } }`).providers[0]
        ?.familyPrice?.times;
    expect([timesOf("{ price: family }"), timesOf("{ price: family, times: 1.125 }")]).toEqual([2, 1.125]);
    expect([timesOf("true"), timesOf("false")]).toEqual([undefined, undefined]);
  });

  test.each([
    ["{ times: 3 }", "times: needs price: family"],
    ["{ price: family, hold_usd: 0.5 }", "hold_usd: has no effect beside price: family"],
    ["{ price: family, times: 0.5 }", "a number from 1 to 10 with at most 3 decimals"],
    ["{ price: family, times: 1.0001 }", "a number from 1 to 10 with at most 3 decimals"],
    ["{ price: list }", "family"],
    ["{}", "has no effect: it is empty"],
  ])("refuses %s", (fields, message) => expect(messageOf(fields)).toContain(message));

  test.each([
    ["an own row", OWN],
    ["a marketplace", "OpenRouter: { keys: [k]"],
    ["a cloud", 'Azure: { keys: [k], base_url: "https://x.openai.azure.com"'],
  ])("refuses the price of a family at %s", (_, provider) =>
    expect(messageOf("{ price: family }", provider)).toContain("don't come in families at this provider"),
  );

  test("keeps such names out of groups and fallbacks", () => {
    const group = 'aliases: { team: [{ model: "OpenAI#gpt-7-sol" }, { model: "OpenAI#gpt-5.4" }] }';
    expect(messageOf("{ price: family }", undefined, group)).toContain("only clients choose a model");
    const fallback = 'models: { "OpenAI#gpt-5.4": { fallbacks: ["OpenAI#gpt-7-sol"] } }';
    expect(messageOf("{ price: family }", undefined, fallback)).toContain("no model has this id");
    const old = fallback.replace("gpt-7-sol", "gpt-4");
    expect([messageOf("{ price: family }", undefined, old), messageOf("true", undefined, fallback)]).toEqual([
      "",
      "",
    ]);
  });

  test("says where a new model is added", () => {
    const loaded = loadText('providers: { OpenAI: { keys: [k] } }\nmodels: { "OpenAI#new": { output: 9 } }');
    expect(loaded.ok ? "" : loaded.errors[0]?.message).toContain(
      "to add a model, name it under providers.OpenAI.models (like, price)",
    );
  });
});
