// Models that end: set aside 30 days before, and gone from lists and choices after their last day, by the clock.
import { expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { explainEnd, listEndingNames } from "../../src/catalogue/ending-names.ts";
import { writeCatalogueContent } from "../../src/catalogue/file/write.ts";
import { modelView } from "../../src/catalogue/model-view.ts";
import { buildCards, loadShippedCards } from "../../src/catalogue/rows.ts";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { readSelection } from "../../src/http/door/selection.ts";
import { modelsView } from "../../src/http/models/admin-views.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { makeKey } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";
import { asking, CODE, makeInput } from "../selectors/sample-cards.ts";
import { checkRelease } from "./release.ts";

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

test("the operator's list says that it has ended, unless the configuration names it", () => {
  const find = (time: string, more = "") => {
    const settings = readSettings(`providers: { OpenAI: { keys: [k] } }\n${more}`);
    const { data } = modelsView(settings, Date.parse(time));
    const card = data.find(({ id }) => id === ENDING);
    return [card?.on, card?.off_because];
  };
  expect(find("2027-01-14T23:59:59Z")).toEqual([true, null]);
  expect(find("2027-01-15T00:00:00Z")).toEqual([false, "ended"]);
  expect(find("2027-01-15T00:00:00Z", `models: { "${ENDING}": { output: 1000 } }`)).toEqual([true, null]);
  const off = readSettings("providers: { xAI: { keys: [k] } }");
  const other = modelsView(off, Date.parse("2027-01-15T00:00:00Z")).data.find(({ id }) => id === ENDING);
  expect(other?.off_because).toBe("provider_off");
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

test("a group prefers a model that ends soon to one that has ended", () => {
  const soon = "OpenAI#gpt-5-mini";
  const aliases = `aliases: { old: [{ model: "${ENDED}" }, { model: "${soon}" }] }`;
  expect(catalogueAt("2026-11-26T00:00:00Z", aliases).resolve("old")).toMatchObject({
    members: [{ card: { id: soon } }],
  });
});

test("a fallback that has ended is left out", () => {
  const models = `models: { "${ENDING}": { fallbacks: ["${ENDED}", "${OTHER}"] } }`;
  const key = makeKey("key");
  const found = readSelection(ENDING, key, catalogueAt("2026-11-26T00:00:00Z", models));
  expect(found.kind === "card" && found.fallbacks.map(({ id }) => id)).toEqual([OTHER]);
});

/** A year from the release on: every day on which a shipped model begins to end, or has ended. */
test("on every day of the next year no selector and no group chooses a model past its end, and each has one left", () => {
  const cards = loadShippedCards();
  const providers = [...new Set(cards.map(({ provider }) => provider))].map((name) => ({
    name,
    unlistedModels: false,
  }));
  const chats = cards.filter(({ operations }) => operations?.has("chat"));
  const members = Map.groupBy(chats, ({ provider }) => provider);
  const aliases = Object.fromEntries(
    [...members].map(([name, list]) => [`all-${name}`, list.map(({ id }) => ({ model: id, weight: 1 }))]),
  );
  const wrong: string[] = [];
  for (const day of listChangingDays(cards)) {
    const catalogue = buildCatalogue({ providers, overlay: [], operatorModels: [], aliases, nowMs: day });
    const at = new Date(day).toISOString();
    for (const name of Object.keys(aliases)) {
      const found = catalogue.resolve(name);
      const left = found.kind === "group" ? found.members.map(({ card }) => card.ending) : [];
      const all = members.get(name.slice("all-".length)) ?? [];
      const hasOther = all.some(({ shutdownDate }) => !isPast(shutdownDate, day));
      if (left.length === 0 || (hasOther && left.includes("over"))) wrong.push(`${at} ${name}`);
    }
    for (const rule of Object.values(SELECTOR_RULES)) {
      const { candidates } = choose(rule, makeInput(asking(CODE), { cards: catalogue.list() }));
      const able = candidates.filter(({ removedBy }) => removedBy === null);
      if (able.length === 0 || able.some(({ card }) => isPast(card.shutdownDate, day)))
        wrong.push(`${at} ${rule.name}`);
    }
  }
  expect(wrong).toEqual([]);
});

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.parse("2026-11-26T00:00:00Z");

function isPast(shutdown: string | undefined, nowMs: number): boolean {
  return shutdown !== undefined && Date.parse(shutdown) + DAY_MS <= nowMs;
}

function listChangingDays(cards: ReturnType<typeof loadShippedCards>): readonly number[] {
  const days = cards.flatMap(({ shutdownDate }) => {
    const lastMs = Date.parse(shutdownDate ?? "");
    return [lastMs - 30 * DAY_MS, lastMs + DAY_MS];
  });
  const ahead = days.filter((day) => day >= BEGIN_MS && day <= BEGIN_MS + 365 * DAY_MS);
  return [...new Set([BEGIN_MS, ...ahead])];
}

test("the configuration's names that lead to a model which ends within 30 days are named", () => {
  const more = `aliases: { fast: "${ENDING}", mine: [{ model: "${ENDED}" }, { model: "${OTHER}" }], best: { selector: best } }
models: { "${OTHER}": { fallbacks: ["${ENDING}"] } }`;
  const list = (time: string) => {
    const settings = readSettings(`providers: { OpenAI: { keys: [k] } }\n${more}`);
    return listEndingNames(settings, Date.parse(time)).map((one) => `${one.field}: ${explainEnd(one)}`);
  };
  const over = `aliases.mine: ${ENDED} has ended: its last day was 2026-07-23; name another model, such as OpenAI#gpt-6.1-sol`;
  expect(list("2026-12-14T00:00:00Z")).toEqual([over]);
  const soon = `${ENDING} ends: its last day is 2027-01-14; before then, name another model, such as OpenAI#gpt-6.1-sol`;
  expect(list("2026-12-15T00:00:00Z")).toEqual([
    `aliases.fast: ${soon}`,
    over,
    `models["${OTHER}"].fallbacks: ${soon}`,
  ]);
});

test("so are the models that the configuration allows people", () => {
  const yaml = `providers: { OpenAI: { keys: [k] } }
server: { public_url: "https://gateway.example" }
aliases: { fast: "${OTHER}" }
member_defaults: { allowed_models: ["OpenAI#*", fast, "${ENDING}"] }
sign_in: { oidc: { issuer: "https://login.example.com", client_id: a, client_secret: b, rules: [
  { group: a, role: viewer }, { group: b, role: member, accounts: [x], allowed_models: ["${OTHER}", "${ENDING}"] } ] } }`;
  const fields = (time: string) =>
    listEndingNames(readSettings(yaml), Date.parse(time)).map(({ field }) => field);
  expect(fields("2026-12-14T00:00:00Z")).toEqual([]);
  expect(fields("2026-12-15T00:00:00Z")).toEqual([
    "member_defaults.allowed_models",
    "sign_in.oidc.rules[1].allowed_models",
  ]);
});

test("a running gateway learns of both days", () => {
  const changes = (time: string) => new Date(catalogueAt(time).changesAtMs).toISOString();
  expect(changes("2026-12-14T12:00:00Z")).toBe("2026-12-15T00:00:00.000Z");
  expect(changes("2027-01-14T12:00:00Z")).toBe("2027-01-15T00:00:00.000Z");
});

test("a successor is a model of the same provider for the same operation that lasts longer", () => {
  const cards = new Map(loadShippedCards().map((card) => [card.id, card]));
  for (const { id, provider, shutdownDate, successor, operations } of cards.values()) {
    if (successor === undefined) continue;
    const next = cards.get(successor);
    expect([id, next?.provider, next?.operations]).toEqual([id, provider, operations]);
    expect([id, (next?.shutdownDate ?? "9999-12-31") > (shutdownDate ?? "")]).toEqual([id, true]);
  }
});

test("every model that has ended has a successor", () => {
  const nowMs = Date.parse("2026-11-26T00:00:00Z");
  const ended = loadShippedCards().filter(({ shutdownDate }) => isPast(shutdownDate, nowMs));
  expect(ended.length).toBeGreaterThan(30);
  expect(ended.flatMap(({ id, successor }) => (successor === undefined ? [id] : []))).toEqual([]);
});

test("a release fails on a row that ended more than 30 days ago and leads nowhere", () => {
  const nowMs = Date.parse("2026-11-26T12:00:00Z");
  const [card] = loadShippedCards();
  if (card === undefined) throw new Error("There are no cards.");
  const ended = (id: string, shutdownDate: string) => ({ ...card, id, shutdownDate, successor: undefined });
  const cards = [
    ended("A#long-ago", "2026-10-25"),
    ended("A#of-late", "2026-10-27"),
    { ...ended("A#followed", "2026-01-01"), successor: "A#b" },
  ];
  expect(checkRelease(nowMs, cards).stale).toEqual(["A#long-ago ended on 2026-10-25"]);
});

test("a successor is listed, and an update of the catalogue keeps it", () => {
  const card = catalogueAt("2026-11-26T00:00:00Z")
    .listWithEnded()
    .find(({ id }) => id === ENDED);
  if (card === undefined) throw new Error("The model is not there.");
  expect(modelView(card)).toMatchObject({ shutdown_date: "2026-07-23", successor: "OpenAI#gpt-6.1-sol" });
  const { models } = asObject(parseJson(writeCatalogueContent({ rows: [{ kind: "own", card }] })));
  expect(buildCards(models)[0]?.successor).toBe("OpenAI#gpt-6.1-sol");
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
