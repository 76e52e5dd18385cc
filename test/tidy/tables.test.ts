// The tables as a test: every provider, selector, operation, fault and metric is registered once, used, and in the manual.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { FAULTS } from "../../src/core/faults/fault.ts";
import { SURFACE_NAMES } from "../../src/core/log/record.ts";
import { OPERATIONS, TOOL_OPERATION } from "../../src/core/models/card.ts";
import { DIALECTS } from "../../src/core/models/dialect-names.ts";
import { SELECTORS } from "../../src/core/models/selector.ts";
import { PLATFORMS } from "../../src/core/settings.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { SURFACES } from "../../src/surfaces/index.ts";
import { METRICS } from "../../src/telemetry/metric-table.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { writeRecipe } from "./recipes.ts";
import { expectNone, ROOT, readSources } from "./sources.ts";

const sources = readSources("src");
const manual = readdirSync(join(ROOT, "src/docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => readFileSync(join(ROOT, "src/docs", file), "utf8"))
  .join("\n");

const readme = readFileSync(join(ROOT, "README.md"), "utf8");

const missing = (words: readonly string[]) => words.filter((word) => !manual.includes(word));
/** Says of each word that the manual lacks that it does. */
const explainMissing = (words: readonly string[]) =>
  missing(words).map((word) => `the manual doesn't have ${word}`);

test("every registered provider has cards, and is in the manual with its variables", () => {
  const cards = loadShippedCards();
  const uncarded = PROVIDERS.filter(({ name, discovers }) => {
    return !discovers && !cards.some(({ provider }) => provider === name);
  });
  expect(
    [
      ...explainMissing(PROVIDERS.map(({ name }) => `| ${name} |`)),
      ...explainMissing(
        PROVIDERS.flatMap(({ keyVariables }) => keyVariables.map((variable) => `\`${variable}\``)),
      ),
      ...uncarded.map(({ name }) => `${name} has no cards`),
      ...(readme.includes(`${PROVIDERS.length} providers`)
        ? []
        : [`README.md doesn't say that there are ${PROVIDERS.length} providers`]),
    ],
    writeRecipe("A provider that speaks the OpenAI dialect"),
  ).toEqual([]);
  expect(new Set(PROVIDERS.map(({ name }) => name)).size).toBe(PROVIDERS.length);
});

test("every cloud has its provider, its file in the configuration, its models and its page", () => {
  const cards = loadShippedCards();
  const lacking = PLATFORMS.flatMap((platform) => {
    const names = PROVIDERS.filter((row) => row.platform === platform).map(({ name }) => name);
    const places = [`src/config/providers/${platform}.ts`, `src/docs/${platform}.md`];
    return [
      ...(names.length > 0 ? [] : [`no provider is on ${platform}`]),
      ...places.filter((path) => !existsSync(join(ROOT, path))),
      ...(cards.some(({ provider }) => names.includes(provider)) ? [] : [`${platform} has no models`]),
    ];
  });
  expect(lacking, writeRecipe("A cloud")).toEqual([]);
});

test("every dialect, fault and route is in the manual", () => {
  const faults = Object.entries(FAULTS).map(([code, { status, type, blame }]) => {
    return { code, terms: `${status} · \`${type}\` · ${blame}` };
  });
  expectNone([
    ...explainMissing([...DIALECTS]),
    ...faults
      .filter(
        ({ code, terms }) =>
          !manual.includes(`### ${code}\n\n${terms}`) && !manual.includes(`\n| \`${code}\` | ${terms} `),
      )
      .map(({ code, terms }) => `src/docs/errors*.md has no row or section of ${code} with ${terms}`),
    ...explainMissing(REGISTERED.map(({ path }) => `\`${path}\``)),
  ]);
});

test("every selector is registered once under its own name, and is in the manual", () => {
  expect(Object.keys(SELECTOR_RULES)).toEqual([...SELECTORS]);
  expectNone(
    Object.entries(SELECTOR_RULES).flatMap(([row, { name }]) => (row === name ? [] : `${name} is ${row}`)),
  );
  const files = sources.filter(({ text }) => text.includes(": SelectorRule = {")).map(({ path }) => path);
  const rules = Object.keys(SELECTOR_RULES).map((name) => `src/selectors/${name}.ts`);
  expect(files.toSorted()).toEqual(rules.toSorted());
  expectNone(SELECTORS.filter((name) => !manual.includes(`Router#${name}`)));
});

test("every operation has a folder, a codec, a surface and a page", () => {
  const folders = readdirSync(join(ROOT, "src/operations"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    // Tool servers have an address of their own instead of surfaces.
    .filter((name) => name !== TOOL_OPERATION);
  const served = new Set(SURFACES.map(({ surface }) => surface.use(({ operation }) => operation.name)));
  const codecs = sources.find(({ path }) => path === "src/operations/codec.ts")?.text ?? "";
  const lacking = [...new Set<string>([...folders, ...served, ...OPERATIONS])].flatMap((name) => [
    ...(folders.includes(name) ? [] : [`${name} has no folder`]),
    ...([...OPERATIONS].some((one) => one === name) ? [] : [`${name} is no operation of a card`]),
    ...([...served].some((one) => one === name) ? [] : [`${name} has no surface`]),
    ...(codecs.includes(`readonly ${name}?: Codec<`) ? [] : [`${name} has no codec`]),
    ...(manual.includes(`\`${name}\``) ? [] : [`${name} is not in the manual`]),
  ]);
  expect(lacking, writeRecipe("An operation")).toEqual([]);
});

test("every surface has its paths and its name in the log, in the manual and among the routes that are attacked", () => {
  const served = SURFACES.flatMap(({ surface, verbs = {} }) => [surface, ...Object.values(verbs)]);
  const names = new Set<string>(served.map(({ name }) => name));
  const logged = new Set<string>(SURFACE_NAMES.filter((name) => name !== "mcp"));
  const table = sources.find(({ path }) => path === "src/surfaces/index.ts")?.imports ?? [];
  const places = ["src/docs/routes.md", "test/abuse/routes.ts"].map((place) => ({
    place,
    text: readFileSync(join(ROOT, place), "utf8"),
  }));
  const paths = SURFACES.filter(({ docs }) => typeof docs !== "string").map(({ path }) => path);
  const lacking = [
    ...sources
      .map(({ path }) => path)
      .filter((path) => /^src\/surfaces\/.*\/surface\.ts$/.test(path) && !table.includes(path))
      .map((path) => `${path} has no path`),
    ...[...names.difference(logged)].map((name) => `${name} is not in src/core/log/record.ts`),
    ...[...logged.difference(names)].map((name) => `no surface in src/surfaces/index.ts is named ${name}`),
    ...explainMissing(SURFACE_NAMES.map((name) => `\`${name}\``)),
    ...places.flatMap(({ place, text }) =>
      paths.filter((path) => !text.includes(path)).map((path) => `${path} is not in ${place}`),
    ),
  ];
  expect(lacking, writeRecipe("A surface")).toEqual([]);
});

test("every fault in the table is raised somewhere", () => {
  const raising = sources.filter(
    ({ path, room }) => path !== "src/core/faults/fault.ts" && room !== "simulator",
  );
  const text = raising.map((source) => source.text).join("\n");
  // These names are built in code from the kind of number.
  const composed = /^(decimal|integer)_(above_max|below_min)_value$/;
  const unraised = Object.keys(FAULTS).filter((code) => !composed.test(code) && !text.includes(`"${code}"`));
  expectNone(unraised.map((code) => `no code raises the fault ${code}`));
});

test("every event that a metric counts is logged somewhere", () => {
  const text = sources.flatMap((source) => (source.room === "telemetry" ? [] : [source.text])).join("\n");
  const unlogged = Object.entries(METRICS).flatMap(([name, row]) =>
    "on" in row && !text.includes(`"${row.on}"`) ? [`${name} counts ${row.on}, which no code logs`] : [],
  );
  expectNone(unlogged);
});
