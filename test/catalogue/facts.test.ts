// The shipped model facts: enough, sound, and only on models that still answer.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { isUnitMistake } from "../../src/catalogue/price.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { Price } from "../../src/core/models/card.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { findProfile } from "../../src/selectors/profiles.ts";
import { buildRows } from "./build.ts";
import { BUILT_FOR, LEFT_OUT } from "./corrections.ts";

/** An operator's own servers are asked for their models. */
const SHIPPED = PROVIDERS.filter(({ discovers }) => !discovers).map(({ name }) => name);

describe("the shipped facts", () => {
  const cards = loadShippedCards();

  test("include at least 200 models and every known provider, each under its own prefix", () => {
    expect(cards.length).toBeGreaterThanOrEqual(200);
    expect([...new Set(cards.map((card) => card.provider))].toSorted()).toEqual(SHIPPED.toSorted());
  });

  test("have models on clouds match the same model elsewhere, in a dialect of the cloud", () => {
    const ids = new Map(cards.map((card) => [card.id, card]));
    const clouds = cards.filter(({ provider }) => provider === "Azure" || provider === "Vertex");
    expect(clouds.length).toBeGreaterThan(40);
    for (const card of clouds) {
      const { id, like = "", dialects = [], capabilities } = card;
      expect([id, dialects.length]).toEqual([id, 1]);
      const others = (all: Iterable<string>) => [...all].filter((one) => one !== "search");
      expect([id, others(ids.get(like)?.capabilities ?? [])]).toEqual([id, others(capabilities)]);
    }
  });

  test("let selectors rate a model on a cloud by what is known about it elsewhere", () => {
    const ids = new Map(cards.map((card) => [card.id, card]));
    const twins = cards.flatMap((card) => {
      const maker = ids.get(card.like ?? "");
      return maker && findProfile(maker).source !== "guess" ? [{ card, maker }] : [];
    });
    expect(twins.length).toBeGreaterThan(10);
    for (const { card, maker } of twins) expect(findProfile(card)).toEqual(findProfile(maker));
  });

  test("have plausible limits", () => {
    const odd = cards.filter((card) => {
      const { contextTokensMax: context, outputTokensMax: output } = card;
      return (
        (context !== null &&
          (context < (card.operations?.has("chat") ? 4096 : 512) || context > 20_000_000)) ||
        (output !== null && output < 512)
      );
    });
    expect(odd.map((card) => card.id)).toEqual([]);
  });

  test("have plausible prices: none free or in another unit by mistake", () => {
    const chat = cards.filter(({ operations }) => operations?.has("chat"));
    const priced = chat.flatMap((card) => (card.price ? [{ id: card.id, ...card.price }] : []));
    expect(priced.length).toBeGreaterThan(chat.length * 0.8);
    const free = priced.filter((price) => price.input === 0 || price.output === 0);
    expect(free.filter(({ id }) => !/:free$|^ZAI#glm-4\.[57]-flash$/.test(id))).toEqual([]);
    const odd = priced.filter(
      ({ input, output }) =>
        input > 0 && (input < 0.01 || input > 200 || output < input || output > input * 12),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test("have no longer prompt that is cheaper, and no tier that can't be reached", () => {
    const tiered = cards.flatMap((card) =>
      (card.price?.tiers ?? []).map((tier) => ({ id: card.id, tier, price: card.price, card })),
    );
    expect(tiered.length).toBeGreaterThan(20);
    const odd = tiered.filter(({ tier, price, card }) => {
      const dearer = (field: "input" | "output" | "cachedInput" | "cacheWrite") =>
        (tier[field] ?? Number.POSITIVE_INFINITY) >= (price?.[field] ?? 0);
      const reached = card.contextTokensMax === null || tier.aboveTokens < card.contextTokensMax;
      return !(
        dearer("input") &&
        dearer("output") &&
        dearer("cachedInput") &&
        dearer("cacheWrite") &&
        reached
      );
    });
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test("have similar prices for the same model everywhere", () => {
    const byName = new Map<string, { readonly id: string; readonly price: Price }[]>();
    for (const { id, name, price } of cards) {
      const key = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
      if (price !== null && price.input > 0) byName.set(key, [...(byName.get(key) ?? []), { id, price }]);
    }
    const slips = [...byName.values()].flatMap((same) =>
      same.filter(({ price }) => same.some((other) => isUnitMistake(price, other.price))),
    );
    expect(slips.map(({ id }) => id)).toEqual([]);
  });

  test("contain no retired models", () => {
    const chat = cards.filter(({ operations }) => operations?.has("chat"));
    const gone = chat.filter((card) => LEFT_OUT[card.provider]?.some((rule) => rule.names.test(card.name)));
    expect(gone.map((card) => card.id)).toEqual([]);
    const nowMs = Date.parse(BUILT_FOR);
    const providers = SHIPPED.map((name) => ({ name, unlistedModels: false }));
    const listed = buildCatalogue({ providers, overlay: [], operatorModels: [], aliases: {}, nowMs }).list();
    expect(listed.filter((card) => (card.shutdownDate ?? "9") < BUILT_FOR)).toEqual([]);
    for (const id of ["OpenAI#o1", "OpenAI#gpt-4", "DeepSeek#deepseek-chat", "Anthropic#claude-opus-4-1"]) {
      expect(cards.find((card) => card.id === id)).toBeUndefined();
    }
  });

  const lists = process.env.CATALOGUE_LISTS;
  if (lists !== undefined) {
    test("equal the public lists with our corrections applied", () => {
      const file = readFileSync(
        join(import.meta.dir, "..", "..", "src", "catalogue", "models.data.json"),
        "utf8",
      );
      expect(buildRows(lists).text).toBe(file);
    });
  }
});
