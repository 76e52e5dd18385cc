// `poundkey catalogue update`: what a list of prices would change, what is taken, and what waits.
import { describe, expect, test } from "bun:test";
import type { ModelUse } from "../../src/catalogue/feeds/use-report.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { makeGenaiPrices, makeLiteLlm, makeLiteLlmRow, makeModelsDev } from "../catalogue/feed-samples.ts";
import { dayAhead, FILE, findRow, ID, priced, ROW, update } from "./catalogue-run.ts";

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
    expect(first.written).toMatchObject({ list: { as_of: dayAhead(0) } });
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

  test("remembers the list that it went through while all that differs waits for a person", async () => {
    const list = makeLiteLlm({ "gpt-5.4": priced(9, 15) });
    const { code, out, written } = await update({ list, flags: ["--apply"], file: null });
    expect([code, written]).toMatchObject([3, { list: { as_of: dayAhead(0) }, models: [] }]);
    expect(out).toContain("wait for --yes:");
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
    const near = await update({ list: ends(dayAhead(29)), flags: ["--apply"] });
    expect([near.code, findRow(near.written).shutdown]).toEqual([3, undefined]);
    const far = await update({ list: ends(dayAhead(30)), flags: ["--apply"] });
    expect([far.code, findRow(far.written).shutdown]).toEqual([0, dayAhead(30)]);
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
