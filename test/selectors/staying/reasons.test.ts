// Each reason to stay with a conversation's model: a loop of tools, thinking that others can't read, and, where a process
// hasn't seen the conversation, the choice for its opening.
import { describe, expect, test } from "bun:test";
import type { CachedPrefix } from "../../../src/core/attempt.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { findThinkingFormat, isReaderOf } from "../../../src/core/models/thinking/readers.ts";
import type { AssistantMessage, ChatMessage, ReasoningDetail } from "../../../src/operations/chat/form.ts";
import type { ChooseInput } from "../../../src/selectors/ask.ts";
import { choose } from "../../../src/selectors/choose.ts";
import { keepDecision, replayDecision } from "../../../src/selectors/decision.ts";
import { explore } from "../../../src/selectors/explore.ts";
import { SELECTOR_RULES } from "../../../src/selectors/index.ts";
import { viewRoute } from "../../../src/selectors/route-view.ts";
import { countUnread, readThought } from "../../../src/selectors/thought.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { asking, CODE, even, MATH, makeCard, makeInput, RULES, TRIVIA } from "../sample-cards.ts";

const coder = makeCard("coder", 10, { skills: { ...even(0.7), coding: 0.99 }, contextTokensMax: null });
const sage = makeCard("sage", 12, { skills: { ...even(0.8), coding: 0.5 }, contextTokensMax: null });
const CARDS = [coder, sage];

const user = (content: string): ChatMessage => ({ role: "user", content });
const answer: AssistantMessage = { role: "assistant", content: "Done." };
const call: AssistantMessage = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
};
const result: ChatMessage = { role: "tool", tool_call_id: "call_1", content: "done" };

/** A process that saw nothing, where what is read again is cached whole. */
const UNSEEN = { cached: () => null, heldBy: (_cardId: string, tokens: number) => tokens };

function decide(
  selector: "best" | "fair" | "light",
  messages: readonly ChatMessage[],
  change: Partial<ChooseInput> = {},
) {
  const request = { ...asking(""), messages: [...messages] };
  return choose(SELECTOR_RULES[selector], makeInput(request, { cards: CARDS, ...UNSEEN, ...change }));
}

function describeChoice({ choice, stays }: ReturnType<typeof decide>): string {
  return `${choice?.name} ${stays?.because ?? "by score"}`;
}

function seen(card: ModelCard, tokens = 0): Partial<ChooseInput> {
  const held: CachedPrefix = { cardId: card.id, tokens };
  return { cached: () => held };
}

describe("a loop of tools", () => {
  const loop = [user(CODE), call, result];

  test("keeps the model that made the call, cached or not, whatever the scores", () => {
    expect(describeChoice(decide("best", loop, seen(sage)))).toBe("sage tool_loop");
    expect(describeChoice(decide("best", [...loop, answer, user(CODE)], seen(sage)))).toBe("coder by score");
    const cheap = makeCard("cheap", 0.01, { skills: even(0.8), contextTokensMax: null });
    const cards = [sage, cheap];
    expect(describeChoice(decide("fair", loop, { cards, ...seen(sage, 5000) }))).toBe("sage tool_loop");
  });

  test("leaves it if it may not be called or can't take the request", () => {
    expect(describeChoice(decide("best", loop, { ...seen(sage), allowed: (id) => id !== sage.id }))).toBe(
      "coder by score",
    );
    const small = makeCard("small", 1, { skills: even(0.5), contextTokensMax: 100 });
    const long = [user("x ".repeat(4000)), call, result];
    expect(decide("best", long, { cards: [coder, small], ...seen(small) }).choice?.name).toBe("coder");
  });

  test("comes before a pin if the process saw the call, and behind it if not", () => {
    const rules = { ...RULES, pin: { coding: coder.id } };
    expect(describeChoice(decide("best", loop, { rules, ...seen(sage) }))).toBe("sage tool_loop");
    const { choice, pinned, stays } = decide("best", loop, { rules });
    expect([choice?.name, pinned, stays]).toEqual(["coder", "coding", null]);
  });

  test("is seen by the call's opening where the process didn't see the call", () => {
    const later = [user(TRIVIA), answer, user(CODE), call, result];
    expect(describeChoice(decide("best", later))).toBe("sage tool_loop");
  });
});

describe("a process that hasn't seen the conversation", () => {
  const chat = [user(TRIVIA), answer, user(CODE)];

  test("takes the choice for its opening, at every later turn", () => {
    expect(describeChoice(decide("best", chat.slice(0, 1)))).toBe("sage by score");
    expect(describeChoice(decide("best", chat))).toBe("sage opening");
    expect(describeChoice(decide("best", [...chat, answer, user(CODE)]))).toBe("sage opening");
    expect(describeChoice(decide("best", [user(CODE), answer, user(TRIVIA)]))).toBe("coder opening");
    const { heldBy: _heldBy, ...nothing } = UNSEEN;
    const request = { ...asking(""), messages: [...chat] };
    expect(choose(SELECTOR_RULES.best, makeInput(request, { cards: CARDS, ...nothing })).stays).toBeNull();
  });

  test("counts on no cache that it hasn't seen", () => {
    const long = [user(`${TRIVIA} ${"x ".repeat(4000)}`), answer, user(CODE)];
    const cost = (known: Partial<ChooseInput>) => {
      const { candidates } = decide("best", long, { cards: [cheaper], ...known });
      return candidates[0]?.costUsd ?? 0;
    };
    const cheaper = makeCard("cheaper", 10, {
      price: { input: 2, output: 10, cachedInput: 0.2 },
      contextTokensMax: null,
    });
    expect(cost({})).toBe(cost({ heldBy: () => 0 }));
    expect(cost(seen(cheaper, 2000))).toBeLessThan(cost({}));
  });

  test("chooses by score if that one can't serve, and never tries another in its place", () => {
    expect(describeChoice(decide("best", chat, { allowed: (id) => id !== sage.id }))).toBe("coder opening");
    expect(explore(decide("best", chat), 1, () => 0)).toBeNull();
  });

  test("decides again what a selector that saves money decided at the tasks before", () => {
    const price = { input: 10, output: 10, cachedInput: 1 };
    const dear = makeCard("dear", 10, {
      skills: { ...even(0.6), knowledge: 0.95, coding: 0.1 },
      price,
      contextTokensMax: null,
    });
    const cheap = makeCard("cheap", 0.1, { skills: even(0.6), contextTokensMax: null });
    const cards = [dear, cheap];
    const long = [user(TRIVIA), answer, user(`${CODE} ${"x ".repeat(4000)}`)];
    expect(decide("fair", long.slice(0, 1), { cards }).choice?.name).toBe("dear");
    expect(describeChoice(decide("fair", long, { cards }))).toBe("cheap by score");
    expect(describeChoice(decide("fair", [...long, call, result], { cards }))).toBe("cheap tool_loop");
    expect(describeChoice(decide("fair", [...long, answer, user(TRIVIA)], { cards }))).toBe("cheap opening");
  });
});

describe("thinking in the history", () => {
  const claude = (name: string, change: Partial<ModelCard> = {}) =>
    makeModelCard(`Anthropic#${name}`, {
      price: { input: 5, output: 25 },
      skills: even(0.8),
      contextTokensMax: null,
      ...change,
    });
  const opus = claude("claude-opus-5-5");
  const gemini = makeModelCard("Google#gemini-4-argon", {
    price: { input: 0.5, output: 1 },
    skills: even(0.8),
    contextTokensMax: null,
  });
  const cards = [opus, gemini];
  const think = (format: string, chars: number): ReasoningDetail => ({
    type: "reasoning.text",
    text: "t".repeat(chars),
    signature: "sealed",
    format,
  });
  const thinking = (chars: number, format = "anthropic-claude-v1"): AssistantMessage => ({
    ...answer,
    reasoning_details: [think(format, chars)],
  });

  test("is counted for those that can't read it: a quarter of its characters, at most 32,000 tokens", () => {
    const history = (chars: number) => readThought([user(CODE), thinking(chars)]);
    expect(countUnread(history(4000), gemini, opus)).toBe(1000);
    expect(countUnread(history(4000), opus, opus)).toBe(0);
    expect(countUnread(history(4000), claude("claude-sonnet-5-5"), opus)).toBe(1000);
    expect(countUnread(history(400_000), gemini, opus)).toBe(32_000);
    expect(countUnread(history(4000), opus, gemini)).toBe(1000);
    const sealed = { type: "reasoning.encrypted", data: "A".repeat(1600), format: "openai-responses-v1" };
    const hidden = readThought([{ ...answer, reasoning_details: [sealed as ReasoningDetail] }]);
    expect([countUnread(hidden, opus, opus), hidden.newest]).toEqual([300, "openai-responses-v1"]);
    const plain = readThought([thinking(4000, "unknown"), { ...answer, reasoning_content: "t" }]);
    expect([plain.newest, countUnread(plain, gemini, opus)]).toEqual([null, 0]);
  });

  test("is read by its own model, and by others as the rows say", () => {
    const [fable, older, haiku] = ["claude-fable-5-1", "claude-opus-5", "claude-haiku-5-5"].map((name) =>
      claude(name),
    );
    if (!fable || !older || !haiku) throw new Error("There is no such card.");
    const bedrock = makeModelCard("Bedrock#eu.anthropic.claude-opus-5-5");
    expect([isReaderOf(older, fable), isReaderOf(opus, fable)]).toEqual([true, true]);
    expect([isReaderOf(fable, older), isReaderOf(opus, older)]).toEqual([false, false]);
    expect([isReaderOf(opus, haiku), isReaderOf(bedrock, haiku)]).toEqual([true, false]);
    expect(countUnread(readThought([thinking(4000)]), older, fable)).toBe(0);
    expect(findThinkingFormat(bedrock)).toBe("bedrock-converse-v1");
    expect(findThinkingFormat(makeModelCard("OpenRouter#anthropic/claude-opus-5.5"))).toBe(
      "anthropic-claude-v1",
    );
    expect(findThinkingFormat(makeModelCard("OpenAI#gpt-6.2-sol"))).toBe("openai-responses-v1");
    expect(findThinkingFormat(makeModelCard("Groq#openai/gpt-oss-120b"))).toBeNull();
  });

  test("keeps a model with nothing cached, and one that `fair` would leave for its price", () => {
    const little = [user(CODE), thinking(400), user(CODE)];
    expect(describeChoice(decide("best", little, { cards, ...seen(opus) }))).toBe("claude-opus-5-5 thinking");
    const none = [user(CODE), answer, user(CODE)];
    expect(describeChoice(decide("best", none, { cards, ...seen(opus) }))).toBe("gemini-4-argon by score");
    expect(describeChoice(decide("fair", little, { cards, ...seen(opus, 10) }))).toBe(
      "gemini-4-argon by score",
    );
    const much = decide("fair", [user(CODE), thinking(400_000), user(CODE)], { cards, ...seen(opus, 10) });
    expect(describeChoice(much)).toBe("claude-opus-5-5 thinking");
    expect(much.why).toBe("claude-opus-5-5: stays with the conversation, whose thinking it can read");
    expect(viewRoute(much).stays).toEqual({
      because: "thinking",
      cached_tokens: 10,
      thinking_tokens: 32_000,
    });
    const kept: unknown = JSON.parse(JSON.stringify(keepDecision(much, 0.98)));
    expect(replayDecision(kept)).toEqual({ choice: opus.id, same: true });
  });

  test("of another family than the opening's choice leads to the best of its family", () => {
    const worse = claude("claude-haiku-5-5", { skills: even(0.3) });
    const among = [gemini, worse, opus];
    const history = [user(MATH), thinking(4000), user(CODE)];
    expect(decide("best", history.slice(0, 1), { cards: among }).choice?.name).toBe("gemini-4-argon");
    expect(describeChoice(decide("best", history, { cards: among }))).toBe("claude-opus-5-5 thinking");
    const own = [user(MATH), thinking(4000, "google-gemini-v1"), user(CODE)];
    expect(describeChoice(decide("best", own, { cards: among }))).toBe("gemini-4-argon opening");
    const gone = [user(MATH), thinking(4000, "openai-responses-v1"), user(CODE)];
    expect(describeChoice(decide("best", gone, { cards: among }))).toBe("gemini-4-argon opening");
  });
});
