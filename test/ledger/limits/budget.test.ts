// The daily budget for free requests: held before each call, settled after it. Beyond it the balance pays.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Offer } from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { FreeRules } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import { matchesAny } from "../../../src/core/text/pattern.ts";
import {
  DAY,
  expectGrant,
  FAILED,
  give,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOffer,
  makeOutcome,
  NOON,
  openMemoryStore,
  standingClock,
} from "../../harness/samples.ts";

const USD = 1_000_000_000;
const key = makeKey("key_a");
let store: Store;
let count = 0;

beforeEach(async () => {
  store = await openMemoryStore(key);
});
afterEach(() => store.close());

/** A model at this many USD per million output tokens, with free input. */
function model(card: string, outputUsdPerMillion: number, fields: Partial<Offer> = {}): Offer {
  return makeOffer({ card, outputUsdPerMillion, outputTokensMax: 128_000, ...fields });
}

function opened(free: Partial<FreeRules>, requestsPerDay: number | null = 200) {
  const clock = standingClock(NOON);
  const quota = { requestsPerDay, free: { models: ["*"], budgetNanoUsd: 20 * USD, ...free } };
  const ledger = ledgerOn(store, { clock, quota });
  const ask = async (...offers: readonly Offer[]) => {
    const ticket = ledger.ticket(
      makeAsk(`request ${count++}`, key, { offers: () => offers, nowMs: clock.nowMs() }),
    );
    const granted = await expectGrant(ledger, ticket);
    return { ticket, ...granted };
  };
  const end = (ticket: Parameters<typeof makeOutcome>[0], costNanoUsd: number) =>
    ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd }));
  return { clock, ledger, ask, end };
}

const faultOf = (ask: Promise<unknown>): Promise<Fault | null> =>
  ask.then(
    () => null,
    (thrown: unknown) => (thrown instanceof Fault ? thrown : Promise.reject(thrown)),
  );

describe("the budget for free requests", () => {
  test("allows a request without a limit a quarter of the rest", async () => {
    const { ask } = opened({});
    // At 120 USD per million, 5 USD buy 41,666 tokens.
    expect((await ask(model("Dear#pro", 120))).outputTokens).toEqual({ "Dear#pro": 41_666 });
  });

  test("allows all 200 daily requests at once at 15 USD per million tokens", async () => {
    const { ask } = opened({});
    const asked = Array.from({ length: 1000 }, () => faultOf(ask(model("Usual#one", 15))));
    const faults = (await Promise.all(asked)).filter((fault) => fault !== null);
    expect(faults.length).toBe(800);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["rate_limit_exceeded"]));
  });

  test("bounds the cost of a day, whatever is requested", async () => {
    const { ask, end } = opened({});
    let spent = 0;
    for (;;) {
      const asked = await ask(model("Dear#pro", 120, { choices: 16 })).catch(() => null);
      if (asked === null) break;
      const cost = 16 * 120 * 1000 * (asked.outputTokens?.["Dear#pro"] ?? 0);
      await end(asked.ticket, cost);
      spent += cost;
    }
    expect(spent).toBeGreaterThan(15 * USD);
    expect(spent).toBeLessThanOrEqual(20 * USD);
  });

  test("refuses what it doesn't cover, and says when the next day begins", async () => {
    const { ask, end, clock } = opened({ budgetNanoUsd: USD });
    await end((await ask(model("Dear#pro", 120))).ticket, USD);
    const fault = await faultOf(ask(model("Dear#pro", 120)));
    expect(fault?.code).toBe("budget_exceeded");
    expect(fault?.row).toMatchObject({ status: 429, type: "insufficient_quota", final: true });
    expect(fault?.details).toMatchObject({ resetAtMs: NOON + DAY / 2, resetsInMs: DAY / 2 });
    const limit = { scope: "key", kind: "budget", per: "day", limit: 1, used: 1, reserved: 0 };
    expect(fault?.details.limit).toMatchObject({ ...limit, resetsAtMs: NOON + DAY / 2 });
    expect(fault?.message).toMatch(
      /^Budget exceeded: .* quota of \$1\.00 \(the day's budget for free requests\)/,
    );
    expect(fault?.details.retryAfterMs).toBeUndefined();
    expect((await ask(model("Free#one", 0))).place.kind).toBe("allowance");
    clock.atMs = NOON + DAY / 2;
    expect((await ask(model("Dear#pro", 120))).place.kind).toBe("allowance");
  });

  test("is followed by the balance", async () => {
    await give(store, "default", 10 * USD);
    const { ask, end } = opened({ budgetNanoUsd: USD });
    await end((await ask(model("Dear#pro", 120))).ticket, USD);
    expect((await ask(model("Dear#pro", 120))).place.kind).toBe("balance");
  });

  test("removes models that it doesn't cover from the plan", async () => {
    const { ask } = opened({ budgetNanoUsd: USD / 10 });
    const { outputTokens } = await ask(model("Dear#pro", 120), model("Cheap#mini", 1));
    expect(Object.keys(outputTokens ?? {})).toEqual(["Cheap#mini"]);
  });

  test("is released when a request fails, and spent when it is answered", async () => {
    const { ask, end, ledger } = opened({ budgetNanoUsd: USD });
    const first = await ask(model("Dear#pro", 120));
    const second = await ask(model("Dear#pro", 120));
    await ledger.settle(first.ticket, { ...makeOutcome(first.ticket), ...FAILED });
    await end(second.ticket, USD / 2);
    // Nothing is held, so it is a quarter of half a dollar.
    expect((await ask(model("Dear#pro", 120))).outputTokens).toEqual({ "Dear#pro": 1041 });
  });

  test("ignores models without a price and keys without a limit", async () => {
    const unpriced = makeOffer({ card: "Own#one", isPriced: false });
    const { ask, end } = opened({ budgetNanoUsd: USD });
    await end((await ask(model("Dear#pro", 120))).ticket, USD);
    expect((await ask(unpriced)).place.kind).toBe("allowance");
    expect((await opened({ budgetNanoUsd: 0 }, null).ask(model("Dear#pro", 120))).outputTokens).toBeNull();
  });

  test("may lower a limit that is only a wish, but not below 4,096 tokens", async () => {
    const { ask } = opened({ budgetNanoUsd: USD });
    const wish = (outputTokensAsked: number, isLimitMeant: boolean) =>
      ask(model("Dear#pro", 120, { outputTokensAsked, isLimitMeant }));
    expect((await wish(100_000, false)).outputTokens).toEqual({ "Dear#pro": 4096 });
    expect((await faultOf(wish(16_384, true)))?.code).toBe("budget_exceeded");
  });
});

describe("models that may be used for free", () => {
  test("are selected by patterns, and others are paid for or refused", async () => {
    const { ask } = opened({ models: ["Cheap#*"] });
    expect((await ask(model("Cheap#mini", 1))).place.kind).toBe("allowance");
    expect((await faultOf(ask(model("Dear#pro", 120))))?.code).toBe("model_not_allowed");
    await give(store, "default", 10 * USD);
    expect((await ask(model("Dear#pro", 120))).place.kind).toBe("balance");
  });

  test("apply without a budget too", async () => {
    const { ask } = opened({ models: ["cheap#MINI"], budgetNanoUsd: null });
    const { outputTokens } = await ask(model("Dear#pro", 120), model("Cheap#mini", 1));
    expect(outputTokens).toEqual({ "Cheap#mini": 128_000 });
  });
});

test("a refusal says that a top-up helps if it does, and only then", async () => {
  const priced = model("a", 10);
  const unpriced = model("a", 10, { isPriced: false });
  const used = opened({ budgetNanoUsd: null }, 1);
  await used.ask(priced);
  const cases = [used, opened({ budgetNanoUsd: 0 }), opened({ models: ["b"] })];
  for (const { ask } of cases) {
    const messages = [await faultOf(ask(priced)), await faultOf(ask(unpriced))].map(
      (fault) => fault?.message ?? "",
    );
    expect(messages[0]).toMatch(/top up the account/i);
    expect(messages[1]).not.toMatch(/top up/i);
  }
});

test("match whole ids in any case, and only * is special", () => {
  expect(matchesAny(["OpenAI#gpt-*"], "openai#GPT-5.4-mini")).toBe(true);
  expect(matchesAny(["OpenAI#gpt-5.4"], "OpenAI#gpt-504")).toBe(false);
  expect(matchesAny(["*mini"], "OpenAI#gpt-5.4-mini-high")).toBe(false);
  expect(matchesAny(["a*c*"], "a#bc#d")).toBe(true);
  expect(matchesAny([], "OpenAI#gpt-5.4")).toBe(false);
});

describe("a balance", () => {
  test("must cover the requested model, while a fallback that it doesn't cover leaves the plan", async () => {
    await give(store, "default", USD / 10);
    const { ask } = opened({}, 0);
    const asked = (...offers: readonly Offer[]) => ask(...offers);
    const { place, outputTokens } = await asked(model("Cheap#mini", 1), model("Dear#pro", 120));
    expect([place.kind, Object.keys(outputTokens ?? {})]).toEqual(["balance", ["Cheap#mini"]]);
    expect((await asked(model("Dear#pro", 120), model("Cheap#mini", 1))).place.kind).toBe("throttle");
  });
});
