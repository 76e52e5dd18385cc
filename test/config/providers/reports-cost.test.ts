// `reports_cost` of a provider: its forms, and the mistakes that a check names by their field.
import { describe, expect, test } from "bun:test";
import { formatError } from "../../../src/config/errors.ts";
import type { CostReport } from "../../../src/core/money/cost-report.ts";
import { loadText, readSettings } from "../../harness/settings.ts";

function write(reports: string, more = ""): string {
  return `providers:
  Own: { base_url: "http://own.example", dialect: openai, reports_cost: ${reports}${more} }
  xAI: { keys: [k], reports_cost: ${reports} }`;
}

const USUAL = { field: ["usage", "cost"], perUsd: 1 };
const TICKS = { field: ["usage", "cost_in_usd_ticks"], perUsd: 1e10 };

describe("what a provider reports", () => {
  test.each<[string, CostReport | undefined, CostReport | undefined]>([
    ["true", USUAL, TICKS],
    ["false", undefined, undefined],
    ["{ field: usage.cost }", USUAL, USUAL],
    [
      "{ field: a.b.c.d.e, per_usd: 100 }",
      { field: ["a", "b", "c", "d", "e"], perUsd: 100 },
      expect.anything(),
    ],
    ["{ header: X-Cost, per_usd: 0.5 }", { header: "X-Cost", perUsd: 0.5 }, expect.anything()],
    [
      "{ header: x-cost, field: usage.cost }",
      { header: "x-cost", field: ["usage", "cost"], perUsd: 1 },
      expect.anything(),
    ],
  ])("%s", (given, own, xai) => {
    const { providers } = readSettings(write(given));
    expect(providers.map(({ reportsCost }) => reportsCost)).toEqual([own, xai]);
  });

  test("is its own if nothing is said", () => {
    const { providers } = readSettings("providers: { xAI: { keys: [k] }, OpenAI: { keys: [k] } }");
    expect(providers.map(({ reportsCost }) => reportsCost)).toEqual([TICKS, undefined]);
  });

  test.each([
    ["yes please", "providers.Own.reports_cost: expected true, false, or"],
    ["{ field: a.b.c.d.e.f }", "providers.Own.reports_cost.field: expected the path of a field"],
    ["{ field: usage..cost }", "providers.Own.reports_cost.field: expected the path of a field"],
    ["{ header: 'a b' }", "providers.Own.reports_cost.header: expected the name of a header"],
    ["{ field: cost, per_usd: 0 }", "providers.Own.reports_cost.per_usd: expected a number above 0"],
    ["{ field: cost, per_usd: -1 }", "providers.Own.reports_cost.per_usd: expected a number above 0"],
    ["{ field: cost, per_usd: '1' }", "providers.Own.reports_cost.per_usd: expected a number above 0"],
    ["{ per_usd: 100 }", "providers.Own.reports_cost: needs a field or a header"],
    ["{}", "providers.Own.reports_cost: needs a field or a header"],
    ["{ fields: cost }", "providers.Own.reports_cost.fields"],
  ])("%s is refused by the name of its field", (given, says) => {
    const loaded = loadText(write(given), {});
    const errors = loaded.ok ? [] : loaded.errors.map(formatError);
    expect(errors).toContainEqual(expect.stringContaining(says));
  });

  test("must be known where names without a price hold something", () => {
    const hold = ", unlisted_models: { hold_usd: 0.5 }";
    expect(() => readSettings(write("false", hold))).toThrow("unlisted_models.hold_usd");
    expect(readSettings(write("{ header: x-cost }", hold)).providers[0]?.unlistedHoldUsd).toBe(0.5);
  });
});
