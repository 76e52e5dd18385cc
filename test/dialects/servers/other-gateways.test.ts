// The words of other gateways in a chat request: OpenRouter's `reasoning`, LiteLLM's `thinking` and its mark of the cache.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { makeBudget } from "../../../src/dialects/anthropic/thinking.ts";
import { CROSSED_MODELS, cross } from "../../surfaces/crossing/crossing.ts";
import { expectWish, WISHES } from "../../surfaces/crossing/wishes.ts";

const messages = [{ role: "user", content: "hi" }];
const send = (model: string, more: JsonObject, isStreamed = false) =>
  cross("chat", { messages, ...more }, model, isStreamed);

describe.each(WISHES)("%j", (wish, effort) => {
  // Cohere documents a `thinking` of its own.
  const models = CROSSED_MODELS.filter((model) => wish.thinking === undefined || !model.startsWith("Cohere"));
  test.each(models)("says at %s what the effort says", (model) => {
    for (const isStreamed of [false, true]) {
      const said = send(model, { reasoning_effort: effort }, isStreamed);
      const wished = send(model, wish, isStreamed);
      expect(wished.body).toEqual(expectWish(said.body, wished.body));
      expect(wished.dropped).toEqual(said.dropped);
    }
  });

  test("reaches a server that documents it as it is", () => {
    const [field = "", value] = Object.entries(wish)[0] ?? [];
    const model = field === "reasoning" ? "OpenRouter#z-ai/glm-5" : "DeepSeek#deepseek-chat";
    const { body } = send(model, wish);
    expect(body[field]).toEqual(value);
    expect(body.reasoning_effort).toBeUndefined();
  });
});

test("the client's own effort counts before another gateway's", () => {
  const { body, dropped } = send("Anthropic#claude-sonnet-5", {
    reasoning_effort: "low",
    reasoning: { effort: "max" },
  });
  expect(body).toEqual(send("Anthropic#claude-sonnet-5", { reasoning_effort: "low" }).body);
  expect(dropped).toEqual(["reasoning"]);
});

test("what else a wish asks for is named", () => {
  expect(
    send("Anthropic#claude-sonnet-5", { reasoning: { effort: "high", exclude: true } }).dropped,
  ).toContain("reasoning");
  expect(send("Anthropic#claude-sonnet-5", { reasoning: { exclude: true } }).dropped).toContain("reasoning");
});

describe("a mark of the cache at the top", () => {
  const mark = { type: "ephemeral", ttl: "1h" };
  test.each(["Anthropic#claude-sonnet-5", "Bedrock#us.anthropic.claude-sonnet-5"])(
    "marks the newest message at %s",
    (model) => {
      for (const isStreamed of [false, true]) {
        const { body, dropped } = send(model, { cache_control: mark }, isStreamed);
        const [turn] = asArray(body.messages).map(asObject);
        expect(asArray(turn?.content).at(-1)).toEqual({ type: "text", text: "hi", cache_control: mark });
        expect(dropped).toEqual([]);
      }
    },
  );

  test("leaves a mark of the client's own on it", () => {
    const own = { type: "ephemeral" };
    const body = { messages: [{ role: "user", content: "hi", cache_control: own }], cache_control: mark };
    const sent = JSON.stringify(cross("chat", body, "Anthropic#claude-sonnet-5").body);
    expect(sent).toContain(JSON.stringify(own));
    expect(sent).not.toContain("1h");
  });
});

test("each effort has a budget of its own, however long the answer may be", () => {
  const efforts = ["minimal", "low", "medium", "high", "max"] as const;
  for (const outputTokens of [16_000, 64_000, 128_000]) {
    const budgets = efforts.map((effort) => Number(makeBudget(effort, outputTokens)?.budget_tokens));
    expect(budgets).toEqual([...new Set(budgets)].sort((a, b) => a - b));
    expect(budgets.at(-1)).toBeLessThanOrEqual(32_000);
  }
});
