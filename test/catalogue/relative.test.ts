// Names that no card has, and the relatives by whose price they are held and charged.
import { describe, expect, test } from "bun:test";
import { findRelative } from "../../src/catalogue/relative.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { OLD_MODELS } from "./old-models.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 28);
const TIMES = 2;

const familyNames = new Map(PROVIDERS.map(({ name, familyNames: names }) => [name, names]));

/** The cards of a provider that answer on that day. */
function listCards(provider: string, nowMs = NOW): readonly ModelCard[] {
  return loadShippedCards().filter(
    (card) =>
      card.provider === provider &&
      (card.shutdownDate === undefined || Date.parse(card.shutdownDate) + DAY_MS > nowMs),
  );
}

function findName(id: string): string | null {
  const at = id.indexOf("#");
  return findRelative(id.slice(at + 1), listCards(id.slice(0, at)))?.name ?? null;
}

describe("a name that no card has", () => {
  test.each([
    ["the model itself, by its name without a date", "OpenAI#gpt-6.2-sol-2026-11-17", "gpt-6.2-sol"],
    ["and with its date written otherwise", "Anthropic#claude-opus-5-20260801", "claude-opus-5"],
    ["the newest of the same words", "OpenAI#gpt-7-sol", "gpt-6.2-sol"],
    ["whatever stands between them", "Anthropic#claude-6-opus", "claude-opus-5-5"],
    ["and with the same numbers", "Google#gemini-3.8-Flash", "gemini-3.8-flash"],
    ["the most expensive of the newest generation", "Google#gemini-5-argon-max", "gemini-4-neon"],
    ["on a cloud, by the maker's names", "Vertex#claude-fable-6@default", "claude-fable-5-2@default"],
  ])("is like %s", (_, id, relative) => expect(findName(id)).toBe(relative));

  test.each([
    ["older than those of the same words", "OpenAI#gpt-5.0"],
    ["older than its generation", "OpenAI#gpt-5-neo"],
    ["without a number", "OpenAI#gpt-neo"],
    ["with another first word", "OpenAI#whisper-9"],
    ["for sound", "OpenAI#gpt-7-audio"],
    ["for sound as it is spoken", "OpenAI#gpt-realtime-7"],
    ["for pictures", "Google#gemini-5-image"],
    ["for searches", "OpenAI#gpt-7-search-api"],
    ["tuned by its owner", "OpenAI#ft:gpt-6.2-sol:acme::x"],
    ["tuned, as others write it", "OpenAI#gpt-7-sol:ft:acme"],
    ["longer than any name", `OpenAI#gpt-7-sol-${"9".repeat(128)}`],
  ])("has no relative if it is %s", (_, id) => expect(findName(id)).toBeNull());

  test("isn't like a model that has ended, or has no price", () => {
    const sol = loadShippedCards().find(({ id }) => id === "OpenAI#gpt-6.2-sol");
    if (sol === undefined) throw new Error("the row is gone");
    expect(findRelative("gpt-7-sol", [sol])).toBe(sol);
    expect(findRelative("gpt-7-sol", [{ ...sol, ending: "over" }])).toBeNull();
    expect(findRelative("gpt-7-sol", [{ ...sol, price: null }])).toBeNull();
  });
});

/** Returns the prices that the models of 2026 would have had on their first days. */
function foresee() {
  const known = loadShippedCards().filter((card) => card.price !== null && card.operations?.has("chat"));
  const released = known.filter(
    ({ provider, name, created }) =>
      created * 1000 >= Date.UTC(2026, 0, 1) && familyNames.get(provider)?.test(name),
  );
  return released.flatMap((card) => {
    const older = listCards(card.provider, card.created * 1000).filter(
      ({ created }) => created > 0 && created < card.created,
    );
    const relative = findRelative(card.name, older);
    return relative === null ? [] : [{ card, relative }];
  });
}

/** True if the price that a new name gets covers both true rates. */
function covers({ card, relative }: { readonly card: ModelCard; readonly relative: ModelCard }): boolean {
  const { input = 0, output = 0 } = relative.price ?? {};
  return (
    input * TIMES >= (card.price?.input ?? Number.NaN) && output * TIMES >= (card.price?.output ?? Number.NaN)
  );
}

test("twice its relative covers five sixths of this year's models", () => {
  const found = foresee();
  const covered = found.filter(covers);
  expect(found.length).toBeGreaterThanOrEqual(60);
  expect(covered.length / found.length).toBeGreaterThanOrEqual(5 / 6);
});

test("no older model that vendors served costs less than half its price by a relative", () => {
  expect(OLD_MODELS.length).toBeGreaterThanOrEqual(40);
  const ids = new Set(loadShippedCards().map(({ id }) => id));
  const cheap = OLD_MODELS.filter(([id, input, output]) => {
    expect(ids.has(id)).toBe(false);
    const [provider = "", name = ""] = id.split("#");
    const price = findRelative(name, listCards(provider))?.price;
    return price && (price.input * TIMES < input / 2 || price.output * TIMES < output / 2);
  });
  expect(cheap).toEqual([]);
});

test("names come in families at the makers of models, never at clouds and marketplaces", () => {
  const makers = [...familyNames].flatMap(([name, names]) => (names ? [name] : []));
  expect(makers.toSorted()).toEqual(
    [
      "Anthropic",
      "Cohere",
      "DeepSeek",
      "Google",
      "Mistral",
      "Moonshot",
      "OpenAI",
      "Vertex",
      "ZAI",
      "xAI",
    ].toSorted(),
  );
  const onVertex = (name: string) => familyNames.get("Vertex")?.test(name);
  expect(["gemini-5-flash", "claude-opus-6@default"].map(onVertex)).toEqual([true, true]);
  expect(["openai/gpt-oss-240b-maas", "meta/llama-9-maas"].map(onVertex)).toEqual([false, false]);
});
