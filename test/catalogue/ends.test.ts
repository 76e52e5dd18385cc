// Models that end: set aside 30 days before, and gone from lists and choices after their last day, by the clock.
import { expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { readSettings } from "../harness/settings.ts";
import { asking, CODE, makeInput } from "../selectors/sample-cards.ts";

/** Ends on 14 January 2027. */
const ENDING = "OpenAI#gpt-4o";
/** Ended on 23 July 2026. */
const ENDED = "OpenAI#gpt-5.2-codex";
const OTHER = "OpenAI#gpt-5.4";

function catalogueAt(time: string, more = "") {
  return buildCatalogue({
    ...readSettings(`providers: { OpenAI: { keys: [k] } }\n${more}`),
    nowMs: Date.parse(time),
  });
}

function readChoice(time: string, more = "") {
  const cards = catalogueAt(time, more).list();
  const { candidates } = choose(SELECTOR_RULES.best, makeInput(asking(CODE), { cards }));
  return new Map(candidates.map(({ card, removedBy }) => [card.id, removedBy]));
}

test("a model is a candidate like others until 30 days before its end, and deprecated then", () => {
  expect(readChoice("2026-12-14T00:00:00Z").get(ENDING)).toBeNull();
  expect(readChoice("2026-12-15T00:00:00Z").get(ENDING)).toBe("deprecated");
  expect(readChoice("2027-01-14T23:59:59Z").get(ENDING)).toBe("deprecated");
});

test("after its last day it is in no list, but still answers to its name", () => {
  const catalogue = catalogueAt("2027-01-15T00:00:00Z");
  expect(catalogue.list().some(({ id }) => id === ENDING)).toBe(false);
  expect(catalogue.listWithEnded().some(({ id }) => id === ENDING)).toBe(true);
  expect(catalogue.resolve(ENDING)).toMatchObject({ kind: "card", card: { id: ENDING } });
});

test("no selector chooses one that the configuration names, either, unless it says that there is no end", () => {
  const now = "2026-11-26T00:00:00Z";
  expect(readChoice(now).has(ENDED)).toBe(false);
  expect(readChoice(now, `models: { "${ENDED}": { output: 1000 } }`).get(ENDED)).toBe("ended");
  expect(readChoice(now, `models: { "${ENDED}": { shutdown: null } }`).get(ENDED)).toBeNull();
  expect(readChoice(now, `models: { "${OTHER}": { shutdown: 2026-11-25 } }`).get(OTHER)).toBe("ended");
});

test("a group goes on without the models that end, as long as it has others", () => {
  const aliases = `aliases: { mine: [{ model: "${ENDING}" }, { model: "${OTHER}" }], alone: [{ model: "${ENDING}" }] }`;
  const list = (time: string, name: string) => {
    const found = catalogueAt(time, aliases).resolve(name);
    return found.kind === "group" ? found.members.map(({ card }) => card.id) : found.kind;
  };
  expect(list("2026-12-14T00:00:00Z", "mine").length).toBe(2);
  expect(list("2026-12-15T00:00:00Z", "mine")).toEqual([OTHER]);
  expect(list("2027-02-01T00:00:00Z", "alone")).toEqual([ENDING]);
});

test("a running gateway learns of both days", () => {
  const changes = (time: string) => new Date(catalogueAt(time).changesAtMs).toISOString();
  expect(changes("2026-12-14T12:00:00Z")).toBe("2026-12-15T00:00:00.000Z");
  expect(changes("2027-01-14T12:00:00Z")).toBe("2027-01-15T00:00:00.000Z");
});

test("the catalogue knows what has ended", () => {
  const ends = new Map(loadShippedCards().map(({ id, shutdownDate }) => [id, shutdownDate]));
  for (const name of [
    "gpt-5-codex",
    "gpt-5.1-codex",
    "gpt-5.1-codex-max",
    "gpt-5.1-codex-mini",
    "gpt-5.2-codex",
  ])
    expect([name, ends.get(`OpenAI#${name}`)]).toEqual([name, "2026-07-23"]);
  expect(ends.get("OpenAI#gpt-image-1")).toBe("2026-10-23");
  expect(ends.get("Anthropic#claude-opus-4-5")).toBe("2027-01-22");
});
