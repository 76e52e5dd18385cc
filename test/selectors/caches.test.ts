// The probably cached part of a conversation's prompt: as much as the model was seen to cache, nothing if it never
// does.

import { expect, test } from "bun:test";
import { Caches } from "../../src/health/caches.ts";
import { type Conversation, Stickiness } from "../../src/health/stickiness.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { makeConversation } from "../harness/conversation.ts";
import { makeCard } from "./sample-cards.ts";

const ANN = "ann";

test("a model's caching is predicted from its last answers, or as half before there are any", () => {
  const caches = new Caches();
  expect(caches.estimateTokens("a", ANN, 4000)).toBe(2000);
  for (let turn = 0; turn < 400; turn++) caches.fold("a", ANN, 4000, 4000);
  expect(caches.estimateTokens("a", ANN, 4000)).toBeWithin(3900, 4001);
  for (let turn = 0; turn < 400; turn++) caches.fold("a", ANN, 4000, 0);
  expect(caches.estimateTokens("a", ANN, 4000)).toBeWithin(0, 120);
  expect(caches.estimateTokens("b", ANN, 4000)).toBe(2000);
});

test("of what a payer's estimate rests on, another's turns are at most a quarter", () => {
  const caches = new Caches();
  for (let turn = 0; turn < 400; turn++) caches.fold("a", ANN, 4000, 4000);
  const alone = caches.estimateTokens("a", ANN, 4000);
  for (let turn = 0; turn < 4000; turn++) caches.fold("a", "ben", 4000, 0);
  expect(caches.estimateTokens("a", ANN, 4000)).toBeWithin(alone * 0.75 - 1, alone);
  expect(caches.estimateTokens("a", "cat", 4000)).toBeWithin(1500, 4001);
  expect(caches.estimateTokens("a", "ben", 4000)).toBeWithin(0, 1100);
});

test("prefixes too short for a cache are ignored", () => {
  const caches = new Caches();
  expect(caches.estimateTokens("a", ANN, 1000)).toBe(0);
  for (let turn = 0; turn < 100; turn++) caches.fold("a", ANN, 1000, 0);
  expect(caches.estimateTokens("a", ANN, 2000)).toBe(1000);
});

test("a conversation's prefix counts as cached for ten minutes at the last model, for its own key", () => {
  const stickiness = new Stickiness();
  const attempt = { card: makeCard("a"), credential: { secret: null, weight: 1 } };
  const first: ChatMessage[] = [{ role: "user", content: "x".repeat(8000) }];
  const request = (messages: readonly ChatMessage[]): ChatRequest => ({ model: "", messages });
  const next = () =>
    request([...first, { role: "assistant", content: "Yes." }, { role: "user", content: "y".repeat(4000) }]);
  const held = (key: string, asked: ChatRequest, nowMs: number, cardId: string) => {
    const found = stickiness.findHolder(makeConversation(key, asked), nowMs);
    return found?.cardId === cardId ? found.tokens : 0;
  };
  const opening = makeConversation("key", request(first));
  expect(stickiness.findHolder(opening, 0)).toBeNull();
  stickiness.keep(opening, attempt, 0);
  const later = makeConversation("key", next());
  expect(stickiness.findHolder(later, 1)?.tokens).toBeWithin(1990, 2010);
  expect([later.countTokensHeldBy("Acme#a"), later.countTokensHeldBy("Acme#b")]).toEqual([
    held("key", next(), 1, "Acme#a"),
    0,
  ]);
  expect(held("key", next(), 1, "Acme#b")).toBe(0);
  expect(held("other", next(), 1, "Acme#a")).toBe(0);
  expect(held("key", next(), 600_001, "Acme#a")).toBe(0);
});

/** Remembers that the model has served this turn. */
function keepTurn(stickiness: Stickiness, conversation: Conversation, model: string): void {
  stickiness.findHolder(conversation, 0);
  stickiness.keep(conversation, { card: makeCard(model) }, 0);
}

test("each turn is known by the one before, with the answer between them", () => {
  const stickiness = new Stickiness();
  const turns: ChatMessage[] = [{ role: "user", content: "1" }];
  for (const model of ["a", "b", "c"]) {
    keepTurn(stickiness, makeConversation("key", { model: "", messages: [...turns] }), model);
    turns.push({ role: "assistant", content: "Yes." }, { role: "user", content: model });
    const next = makeConversation("key", { model: "", messages: [...turns] });
    expect(stickiness.findHolder(next, 1)?.cardId).toBe(`Acme#${model}`);
  }
});

test("a session is known by the client's name for it, whatever its messages are", () => {
  const stickiness = new Stickiness();
  const say = (content: string, session: string) =>
    makeConversation("key", { model: "", messages: [{ role: "user", content }] }, session);
  keepTurn(stickiness, say("Read it all.", "one"), "a");
  expect(stickiness.findHolder(say("In short: it was long.", "one"), 1)?.cardId).toBe("Acme#a");
  expect(stickiness.findHolder(say("Read it all.", "other"), 1)).toBeNull();
});

test("50,000 conversations are remembered", () => {
  const stickiness = new Stickiness();
  const open = (user: string) =>
    makeConversation("key", { model: "", messages: [{ role: "user", content: "Hi" }], user });
  for (let at = 0; at <= 50_000; at++) keepTurn(stickiness, open(`user ${at}`), "a");
  expect(stickiness.findHolder(open("user 0"), 1)).toBeNull();
  expect(stickiness.findHolder(open("user 1"), 1)?.cardId).toBe("Acme#a");
});
