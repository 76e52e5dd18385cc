// Simulated days: how selectors react to providers that slow down, change their price, fail, or are new.
import { describe, expect, test } from "bun:test";
import { SELECTORS, type Selector } from "../../src/core/models/selector.ts";
import {
  computeShare,
  Day,
  EVEN,
  FAVOURITE,
  MINUTE,
  MODELS,
  QUICK,
  SECOND,
  SLOW,
  skillsAt,
  USUAL,
} from "./day.ts";

/** The time within which a selector must notice a change. */
const NOTICE_MS = 30 * SECOND;
/** The time within which a past outage is forgotten. */
const BACK_MS = 45 * SECOND;

const wellOf = (provider: string) => (provider === "Thrift" ? QUICK : USUAL);

/** A day after this selector's first minute, in which it chose only its favourite. */
function dayOf(selector: Selector): { readonly day: Day; readonly favourite: string } {
  const day = new Day();
  const favourite = FAVOURITE[selector];
  expect(computeShare(favourite, day.ask(selector, MINUTE))).toBe(1);
  return { day, favourite };
}

describe.each(SELECTORS)("Router#%s", (selector) => {
  const outages: readonly (readonly [what: string, failsAfterMs: number, forMs: number])[] = [
    ["at once", 200, 2 * MINUTE],
    ["after seconds", 5000, 2 * MINUTE],
    ["for long", 1000, 20 * MINUTE],
  ];
  test.each(outages)(
    "avoids a provider that fails %s, without a failed answer, and returns to it",
    (_, ms, forMs) => {
      const { day, favourite } = dayOf(selector);
      day.is(favourite, { ...USUAL, failsAfterMs: ms });
      const noticing = day.ask(selector, NOTICE_MS);
      const noticed = day.ask(selector, forMs);
      expect(computeShare(favourite, noticed)).toBeLessThan(0.05);
      day.is(favourite, wellOf(favourite));
      const healing = day.ask(selector, BACK_MS);
      expect(computeShare(favourite, day.ask(selector, NOTICE_MS))).toBe(1);
      for (const { served, chosen, first } of [...noticing, ...noticed, ...healing]) {
        expect(served).not.toBeNull();
        expect(chosen).toBe(first);
      }
    },
  );

  test("returns after an outage of seconds", () => {
    const { day, favourite } = dayOf(selector);
    day.is(favourite, { ...USUAL, failsAfterMs: 5000 });
    day.ask(selector, 10 * SECOND);
    day.is(favourite, wellOf(favourite));
    day.ask(selector, BACK_MS);
    expect(computeShare(favourite, day.ask(selector, NOTICE_MS))).toBe(1);
  });

  test("returns after an outage without requests", () => {
    const { day, favourite } = dayOf(selector);
    day.is(favourite, { ...USUAL, failsAfterMs: 5000 });
    day.ask(selector, MINUTE);
    day.is(favourite, wellOf(favourite));
    day.rest(5 * MINUTE);
    expect(computeShare(favourite, day.ask(selector, MINUTE))).toBeGreaterThan(0.5);
  });

  test("pauses a provider for as long as it asks, and says so", () => {
    const { day, favourite } = dayOf(selector);
    day.is(favourite, { ...USUAL, restsMs: 20 * SECOND });
    const refused = day.ask(selector, 1);
    day.is(favourite, wellOf(favourite));
    day.rest(SECOND);
    const resting = day.ask(selector, 15 * SECOND);
    expect(computeShare(favourite, resting)).toBe(0);
    for (const { served, chosen, first } of [...refused, ...resting]) {
      expect(served).not.toBe(favourite);
      expect(chosen).toBe(first);
    }
    day.rest(10 * SECOND);
    expect(computeShare(favourite, day.ask(selector, NOTICE_MS))).toBe(1);
  });

  test("has no model left if all fail, and recovers when one does", () => {
    const { day, favourite } = dayOf(selector);
    for (const name of Object.keys(MODELS)) day.is(name, { ...USUAL, failsAfterMs: 200 });
    day.ask(selector, MINUTE);
    for (const name of Object.keys(MODELS)) day.is(name, wellOf(name));
    day.ask(selector, 3 * MINUTE);
    const after = day.ask(selector, NOTICE_MS);
    expect(computeShare(favourite, after)).toBe(1);
    for (const { served } of after) expect(served).toBe(favourite);
  });
});

describe("a provider that slows down", () => {
  test("loses Router#light within 30 s, is probed rarely, and is used again", () => {
    const { day, favourite } = dayOf("light");
    day.is(favourite, SLOW);
    day.ask("light", NOTICE_MS);
    expect(computeShare(favourite, day.ask("light", 10 * MINUTE))).toBeLessThan(0.1);
    day.is(favourite, wellOf(favourite));
    day.ask("light", 4 * MINUTE);
    expect(computeShare(favourite, day.ask("light", NOTICE_MS))).toBe(1);
  });

  test("is probed by one request at a time, even after its statistics have expired", () => {
    const { day, favourite } = dayOf("light");
    day.is(favourite, SLOW);
    day.ask("light", NOTICE_MS);
    const looks = day.ask("light", 10 * MINUTE).filter(({ first }) => first === favourite);
    expect(looks.length).toBeWithin(1, 9);
    for (const [at, { atMs }] of looks.entries()) {
      if (at > 0) expect(atMs - (looks[at - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(MINUTE);
    }
    day.rest(20 * MINUTE);
    expect(day.ask("light", 20 * SECOND).filter(({ first }) => first === favourite)).toHaveLength(1);
  });

  test.each(["best", "fair"] as const)("keeps Router#%s", (selector) => {
    const { day, favourite } = dayOf(selector);
    day.is(favourite, SLOW);
    expect(computeShare(favourite, day.ask(selector, 3 * MINUTE))).toBe(1);
  });
});

describe("failures", () => {
  const onceIn = (every: number, gapMs: number, rounds: number) => {
    const day = new Day({ ...MODELS, Thrift: { price: [0.5, 2], skills: skillsAt(0.945) } }, 0.98);
    const picks = [];
    for (let at = 0; at < rounds; at++) {
      day.is("Thrift", at % every === every - 1 ? { ...USUAL, failsAfterMs: 300 } : QUICK);
      picks.push(...day.ask("fair", 1));
      day.rest(gapMs);
    }
    return computeShare("Thrift", picks);
  };

  test("that are few don't exclude a model, with much traffic or little", () => {
    expect(onceIn(30, 500, 600)).toBe(1);
    expect(onceIn(12, 10 * SECOND, 120)).toBe(1);
  });

  test("that are many exclude it", () => {
    expect(onceIn(3, 500, 600)).toBeLessThan(0.5);
  });
});

describe("a price changed by a reload", () => {
  const dearer = { ...MODELS, Thrift: { price: [30, 90], skills: skillsAt(0.89) } } as const;

  test("moves Router#fair at the next request, and back", () => {
    const { day } = dayOf("fair");
    day.reload(dearer);
    expect(day.next("fair")).toBe("Fast");
    expect(computeShare("Fast", day.ask("fair", MINUTE))).toBe(1);
    day.reload(MODELS);
    expect(day.next("fair")).toBe("Thrift");
  });

  test.each(["best", "light"] as const)("doesn't move Router#%s", (selector) => {
    const { day, favourite } = dayOf(selector);
    day.reload(dearer);
    expect(computeShare(favourite, day.ask(selector, MINUTE))).toBe(1);
  });
});

describe("a new model with only a row of skills", () => {
  const MATHS = "Solve the equation 3x^2 - 12x + 9 = 0 and prove that the sum of its roots is 4.";
  const CODE = "Write a Python function that reverses a linked list in place.";
  const HISTORY = "Which king of France was executed in 1793, and in which city did it happen?";
  const only = (kind: string, level: number) =>
    `{ ${EVEN.replaceAll("L", "0.6").replace(`${kind}: 0.6`, `${kind}: ${level}`)}, tools: 0.6 }`;
  const withNew = (kind: string) =>
    ({
      ...MODELS,
      Able: { price: [8, 40], skills: skillsAt(0.85) },
      Fresh: { price: [7, 35], skills: only(kind, 0.99) },
    }) as const;

  test.each([
    ["math", MATHS],
    ["coding", CODE],
    ["knowledge", HISTORY],
  ])("is best for %s, and not for the rest", (kind, ofKind) => {
    const day = new Day(withNew(kind));
    const prompts = [MATHS, CODE, HISTORY];
    const chosenFor = prompts.filter((prompt) => day.next("best", prompt) === "Fresh");
    expect(chosenFor).toEqual([ofKind]);
  });

  test("is never chosen if it is no better", () => {
    const day = new Day({ ...MODELS, Fresh: { price: [7, 35], skills: skillsAt(0.6) } });
    for (const selector of SELECTORS) {
      for (const prompt of [MATHS, CODE, HISTORY]) expect(day.next(selector, prompt)).not.toBe("Fresh");
    }
  });

  test("is fair's choice where it is as good and cheaper, and only there", () => {
    const cheap = { price: [0.01, 0.05], skills: only("math", 0.97) } as const;
    const day = new Day({ ...MODELS, Fresh: cheap });
    expect(day.next("fair", MATHS)).toBe("Fresh");
    expect(day.next("fair", HISTORY)).toBe("Thrift");
  });
});
