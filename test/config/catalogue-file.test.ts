// An operator's catalogue file: its models, its mistakes, and its changes.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { runCatalogue } from "../../src/cli/models/catalogue.ts";
import { formatError } from "../../src/config/errors.ts";
import type { LoadResult } from "../../src/config/load.ts";
import { asObject } from "../../src/core/json/json.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { loadText, readFrom, requireSettings } from "../harness/settings.ts";

const NEW = {
  id: "OpenAI#gpt-99",
  owner: "OpenAI",
  released: "2026-11-20",
  context: 400_000,
  output: 128_000,
  price: { input: 2, output: 10 },
  capabilities: ["tools"],
};
const CHANGED = { ...NEW, id: "OpenAI#gpt-5.4", released: null, price: { input: 2, output: 15 } };

const ABOUT = { from: "litellm 2026-11-20", on: "2026-11-20" };
const TAKEN = { id: "OpenAI#gpt-5.1", context: 9000, taken: { ...ABOUT, was: { context: null } } };
const TAKEN_PRICE = { id: TAKEN.id, taken: { ...ABOUT, was: { price: null } } };

const base = "providers: { OpenAI: { keys: [k] } }\ncatalogue: new.json\n";

function load(rows: unknown, more = ""): LoadResult {
  const text = typeof rows === "string" ? rows : JSON.stringify(rows);
  return loadText(base + more, { files: { "new.json": text } });
}

function catalogueOf(loaded: LoadResult) {
  return buildCatalogue(requireSettings(loaded));
}

describe("the models of a catalogue file", () => {
  test("add to the built-in ones or replace them", () => {
    const catalogue = catalogueOf(load([NEW, CHANGED]));
    expect(catalogue.resolve("OpenAI#gpt-99")).toMatchObject({
      card: { contextTokensMax: 400_000, price: { input: 2, output: 10 }, listed: true },
    });
    expect(catalogue.resolve("OpenAI#gpt-5.4")).toMatchObject({ card: { price: { input: 2 } } });
    expect(catalogue.resolve("OpenAI#gpt-5.1").kind).toBe("card");
  });

  test("can be named in all other fields", () => {
    const more = `aliases: { newest: openai/gpt-99 }
models: { "OpenAI#gpt-99": { output: 1000 }, "OpenAI#gpt-5.4": { fallbacks: ["OpenAI#gpt-99"] } }`;
    const catalogue = catalogueOf(load([NEW], more));
    expect(catalogue.resolve("newest")).toMatchObject({ card: { id: NEW.id, outputTokensMax: 1000 } });
    const own = load([NEW]);
    expect(own.ok && own.settings.catalogueFile).toBe("new.json");
    const like = loadText(
      `catalogue: new.json\nproviders: { Own: { base_url: http://x, models: [{ name: m, like: "${NEW.id}" }] } }`,
      { files: { "new.json": JSON.stringify([NEW]) } },
    );
    expect(catalogueOf(like).resolve("Own#m")).toMatchObject({ card: { price: { input: 2 } } });
  });
});

describe("an invalid catalogue file", () => {
  const { context: _, ...short } = NEW;
  test.each<[string, unknown, string]>([
    ["no JSON", "{", "new.json: the file is not valid JSON"],
    ["no list", { modles: [] }, "expected a list of models, got a mapping"],
    ["an impossible day", { as_of: "2026-02-30", models: [NEW] }, "as_of: expected a date like 2027-01-31"],
    ["nothing in it", [], "expected a list of models"],
    ["a missing field", [NEW, { ...short, id: "A#b" }], "row 2 (A#b), context: this field is missing"],
    [
      "an unknown field",
      [{ ...NEW, capabilites: [] }],
      "row 1 (OpenAI#gpt-99), capabilites: unknown field; did you mean capabilities?",
    ],
    ["a price as text", [{ ...NEW, price: { input: "2", output: 1 } }], "price.input: expected a number"],
    ["a slip in a price", [{ ...NEW, price: { inptu: 2, output: 1 } }], "price.inptu: unknown field"],
    ["half a price", [{ ...NEW, price: { input: 2 } }], "OpenAI#gpt-99: has no output price"],
    ["a model twice", [NEW, NEW], "OpenAI#gpt-99: appears twice"],
    ["no provider", [{ ...NEW, id: "gpt-99" }], "gpt-99: has an id that isn't <Provider>#<model>"],
    ["another unit", [{ ...CHANGED, price: { input: 2500, output: 15_00 } }], "by a factor of 100 or more"],
    ["a day of a row", [{ ...NEW, as_of: "today" }], "row 1 (OpenAI#gpt-99), as_of: expected a date"],
    ["a list without its day", { list: { serial: 3 }, models: [] }, "list.as_of: this field is missing"],
    ["no row, though no list was gone through", { models: [] }, "expected a list of models"],
    [
      "a taken field that isn't there",
      [TAKEN, { ...TAKEN, id: "A#b", taken: { ...ABOUT, was: { context: null, price: null } } }],
      "row 2 (A#b), price: this field is missing",
    ],
    [
      "a field that replaced nothing",
      [{ ...TAKEN, output: 5 }],
      "row 1 (OpenAI#gpt-5.1), taken.was.output: this field is missing",
    ],
    [
      "nothing taken",
      [{ id: "A#b", taken: { ...ABOUT, was: {} } }],
      "row 1 (A#b), taken.was: expected at least one field",
    ],
    [
      "a taken price that can't be",
      [{ ...TAKEN_PRICE, price: { input: 1 } }],
      "OpenAI#gpt-5.1: has no output price",
    ],
    [
      "a taken field twice",
      [TAKEN, { ...TAKEN, taken: { ...ABOUT, on: "2026-11-29", was: { context: null } } }],
      "OpenAI#gpt-5.1: appears twice",
    ],
    ["a taken field of a whole row", [TAKEN, { ...NEW, id: TAKEN.id }], "OpenAI#gpt-5.1: appears twice"],
    [
      "a taken field of a prototype",
      '[{"id":"A#b","__proto__":{},"taken":{"from":"l","on":"2026-11-20","was":{}}}]',
      "row 1 (A#b), __proto__: unknown field",
    ],
  ])("%s is refused with its place: %j", (_name, rows, says) => {
    const loaded = load(rows);
    expect(loaded.ok ? [] : loaded.errors.map(formatError)).toEqual([expect.stringContaining(says)]);
    expect(loaded.ok ? "" : loaded.errors.map(formatError).join()).toStartWith(
      "poundkey.yaml:2:12: catalogue: new.json: ",
    );
  });
});

test("a catalogue file that doesn't exist is an empty one", () => {
  const settings = requireSettings(loadText(base));
  expect([settings.catalogueFile, settings.newerModels]).toEqual(["new.json", []]);
  expect(buildCatalogue(settings).resolve("OpenAI#gpt-5.4").kind).toBe("card");
});

describe("poundkey catalogue diff", () => {
  async function diff(rows: unknown, args: readonly string[] = [], text = "") {
    const printed: string[] = [];
    const io = { out: (line: string) => printed.push(line), err: (line: string) => printed.push(line) };
    const files = { "poundkey.yaml": text, "new.json": JSON.stringify(rows) };
    const readFile = readFrom(files);
    const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
    const code = await runCatalogue(["diff", "new.json", ...args], io, source);
    return { code, out: printed.join("\n") };
  }

  test("lists what is new and what differs", async () => {
    const { code, out } = await diff([NEW, CHANGED]);
    expect(code).toBe(0);
    expect(out).toContain("~ OpenAI#gpt-5.4\n");
    expect(out).toContain("    pricing.input: 2.5 → 2\n");
    expect(out).not.toContain("pricing.output: 15");
    expect(out).toContain("+ OpenAI#gpt-99\n    owned_by: OpenAI\n    context_window: 400000\n");
    expect(out).toEndWith("1 added, 1 changed, 0 removed");
  });

  test("skips what the configuration overrides anyway", async () => {
    const own = 'models: { "OpenAI#gpt-5.4": { price: { input: 3, output: 15 } } }';
    expect((await diff([CHANGED], [], own)).out).not.toContain("pricing.input");
  });

  test("compares with the current file, which it would replace", async () => {
    expect((await diff([NEW], [], "catalogue: new.json")).out).toBe("0 added, 0 changed, 0 removed");
  });

  test("prints JSON, and fails for an invalid file", async () => {
    const [added] = JSON.parse((await diff([NEW], ["--json"])).out);
    expect([added.id, added.kind]).toEqual([NEW.id, "added"]);
    expect(asObject(added.fields[0])).toEqual({ field: "owned_by", before: null, after: "OpenAI" });
    expect(await diff([{}])).toEqual({ code: 1, out: expect.stringMatching(/^new\.json: row 1, id: /) });
  });
});
