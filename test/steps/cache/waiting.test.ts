// Requests that wait in the cache for the same answer, on a clock that moves on command.
import { expect, test } from "bun:test";
import { toFault } from "../../../src/core/faults/fault.ts";
import { UNKNOWN_ORIGIN } from "../../../src/core/log/record.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import type { Call } from "../../../src/gateway/call.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { Cache } from "../../../src/steps/cache/cache.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { makeConversation, plainCall } from "../../harness/conversation.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { makeKey } from "../../harness/samples.ts";

/** Nothing is kept, so each request goes on to ask a provider, or waits for one that does. */
const STORE = { find: async () => [], keep: async () => {}, trim: async () => {}, prune: async () => 0 };
const VAULT = { seal: (text: string) => text, open: (text: string) => text, digest: (text: string) => text };
const REQUEST: ChatRequest = { model: "Some#any", messages: [{ role: "user", content: "Hi" }] };
const RULES = { ttlMs: 0, isForClients: true, bytesMax: 1e9, bytesMaxPerAccount: 1e9 };

function makeCall(limitAtMs: number): Call<ChatForm> {
  const key = makeKey("key_a");
  return {
    ...plainCall(),
    operation: CHAT,
    surface: "openai-chat",
    id: "chatcmpl-1",
    created: 0,
    requestId: "req-1",
    key,
    ask: REQUEST,
    origin: UNKNOWN_ORIGIN,
    markup: 1,
    routes: new Routes(CHAT, "openai", new Map()),
    ending: new Ending(),
    conversation: makeConversation(key.id, REQUEST),
    limitAtMs,
    selection: { kind: "card", card: makeModelCard("Some#any"), fallbacks: [] },
    rules: { fairQuality: 1, deny: [], pin: {}, rules: [], explore: 0 },
    caching: {
      ttlMs: 1000,
      ageMaxMs: Number.POSITIVE_INFINITY,
      isOnly: false,
      namespace: null,
      outcome: null,
      whenAlone: (task) => task(),
    },
  };
}

test("a request's own time limit covers all of its waits together", async () => {
  const clock = new ManualClock();
  const cache = new Cache({ store: STORE, vault: VAULT, clock, log: () => {}, rules: () => RULES });
  const begin = (limitAtMs: number) => {
    const call = makeCall(limitAtMs);
    const steps = cache.around([]);
    const found = steps.at(-1)?.before(call, call.ending, async () => {}, []);
    return { found: Promise.resolve(found), end: () => steps[0]?.ended?.(call) };
  };
  const first = begin(Number.POSITIVE_INFINITY);
  expect(await first.found).toBeNull();
  const second = begin(Number.POSITIVE_INFINITY);
  const limited = begin(100);
  const outcomes: unknown[] = [];
  limited.found.catch((thrown: unknown) => outcomes.push(toFault(thrown).code));
  await clock.move(80);
  first.end();
  // It goes next, and the third waits for it, too.
  expect(await second.found).toBeNull();
  await clock.move(19);
  expect(outcomes).toEqual([]);
  await clock.move(1);
  expect(outcomes).toEqual(["client_timeout"]);
});
