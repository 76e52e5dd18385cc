// Reading a request: a conversation that goes on from an earlier turn is read as if it were new, and its task only once.
import { describe, expect, test } from "bun:test";
import { followEarlier, GrowingList } from "../../src/core/json/growing.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { readRequest } from "../../src/selectors/text/reading.ts";
import { makeDice } from "./dice.ts";
import { PROMPTS } from "./sample-cards.ts";

const CALL = { id: "call", type: "function", function: { name: "look", arguments: '{"at":"x"}' } } as const;
const TEXTS = [...PROMPTS, "Go on.", "yes please", "<system-reminder>x</system-reminder>", ""];

function anyMessage(roll: () => number): ChatMessage {
  const content = TEXTS[Math.floor(roll() * TEXTS.length)] ?? "";
  const share = roll();
  if (share < 0.3) return { role: "assistant", content, tool_calls: [CALL] };
  if (share < 0.6) return { role: "tool", tool_call_id: "call", content };
  if (share < 0.7) return { role: "assistant", content };
  return { role: share < 0.8 ? "system" : "user", content };
}

/** Returns a request of a conversation that grows, from an earlier turn if there was one. */
function grow(messages: ChatMessage[], earlier?: readonly ChatMessage[]): ChatRequest {
  if (earlier === undefined) new GrowingList().follow(messages);
  else followEarlier(earlier, messages);
  return { model: "x", messages };
}

describe("a conversation that goes on", () => {
  test("is read as if it were new", () => {
    const roll = makeDice(3);
    for (let round = 0; round < 60; round++) {
      let messages: ChatMessage[] = [{ role: "user", content: PROMPTS[round % PROMPTS.length] ?? "" }];
      readRequest(grow(messages));
      for (let turn = 0; turn < 8; turn++) {
        // Some clients shorten a conversation.
        const kept = roll() < 0.1 ? messages.slice(0, -1) : messages;
        const next = [...kept, ...Array.from({ length: 1 + Math.floor(roll() * 3) }, () => anyMessage(roll))];
        const request = grow(next, messages);
        expect(readRequest(request)).toEqual(readRequest({ model: "x", messages: [...next] }));
        messages = next;
      }
    }
  });

  test("has its task read once while an agent calls tools", () => {
    let reads = 0;
    const task: ChatMessage = {
      role: "user",
      get content() {
        reads++;
        return PROMPTS[0] ?? "";
      },
    };
    const first: ChatMessage[] = [task];
    const { prediction } = readRequest(grow(first));
    const once = reads;
    expect(once).toBeGreaterThan(0);
    const next: ChatMessage[] = [
      task,
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call", content: "found" },
    ];
    expect(readRequest(grow(next, first)).prediction.kinds).toEqual(prediction.kinds);
    expect(reads).toBe(once);
  });
});
