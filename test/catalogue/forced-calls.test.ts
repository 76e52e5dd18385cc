// The cards that can be forced to call a tool, compared with how their providers' dialects encode a forced call.

import { expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { ChatRequest, ToolChoice } from "../../src/operations/chat/form.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { findChatCodec } from "../harness/codec.ts";

const TOOLS = ["one", "two"].map((name) => ({ type: "function" as const, function: { name } }));
const CHOICES: readonly ToolChoice[] = ["required", { type: "function", function: { name: "one" } }];

/** True if the dialect of the card's provider drops one of the two forced choices. */
function losesForce(card: ModelCard): boolean {
  const provider = PROVIDERS.find(({ name }) => name === card.provider);
  const dialect = provider?.dialects.find(({ name }) => card.dialects?.includes(name) ?? true);
  return CHOICES.some((choice) => {
    const messages = [{ role: "user" as const, content: "hi" }];
    const request: ChatRequest = { model: card.name, messages, tools: TOOLS, tool_choice: choice };
    const target = { baseUrl: provider?.baseUrl ?? "", secret: null, headers: {} };
    return dialect
      ? findChatCodec(dialect).encode(request, card, target).dropped.includes("tool_choice")
      : false;
  });
}

test("a card has either `tools_auto`, if its dialect can't force a call, or `tools`", () => {
  const cards = loadShippedCards().filter(
    ({ capabilities: can }) => can.has("tools") || can.has("tools_auto"),
  );
  const auto = cards.filter(({ capabilities }) => capabilities.has("tools_auto"));
  expect(auto.map(({ id }) => id)).toEqual(cards.filter(losesForce).map(({ id }) => id));
  expect(auto.length).toBeGreaterThan(20);
  expect(auto.filter(({ capabilities }) => capabilities.has("tools"))).toEqual([]);
});
