// The tables as a test: every provider, selector, operation and fault is registered once, used, and in the manual.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { FAULTS } from "../../src/core/faults/fault.ts";
import { SURFACE_NAMES } from "../../src/core/log/record.ts";
import { OPERATIONS, TOOL_OPERATION } from "../../src/core/models/card.ts";
import { DIALECTS } from "../../src/core/models/dialect-names.ts";
import { SELECTORS } from "../../src/core/models/selector.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { SURFACES } from "../../src/surfaces/index.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { expectNone, ROOT, readSources } from "./sources.ts";

const sources = readSources("src");
const manual = readdirSync(join(ROOT, "src/docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => readFileSync(join(ROOT, "src/docs", file), "utf8"))
  .join("\n");

test("every registered provider is in the manual, with its variables, dialect, fault and route", () => {
  const missing = (words: readonly string[]) => words.filter((word) => !manual.includes(word));
  expectNone(missing(PROVIDERS.map(({ name }) => `| ${name} |`)));
  expectNone(
    missing(PROVIDERS.flatMap(({ keyVariables }) => keyVariables.map((variable) => `\`${variable}\``))),
  );
  expectNone(missing([...DIALECTS]));
  const codes = Object.keys(FAULTS);
  expectNone(
    codes.filter((code) => !manual.includes(`### ${code}\n`) && !manual.includes(`\n| \`${code}\` | `)),
  );
  expectNone(missing(REGISTERED.map(({ path }) => `\`${path}\``)));
  expect(new Set(PROVIDERS.map(({ name }) => name)).size).toBe(PROVIDERS.length);
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

test("every provider has cards, and every operation has a codec, a surface, a row and a page", () => {
  const cards = loadShippedCards();
  expectNone(
    PROVIDERS.filter(({ discovers }) => !discovers)
      .map(({ name }) => name)
      .filter((name) => !cards.some(({ provider }) => provider === name)),
  );
  const folders = readdirSync(join(ROOT, "src/operations"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    // Tool servers have an address of their own instead of surfaces.
    .filter((name) => name !== TOOL_OPERATION);
  const served = new Set(SURFACES.map(({ surface }) => surface.use(({ operation }) => operation.name)));
  expect(folders.toSorted()).toEqual([...served].toSorted());
  expect(folders.toSorted()).toEqual([...OPERATIONS].toSorted());
  const codecs = sources.find(({ path }) => path === "src/operations/codec.ts")?.text ?? "";
  expectNone(folders.filter((name) => !codecs.includes(`readonly ${name}?: Codec<`)));
  expectNone(folders.filter((name) => !manual.includes(`\`${name}\``)));
});

test("every surface's name can be asked for in the log, and stands in the manual", () => {
  const served = SURFACES.flatMap(({ surface, verbs = {} }) => [surface, ...Object.values(verbs)]);
  expect([...new Set(served.map(({ name }) => name))].toSorted()).toEqual(
    SURFACE_NAMES.filter((name) => name !== "mcp").toSorted(),
  );
  expectNone(SURFACE_NAMES.filter((name) => !manual.includes(`\`${name}\``)));
});

test("every fault in the table is raised somewhere", () => {
  const raising = sources.filter(
    ({ path, room }) => path !== "src/core/faults/fault.ts" && room !== "simulator",
  );
  const text = raising.map((source) => source.text).join("\n");
  // These names are built in code from the kind of number.
  const composed = /^(decimal|integer)_(above_max|below_min)_value$/;
  expectNone(Object.keys(FAULTS).filter((code) => !composed.test(code) && !text.includes(`"${code}"`)));
});
