// A chat request's conversation and its plan's input, as the gateway creates them.

import type { ModelCard } from "../../src/core/models/card.ts";
import { UNSTEERED } from "../../src/core/models/steering.ts";
import { Prompt } from "../../src/health/prompts.ts";
import { Conversation } from "../../src/health/stickiness.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";

export function makeConversation(
  keyId: string,
  request: ChatRequest,
  session: string | null = null,
): Conversation {
  const { conversations } = CHAT;
  return new Conversation(keyId, {
    nameConversation: () => conversations.name(request, session),
    nameOpening: () => conversations.nameOpening?.(request, session) ?? null,
    isFirstTurn: () => conversations.isFirstTurn?.(request) === true,
    findSignOfGoingOn: () => conversations.findSignOfGoingOn?.(request, session) ?? null,
  });
}

/** Returns the fields of a call for an ordinary request. */
export function plainCall() {
  return {
    raw: null,
    pin: null,
    dropped: [],
    lost: [],
    isLimitRequired: false,
    searches: 0,
    unreadBytes: 0,
    limitAtMs: Number.POSITIVE_INFINITY,
    steering: UNSTEERED,
    idempotency: null,
    proof: null,
    usable: () => [],
    caching: null,
    held: { bytes: 0, shrinkTo: () => {}, release: () => {} },
    time: <Given, Result>(work: (given: Given) => Result, given: Given) => work(given),
    takeSteps: async <Result>(steps: Generator<undefined, Result>) => {
      let step = steps.next();
      while (!step.done) step = steps.next();
      return step.value;
    },
    kept: null,
    prompt: new Prompt("key", { digestPrompt: () => null }),
    trace: null,
  };
}

/** Returns the part of a plan's input that comes from the request. */
export function describeChat(request: ChatRequest) {
  return {
    refuseUnable: (card: ModelCard) => CHAT.refuseUnable(request, card),
    describe: () => CHAT.choosing?.describe(request) ?? { request, needs: new Map() },
  };
}
