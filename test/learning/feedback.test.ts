// Feedback on one model per prompt: several keys together replace a model that fails them, one of them moves nothing.
import { describe, expect, test } from "bun:test";
import { collectVoices, type UserScore, weighVoices } from "../../src/learning/feedback.ts";
import { even, foretold, makeCard } from "../selectors/sample-cards.ts";
import { hasData, type Pool } from "../selectors/training/data.ts";
import { HONEST, makeStream, simulateFeedback } from "../selectors/training/feedback.ts";
import { findPrompt, learnFrom, measureShare } from "../selectors/training/taught.ts";

const strong = makeCard("strong", 10, { skills: even(0.85) });
const cards = [strong, makeCard("weak", 1, { skills: even(0.7) })];
const KEYS = 5;

/** Learns 60 scores of the strong model's answers by each key. Returns the share of picks for `name`. */
function measureAfter(name: string, keys: number, score: (key: number, at: number) => number): number {
  const learned = learnFrom(cards, 60 * keys, (at) => {
    const marks = [{ model: strong.id, score: score(at % keys, at), expected: 0.85 }];
    return { prompt: findPrompt(at).prompt, marks, keyId: `key ${at % keys}` };
  });
  return measureShare(name, cards, learned);
}

const isGood = (at: number) => Number(at % 20 < 17);

describe("what keys say of the champion", () => {
  test.each([2, 3, 5, 20])("%d keys, of which one always scores it 0, change nothing", (keys) => {
    expect(measureAfter("strong", keys, (key, at) => (key === 0 ? 0 : isGood(at)))).toBe(1);
  });

  test.each([2, 5, 20])("%d keys together replace it if it fails them", (keys) => {
    expect(measureAfter("weak", keys, () => 0)).toBe(1);
  });

  test("even if one of them praises it", () => {
    expect(measureAfter("weak", KEYS, (key) => Number(key === 0))).toBe(1);
  });

  test("a single key is believed, because it is the owner's", () => {
    expect(measureAfter("weak", 1, () => 0)).toBe(1);
  });
});

describe("accounts with several keys", () => {
  /** Learns 24 scores by each key: three accounts of one key each, and one account of twelve, which lies. */
  const learnFromAccounts = (score: (isLiar: boolean, at: number) => number, choosable = cards) =>
    learnFrom(
      cards,
      24 * 15,
      (at) => {
        const key = at % 15;
        const marks = [{ model: strong.id, score: score(key >= 3, at), expected: 0.85 }];
        const accountId = key < 3 ? `account ${key}` : "liar";
        return { prompt: findPrompt(at).prompt, marks, accountId, keyId: `key ${key}` };
      },
      choosable,
    );

  test("twelve keys of one account are one voice, which moves nothing", () => {
    const learned = learnFromAccounts((isLiar, at) => (isLiar ? 0 : isGood(at)));
    expect(measureShare("strong", cards, learned)).toBe(1);
    expect(learned.sway).toBeNull();
  });

  test("if all accounts agree, none decides alone", () => {
    const learned = learnFromAccounts(() => 0);
    expect(measureShare("weak", cards, learned)).toBe(1);
    expect(learned.sway).toBeNull();
  });

  test("an account whose scores tip the balance is named", () => {
    const learned = learnFrom(
      cards,
      180,
      (at) => {
        const account = at % 3;
        const marks = [{ model: strong.id, score: account === 0 ? isGood(at) : 0, expected: 0.85 }];
        return { prompt: findPrompt(at).prompt, marks, accountId: `account ${account}`, keyId: "key" };
      },
      cards,
    );
    expect(measureShare("weak", cards, learned)).toBe(1);
    expect(learned.sway).toMatchObject({ best: "Acme#weak", otherwise: "Acme#strong" });
    expect(learned.sway?.accountId).toMatch(/^account [12]$/);
  });
});

/** Returns the corrections after each key's 40 equal scores of each model, less what was expected. */
function weigh(models: Readonly<Record<string, readonly number[]>>): Readonly<Record<string, number>> {
  const all = Object.entries(models).flatMap(([model, residuals]) =>
    residuals.map((residual, key) => ({ model, residual, accountId: "one", keyId: `key ${key}` })),
  );
  const more = { weight: 1, phi: new Float64Array(1) };
  const scores: UserScore[] = all.flatMap((one) => Array.from({ length: 40 }, () => ({ ...one, ...more })));
  const lifts = finish(weighVoices(finish(collectVoices(scores, null))));
  return Object.fromEntries(Object.entries(lifts).map(([model, { lift }]) => [model, lift]));
}

/** Runs work in slices to its end. */
function finish<Value>(slices: Generator<void, Value>): Value {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}
const same = (residual: number) => Array.from({ length: KEYS }, () => residual);

describe("a correction", () => {
  test("is smaller if other models are scored low as well: the users are strict", () => {
    const alone = weigh({ a: same(-0.4) });
    const both = weigh({ a: same(-0.4), b: same(-0.4) });
    expect(alone.a).toBeWithin(-0.25, -0.15);
    expect(both.a).toBeWithin((alone.a ?? 0) + 0.02, -0.05);
    expect(both.a).toBe(both.b ?? Number.NaN);
  });

  test("isn't made for what chance explains", () => {
    expect(weigh({ a: same(-0.05) }).a).toBeCloseTo(0, 9);
  });

  test("is hardly larger than without one key, whatever that key says", () => {
    const usual = weigh({ a: [-0.4, -0.4, -0.4, -0.4, -0.4] }).a ?? 0;
    for (const lie of [-1, -0.7, 0, 0.6]) {
      const { a } = weigh({ a: [-0.4, -0.4, -0.4, -0.4, lie] });
      expect(a).toBeWithin(1.1 * usual, 0);
    }
  });

  test("needs a second key once a second one scores anything", () => {
    expect(weigh({ a: [-0.8] }).a).toBeLessThan(-0.4);
    expect(weigh({ a: [-0.8], b: [0, 0] }).a).toBeCloseTo(0, 9);
    expect(weigh({ a: [-0.8, 0.2] }).a).toBeCloseTo(0, 1);
  });

  test("isn't made again for what labels said already", () => {
    const labelled = (at: number) => ({
      prompt: findPrompt(at).prompt,
      marks: cards.map(({ id }) => ({
        model: id,
        score: id === strong.id ? isGood(at) - 0.3 : 0.7,
        expected: 0.85,
      })),
    });
    const scored = (at: number) => {
      const marks = [{ model: strong.id, score: isGood(at) - 0.3, expected: 0.85 }];
      return { prompt: findPrompt(at).prompt, marks, keyId: `key ${at % KEYS}` };
    };
    const before = learnFrom(cards, 200, labelled);
    const after = learnFrom(cards, 400, (at) => (at < 200 ? labelled(at) : scored(at)));
    const lift = (one: typeof before) =>
      one.shiftsBy(new Map([[strong.id, 0]]), foretold(findPrompt(0).prompt)).lift(0);
    expect(lift(before)).toBeLessThan(-0.2);
    expect(lift(after)).toBeCloseTo(lift(before), 2);
  });
});

/** The longest time for thousands of decisions on a busy machine. */
const SIMULATED_MS = 60_000;

/** Three streams of a pool's public rows, of which users score a quarter of the answers. */
function measureQuarters(pool: Pool, liars: number, start?: "price"): readonly (readonly number[])[] {
  return [1, 2, 3].map((seed) => {
    const { field, rows } = makeStream(pool, { start, seed });
    return simulateFeedback(field, rows, { ...HONEST, liars, seed }).quarters;
  });
}

describe.skipIf(!hasData())("on public rows", () => {
  test.each([0, 1])(
    "the best single model stays with %d liars of five",
    (liars) => {
      for (const pool of ["llmrouter9", "zeroeval"] as const)
        for (const quarters of measureQuarters(pool, liars))
          expect(Math.min(...quarters)).toBeGreaterThan(-1);
    },
    SIMULATED_MS,
  );

  test(
    "it is found if another one is thought better at first, even with a liar",
    () => {
      for (const liars of [0, 1])
        for (const [first = 0, , , last = 0] of measureQuarters("llmrouter9", liars, "price")) {
          expect(first).toBeLessThan(-10);
          expect(last).toBeGreaterThan(-1);
        }
    },
    SIMULATED_MS,
  );
});
