// `poundkey catalogue rebase`, and what check and diff tell of a catalogue file whose prices the program has newer ones for.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../../src/app/terminal.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import { SHIPPED_DAY } from "../../../src/catalogue/feeds/as-of.ts";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { viewRow } from "../../../src/catalogue/write-rows.ts";
import { runCatalogue } from "../../../src/cli/models/catalogue.ts";
import { warnOfCatalogue } from "../../../src/cli/start/model-warnings.ts";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { loadText, readFrom, requireSettings } from "../../harness/settings.ts";

const directory = mkdtempSync(join(tmpdir(), "poundkey-rebase-"));
const path = join(directory, "catalogue.json");
afterAll(() => rmSync(directory, { recursive: true }));

const IDS = ["OpenAI#gpt-5.4", "OpenAI#gpt-5.1", "OpenAI#gpt-4.1", "Mistral#mistral-large-latest"];
const OLD_DAY = "2026-02-01";

/** The built-in row as an earlier version wrote it, with these changes. */
function makeRow(id: string | undefined, changes: object = {}): object {
  const card = loadShippedCards().find((one) => one.id === id);
  if (card === undefined) throw new Error(`There is no ${id}.`);
  return { ...viewRow(card), ...changes };
}

const OWN = { ...makeRow(IDS[0]), id: "OpenAI#ours" };
const FILE = {
  as_of: OLD_DAY,
  models: [
    makeRow(IDS[0], { price: { input: 9, output: 20 }, later_prices: undefined }),
    makeRow(IDS[1]),
    makeRow(IDS[2], { price: { input: 7, output: 9 }, later_prices: undefined, own: true }),
    makeRow(IDS[3], { price: { input: 8, output: 9 }, later_prices: undefined, capabilities: [] }),
    OWN,
  ],
};

const CONFIG = `providers: { OpenAI: { keys: [k] } }\ncatalogue: ${path}\n`;

async function run(file: object | null, ...args: readonly string[]) {
  if (file === null) rmSync(path, { force: true });
  else writeFileSync(path, JSON.stringify(file));
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const given = file === null ? {} : { [path]: JSON.stringify(file) };
  const readFile = readFrom({ "poundkey.yaml": CONFIG, ...given });
  const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
  const code = await runCatalogue(args, io, source);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

function load(text: string) {
  return requireSettings(loadText(CONFIG, { files: { [path]: text } }));
}

function readPrices(text: string) {
  const catalogue = buildCatalogue(load(text));
  return [...IDS, "OpenAI#ours"].map((id) => {
    const found = catalogue.resolve(id);
    return found.kind === "card" ? found.card.price : found.kind;
  });
}

describe("poundkey catalogue rebase", () => {
  test("shows what would go, and changes nothing", async () => {
    const { code, out } = await run(FILE, "rebase");
    expect(code).toBe(EXIT.done);
    expect(out.split("\n")).toEqual([
      "~ OpenAI#gpt-5.4: shutdown, context, output out; price stays until a newer program differs",
      "- OpenAI#gpt-5.1: goes, the program says the same",
      "  Mistral#mistral-large-latest: stays whole, since its capabilities can't stand alone",
      "Nothing was changed: --apply writes the file. No price in use changes by it.",
    ]);
    expect(parseJson(readFileSync(path, "utf8"))).toEqual(parseJson(JSON.stringify(FILE)));
  });

  test("takes it out with --apply, and each price stays", async () => {
    const { code, out } = await run(FILE, "rebase", "--apply");
    expect([code, out]).toEqual([
      EXIT.done,
      expect.stringContaining("is written. No price in use has changed."),
    ]);
    const text = readFileSync(path, "utf8");
    const rows = asArray(asObject(parseJson(text)).models).map(asObject);
    expect(rows.map(({ id }) => id)).toEqual([IDS[0], IDS[2], IDS[3], "OpenAI#ours"]);
    expect(rows[0]).toEqual({
      id: "OpenAI#gpt-5.4",
      price: { input: 9, output: 20 },
      as_of: OLD_DAY,
      taken: { from: "rebase", on: SHIPPED_DAY, was: { price: expect.any(String) } },
    });
    expect(readPrices(text)).toEqual(readPrices(JSON.stringify(FILE)));
    const again = await run(asObject(parseJson(text)), "rebase", "--apply");
    expect(again.out).toContain("has nothing that the program says too.");
  });

  test("prints JSON, and says what is missing", async () => {
    const { out } = await run(FILE, "rebase", "--json");
    expect(parseJson(out)).toMatchObject({
      applied: false,
      rows: [{ id: IDS[0], stays: ["price"] }, {}, {}],
    });
    expect((await run(null, "rebase", "--apply")).out).toContain("doesn't exist yet");
  });
});

test("check and diff name the rows that hide newer prices, and the fields that are overtaken", async () => {
  const taken = { from: "litellm", on: OLD_DAY, was: { price: "0123456789abcdef" } };
  const models = [...FILE.models.slice(0, 1), { id: IDS[1], price: { input: 9, output: 9 }, taken }];
  const file = { as_of: OLD_DAY, models };
  const warnings = warnOfCatalogue(load(JSON.stringify(file))).map(({ message }) => message);
  expect(warnings).toEqual([
    expect.stringMatching(/^OpenAI#gpt-5\.1: the built-in price of .* counts/),
    expect.stringMatching(/^OpenAI#gpt-5\.4: the file's price of 2026-02-01 hides the newer built-in one/),
  ]);
  expect((await run(file, "diff", path)).err.split("\n")).toEqual(warnings);
  expect((await run(null, "diff", path)).code).toBe(EXIT.failed);
});
