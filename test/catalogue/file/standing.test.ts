// The state of the catalogue file for operators: the age of prices, the rows that hide newer ones, lines of the log.
import { expect, test } from "bun:test";
import { noteCatalogueFile } from "../../../src/app/start/catalogue-notes.ts";
import { SHIPPED_DAY } from "../../../src/catalogue/feeds/as-of.ts";
import { measurePriceAge, readStanding } from "../../../src/catalogue/file/standing.ts";
import { parseDay } from "../../../src/catalogue/later-prices.ts";
import type { LogEvent } from "../../../src/core/world/world.ts";
import { loadText, requireSettings } from "../../harness/settings.ts";

const DAY_S = 86_400;
const SHIPPED_MS = parseDay(SHIPPED_DAY) ?? 0;
const NOW_MS = SHIPPED_MS + 3 * DAY_S * 1000;

function makeRow(id: string, more: object = {}) {
  const price = { input: 1, output: 7 };
  return { id, released: null, context: 100, output: 10, price, capabilities: [], ...more };
}

const PROVIDERS = "{ OpenAI: { keys: [k] } }";
const OLD = [makeRow("OpenAI#gpt-5.4")];

function load(file: object, more = "") {
  const watch = 'watch: { from: "https://x.example/l.json", ignore: ["OpenAI#gpt-5.1"] }';
  const text = `providers: ${PROVIDERS}\ncatalogue: { file: f.json, ${watch} }\n${more}`;
  return requireSettings(loadText(text, { files: { "f.json": JSON.stringify(file) } }));
}

const price = 'models: { "OpenAI#gpt-5.4": { price: { input: 1, output: 3 } } }';
test.each<[string, object, string, number, number]>([
  ["no row hides anything", { models: [makeRow("OpenAI#gpt-99")] }, "", 0, 3],
  ["an own row of before hides a newer price", { as_of: "2026-02-01", models: OLD }, "", 1, 303],
  [
    "its own day counts before the file's",
    { as_of: "2026-02-01", models: [{ ...OLD[0], as_of: "2026-11-01" }] },
    "",
    1,
    30,
  ],
  ["one of the same day hides nothing", { as_of: SHIPPED_DAY, models: OLD }, "", 0, 3],
  ["one without a day isn't known to", OLD, "", 0, 3],
  [
    "one that is meant is counted, and isn't old",
    { as_of: "2026-02-01", models: [{ ...OLD[0], own: true }] },
    "",
    1,
    3,
  ],
  ["an ignored one too", { as_of: "2026-02-01", models: [makeRow("OpenAI#gpt-5.1")] }, "", 1, 3],
  [
    "one of a provider that isn't enabled too",
    { as_of: "2026-02-01", models: [makeRow("Groq#openai/gpt-oss-20b")] },
    "",
    1,
    3,
  ],
  ["the configuration's price leaves nothing to hide", { as_of: "2026-02-01", models: OLD }, price, 0, 3],
  ["the last list's day counts", { list: { as_of: "2026-11-30" }, models: [] }, "", 0, 1],
  ["an earlier list doesn't make prices older", { list: { as_of: "2026-11-01" }, models: [] }, "", 0, 3],
  ["a file of an earlier version has the day of its update", { as_of: "2026-11-30", models: OLD }, "", 0, 1],
])("%s", (_name, file, more, hidden, days) => {
  const standing = readStanding(load(file, more));
  expect([standing.hiding.length, measurePriceAge(standing, NOW_MS)]).toEqual([hidden, days * DAY_S]);
});

test("the log has a line for each model, and at most 100", () => {
  const lines: LogEvent[] = [];
  const taken = { from: "litellm", on: "2026-02-01", was: { price: "0123456789abcdef", context: null } };
  const models = [{ id: "OpenAI#gpt-5.1", price: { input: 9, output: 9 }, context: 5, taken }, ...OLD];
  noteCatalogueFile(load({ as_of: "2026-02-01", models }), (line) => lines.push(line));
  expect(lines).toEqual([
    { event: "catalogue_overtaken", level: "warn", id: "OpenAI#gpt-5.1", fields: ["price", "context"] },
    {
      event: "catalogue_hiding",
      level: "warn",
      id: "OpenAI#gpt-5.4",
      fields: expect.arrayContaining(["price"]),
      as_of: "2026-02-01",
    },
  ]);
  const many = Array.from({ length: 150 }, (_, at) => ({ id: `OpenAI#m${at}`, fields: ["price"] as const }));
  const more: LogEvent[] = [];
  noteCatalogueFile({ ...load({ models: OLD }), catalogueOvertaken: many }, (line) => more.push(line));
  expect([more.length, more.at(-1)]).toEqual([
    101,
    { event: "catalogue_overtaken", level: "warn", more: 50 },
  ]);
});
