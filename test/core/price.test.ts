// The cost of an answer: counts from usage reports, rates, tiers, rounding.

import { describe, expect, test } from "bun:test";
import {
  type BillLine,
  computeAnyCost,
  computeCost,
  formatPlainUsd,
  formatUsd,
} from "../../src/core/money/money.ts";
import { listBillLines } from "../../src/core/money/price.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { countAmounts } from "../../src/operations/chat/usage.ts";
import { cost } from "../harness/cards.ts";

describe("prices", () => {
  const amounts = {
    ...NO_AMOUNTS,
    prompt: 1000,
    completion: 400,
    cached: 300,
    cacheWrite: 100,
    reasoning: 150,
    searches: 2,
  };

  test("a usage report becomes counts whose parts never exceed the whole", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 2, audio_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 9 },
      server_tool_use: { web_search_requests: 1 },
    };
    expect(countAmounts(usage)).toEqual({
      ...NO_AMOUNTS,
      prompt: 10,
      completion: 5,
      cached: 6,
      cacheWrite: 2,
      inputAudio: 2,
      reasoning: 3,
      outputAudio: 2,
      searches: 1,
    });
    const more = { cached_tokens: 8, cache_write_tokens: 8, audio_tokens: 8 };
    const most = {
      ...usage,
      prompt_tokens_details: more,
      completion_tokens_details: { reasoning_tokens: 9 },
    };
    expect(countAmounts(most)).toMatchObject({ cached: 8, cacheWrite: 2, inputAudio: 0, reasoning: 5 });
  });

  test("the provider's billed count is used if it differs from what the model read", () => {
    const counted = { prompt_tokens: 1807, completion_tokens: 30, total_tokens: 1837 };
    const usage = { ...counted, billed_units: { input_tokens: 119, output_tokens: 25 } };
    expect(countAmounts(usage)).toMatchObject({ prompt: 119, completion: 25 });
  });

  test("an absurd report stays a number that can be added up", () => {
    const usage = { prompt_tokens: 1e19, completion_tokens: 1e300, total_tokens: 1 };
    const { prompt, completion, searches } = countAmounts({
      ...usage,
      server_tool_use: { web_search_requests: 1e12 },
    });
    expect([prompt, completion, searches]).toEqual([1e9, 1e9, 10_000]);
    expect(
      Number.isSafeInteger(cost({ input: 100, output: 600, perSearch: 1 }, countAmounts(usage), 2)),
    ).toBe(true);
  });

  test("each kind of token has its rate, with a default for missing ones", () => {
    const full = {
      input: 2,
      output: 8,
      cachedInput: 0.5,
      cacheWrite: 2.5,
      reasoning: 12,
      perRequest: 0.005,
      perSearch: 0.01,
    };
    // 600 × 2 + 300 × 0.5 + 100 × 2.5 + 250 × 8 + 150 × 12 = 5,400 µUSD, and 0.025 USD for the request and two searches.
    expect(cost(full, amounts, 1)).toBe(5_400_000 + 25_000_000);
    // 1000 × 2 + 400 × 8 = 5,200 µUSD.
    expect(cost({ input: 2, output: 8 }, amounts, 1)).toBe(5_200_000);
    expect(listBillLines({ input: 2, output: 8 }, amounts).map((line) => line.what)).toEqual([
      "input",
      "cached input",
      "cache write",
      "output",
      "reasoning",
    ]);
  });

  test("a long prompt is priced as a whole at the highest tier it exceeds", () => {
    const price = {
      input: 1,
      output: 2,
      cachedInput: 0.1,
      tiers: [
        { aboveTokens: 2000, input: 100, output: 100 },
        { aboveTokens: 500, input: 10, output: 20 },
        { aboveTokens: 1000, input: 1000, output: 1000 },
      ],
    };
    expect(cost(price, amounts, 1)).toBe((1000 * 10 + 400 * 20) * 1000);
    expect(cost(price, { ...amounts, prompt: 1001 }, 1)).toBe((1001 + 400) * 1_000_000);
    expect(cost(price, { ...amounts, prompt: 500, cacheWrite: 0 }, 1)).toBe((200 + 30 + 800) * 1000);
  });

  test("an answer made of several calls is billed for each call's prompt and request", () => {
    const price = {
      input: 1,
      output: 2,
      perRequest: 0.001,
      tiers: [{ aboveTokens: 500, input: 10, output: 20 }],
    };
    const two = { ...NO_AMOUNTS, prompt: 1000, completion: 400 };
    expect(cost(price, two, 1, 2)).toBe((1000 + 400 * 2) * 1000 + 2_000_000);
    expect(cost(price, { ...two, prompt: 1002 }, 1, 2)).toBe((1002 * 10 + 400 * 20) * 1000 + 2_000_000);
    expect(cost(price, two, 1)).toBe((1000 * 10 + 400 * 20) * 1000 + 1_000_000);
  });

  test("the sum is rounded up once, after the markup, and no price costs nothing", () => {
    const one = { ...NO_AMOUNTS, prompt: 1, completion: 1 };
    expect(cost({ input: 0.0001, output: 0.0001 }, one, 1)).toBe(1);
    expect(cost({ input: 0.15, output: 0.6 }, one, 1.05)).toBe(788);
    expect(cost(null, amounts, 1)).toBe(0);
  });

  test("fast and exact arithmetic agree", () => {
    const line = (count: number, usdPerMillion: number): BillLine => ({
      what: "input",
      count,
      usdPerMillion,
    });
    const edge = Number.MAX_SAFE_INTEGER / 1_000_000;
    const counts = [0, 1, 2, 3, 999, 1000, 1001, 123_457, 2 ** 31 - 1, 2 ** 40 + 1, edge, edge + 1, 1e15];
    const prices = [0, 0.000001, 0.000999, 0.001, 0.001001, 0.15, 1, 2.5, 75, 599.999999, 1_000_000];
    for (const a of counts) {
      for (const price of prices) {
        for (const b of [0, 1, 777, edge]) {
          const bill = [line(a, price), line(b, 0.000001), line(b, 0.3)];
          expect(computeCost(bill, 1)).toBe(computeAnyCost(bill, 1));
        }
      }
    }
  });
});

test("amounts are written without exponents, in messages and exactly", () => {
  const amounts = [0, 1, 500, 1_300_000, 9_000_000, 12_500_000_000, Number.MAX_SAFE_INTEGER];
  expect(amounts.map(formatUsd)).toEqual([
    "$0.00",
    "$0.000000001",
    "$0.0000005",
    "$0.0013",
    "$0.0090",
    "$12.50",
    "$9007199.25",
  ]);
  expect([...amounts, -1, -2n * 10n ** 30n].map(formatPlainUsd)).toEqual([
    "0",
    "0.000000001",
    "0.0000005",
    "0.0013",
    "0.009",
    "12.5",
    "9007199.254740991",
    "-0.000000001",
    `-2${"0".repeat(21)}`,
  ]);
});
