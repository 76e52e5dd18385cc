// Usage that is cut as implausible: no part of a count is more than the count.
import { expect, test } from "bun:test";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { makeModelCard } from "../../harness/cards.ts";

test("the details of a cut usage are cut with it", () => {
  const ask = {
    model: "any",
    messages: [{ role: "user" as const, content: "hi" }],
    max_completion_tokens: 100,
  };
  const reported = {
    prompt_tokens: 1_000_000,
    completion_tokens: 90_000,
    total_tokens: 1_090_000,
    prompt_tokens_details: { cached_tokens: 999_999 },
    completion_tokens_details: { reasoning_tokens: 80_000 },
  };
  const card = makeModelCard("A#m", { contextTokensMax: 1000, outputTokensMax: 100 });
  const { isCut, usage } = CHAT.cutUsage(reported, { ask, card, calls: 1, unreadBytes: 0, rounds: 1 });
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  expect(isCut).toBe(true);
  expect(prompt_tokens_details?.cached_tokens).toBe(prompt_tokens);
  expect(completion_tokens_details?.reasoning_tokens).toBe(completion_tokens);
  expect(completion_tokens).toBeLessThan(90_000);
});
