// Exploration: as often as the operator sets, by the injected chance, never where it isn't allowed, always marked.

import { describe, expect, test } from "bun:test";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup, RouterRules } from "../../src/core/settings.ts";
import { Ending } from "../../src/core/world/ending.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { planRequest } from "../../src/gateway/plan/plan-request.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import type { ChooseInput } from "../../src/selectors/ask.ts";
import { choose } from "../../src/selectors/choose.ts";
import { keepDecision, replayDecision } from "../../src/selectors/decision.ts";
import { explore } from "../../src/selectors/explore.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { makeKey } from "../harness/samples.ts";
import { NO_LEARNING } from "../learning/no-learning.ts";
import { makeDice } from "./dice.ts";
import { asking, CODE, even, MATH, makeCard, makeInput, RULES, TRIVIA } from "./sample-cards.ts";

/** `twin` is about as good and as expensive as `strong`, `dear` is as good, and `weak` is far below. */
const CARDS = [
  makeCard("strong", 10, { skills: even(0.9) }),
  makeCard("twin", 11, { skills: even(0.897) }),
  makeCard("dear", 50, { skills: even(0.9) }),
  makeCard("weak", 0.2, { skills: even(0.3) }),
];
const chosen = (selector: "best" | "fair" | "light", prompt = TRIVIA, more: Partial<ChooseInput> = {}) =>
  choose(SELECTOR_RULES[selector], makeInput(asking(prompt), { cards: CARDS, ...more }));

describe("exploring another model", () => {
  test("happens in the configured share of requests", () => {
    const roll = makeDice(5);
    const choice = chosen("fair");
    const tried = Array.from({ length: 20_000 }, () => explore(choice, 0.02, roll)).filter(Boolean);
    expect(tried.length).toBeWithin(330, 470);
    expect(new Set(tried.map((one) => one?.card.name))).toEqual(new Set(["twin"]));
  });

  test("never happens unless enabled: no random number is even drawn", () => {
    let rolls = 0;
    const roll = () => {
      rolls++;
      return 0;
    };
    expect(explore(chosen("best"), 0, roll)).toBeNull();
    expect(rolls).toBe(0);
  });

  test.each(["best", "fair", "light"] as const)(
    "by Router#%s picks one that is good enough and not more expensive",
    (selector) => {
      for (const prompt of [TRIVIA, CODE, MATH]) {
        for (const at of [0, 0.3, 0.6, 0.99]) {
          let first = true;
          const roll = () => {
            if (!first) return at;
            first = false;
            return 0;
          };
          const choice = chosen(selector, prompt);
          const one = explore(choice, 0.01, roll);
          expect(one?.card).not.toBe(choice.choice);
          expect(["weak", "dear"]).not.toContain(one?.card.name ?? "");
          if (selector !== "best" && one) expect(one.score).toBeGreaterThanOrEqual(1);
        }
      }
    },
  );

  test("never happens if a pin decides or at most one model can serve", () => {
    const pinned = chosen("best", CODE, { rules: { ...RULES, pin: { coding: "Acme#twin" } } });
    expect(pinned.pinned).toBe("coding");
    const alone = chosen("best", CODE, { cards: CARDS.slice(0, 1) });
    const nobody = chosen("best", CODE, { rules: { ...RULES, deny: CARDS.map(({ id }) => id) } });
    for (const choice of [pinned, alone, nobody]) expect(explore(choice, 0.02, () => 0)).toBeNull();
  });
});

describe("an explored model", () => {
  const choice = chosen("fair");
  const other = choice.candidates.find(({ card }) => card.name === "twin")?.card ?? null;

  test("is named in the decision, which is the same when replayed", () => {
    const kept = keepDecision(choice, 0.98, other);
    expect(kept).toMatchObject({ choice: "Acme#twin", instead_of: "Acme#strong" });
    const again = JSON.parse(JSON.stringify(kept));
    expect(replayDecision(again)).toEqual({ choice: "Acme#twin", same: true });
    expect(replayDecision({ ...again, instead_of: "Acme#weak" })).toMatchObject({ same: false });
    expect(keepDecision(choice, 0.98).instead_of).toBeNull();
  });

  /** The plan of a request if all bytes of chance are equal to `byte`. */
  function planBy(byte: number, explore: number) {
    const events: LogEvent[] = [];
    const log = (event: LogEvent) => void events.push(event);
    const clock = { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {}, every: () => () => {} };
    const rules: RouterRules = { ...RULES, fairQuality: 0.9, explore };
    const setup: ProviderSetup = {
      name: "Acme",
      dialect: "openai",
      baseUrl: "http://x.test",
      headers: {},
      unlistedModels: false,
      credentials: [{ secret: "s", weight: 1 }],
      timeouts: { connectMs: 1, firstByteMs: null, idleMs: 1, totalMs: 1 },
    };
    const plan = planRequest(
      {
        random: { bytes: (count: number) => new Uint8Array(count).fill(byte) },
        health: new Health(log),
        stickiness: new Stickiness(),
        learning: NO_LEARNING,
        caches: new Caches(),
        log,
        deadlines: new DeadlineSweep(clock),
      },
      {
        id: "chatcmpl-1",
        created: 0,
        requestId: "req-1",
        origin: UNKNOWN_ORIGIN,
        key: makeKey("key"),
        ask: asking(TRIVIA),
        operation: CHAT,
        surface: "openai-chat",
        ...plainCall(),
        conversation: makeConversation("key", asking(TRIVIA)),
        selection: { kind: "selector", selector: SELECTOR_RULES.fair, candidates: CARDS },
        rules,
        markup: 1,
        ending: new Ending(),
        routes: new Routes(CHAT, "openai", new Map([["Acme", makeUpstream(setup, [findDialect("openai")])]])),
      },
    );
    return { names: plan.attempts.map(({ card }) => card.name), decision: plan.decision, events };
  }

  test("comes first in the plan and the log, before the usual choice", () => {
    const usual = planBy(255, 0.02);
    expect([usual.names[0], usual.decision?.instead_of, usual.events]).toEqual(["strong", null, []]);
    const { names, decision, events } = planBy(0, 0.02);
    expect(names.slice(0, 2)).toEqual(["twin", "strong"]);
    expect(decision).toMatchObject({ choice: "Acme#twin", instead_of: "Acme#strong" });
    expect(events).toEqual([
      {
        event: "explored",
        level: "info",
        request_id: "req-1",
        model: "Acme#twin",
        instead_of: "Acme#strong",
      },
    ]);
    expect(planBy(0, 0).names[0]).toBe("strong");
  });
});
