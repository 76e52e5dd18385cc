// A payer reads a model's speed from its own answers and, within bounds, from those of others.
import { describe, expect, test } from "bun:test";
import { boundShares } from "../../src/core/health/shares.ts";
import { namePayer } from "../../src/core/keys/payer.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { computeMedian, FadingValues } from "../../src/health/decay.ts";
import { Health } from "../../src/health/health.ts";
import { SpeedsByPayer } from "../../src/health/payer-speeds.ts";
import { makeModelCard } from "../harness/cards.ts";
import { Dice } from "../sim/dice.ts";

const CARD = makeModelCard("House#small", {});
const HALF_LIFE_MS = 15_000;
/** A value is known to within a bucket of its size. */
const BUCKET = 1.13;

interface Sample {
  readonly payer: string;
  readonly atMs: number;
  readonly firstMs: number;
}

const keyOf = (accountId: string) => ({ id: "key", accountId, memberId: null });

/** The answers in the order of their ends. */
function answer(samples: readonly Sample[]): Health {
  const health = new Health(() => {});
  for (const { payer, atMs, firstMs } of samples.toSorted((a, b) => a.atMs - b.atMs)) {
    const refusals = new RequestRefusals(keyOf(payer));
    const attempt = { card: CARD, credential: { secret: "s", weight: 1 } };
    const permit = health.begin(attempt, atMs - firstMs, refusals);
    permit?.recordFirstPart(atMs);
    permit?.finish(atMs, null);
  }
  return health;
}

const read = (health: Health, payer: string, nowMs: number) =>
  health.card(CARD.id)?.outlook(nowMs, namePayer(keyOf(payer))).firstTokenMs ?? null;

const repeat = (count: number, payer: string, firstMs: number): readonly Sample[] =>
  Array.from({ length: count }, (_, at) => ({ payer, atMs: 100_000 + at, firstMs }));

/** The value below which this share of the weights lies. */
function findAt(share: number, weighed: readonly (readonly [value: number, weight: number])[]): number {
  const ordered = weighed.toSorted(([a], [b]) => a - b);
  const all = ordered.reduce((sum, [, weight]) => sum + weight, 0);
  let below = 0;
  for (const [value, weight] of ordered) {
    below += weight;
    if (below >= share * all - 1e-9) return value;
  }
  return Number.NaN;
}

describe("the share of each payer's samples that counts for another", () => {
  test("leaves none of the others more than a quarter of the whole", () => {
    const dice = new Dice(11);
    for (let round = 0; round < 2000; round++) {
      const own = dice.chance(0.25) ? 0 : dice.int(0, 999);
      const others = Array.from({ length: dice.int(0, 8) }, () => dice.int(1, 5000));
      const shares = boundShares(
        own,
        others,
        others.map((_, at) => `acct_${at}`),
        "reader",
      );
      const counted = others.map((weight, at) => weight * (shares[at] ?? Number.NaN));
      const whole = counted.reduce((sum, weight) => sum + weight, own);
      for (const one of counted) expect(one).toBeLessThanOrEqual(whole / 4 + 1e-9);
      for (const [at, one] of others.entries()) if (one <= whole / 4) expect(counted[at]).toBe(one);
      if (own === 0 && others.length < 4) expect(whole).toBe(0);
    }
  });
});

test("the payers of an account count as one for those of others, and each by itself while all are of one account", () => {
  const weights = [300, 300, 300, 300];
  const keys = [1, 2, 3, 4].map((at) => `acme service:${at}`);
  expect(boundShares(300, weights, keys, "beta")).toEqual(weights.map(() => 1 / 12));
  expect(boundShares(300, weights, keys, "acme service:5")).toEqual([1, 1, 1, 1]);
  expect(boundShares(0, weights, keys, "beta")).toEqual([0, 0, 0, 0]);
});

test("of the speeds that are kept, one account's are four while others call, however many keys it has", () => {
  const speeds = new SpeedsByPayer();
  for (let at = 0; at < 8; at++) speeds.begin(`acme service:${at}`, at);
  expect([...speeds]).toHaveLength(8);
  speeds.begin("beta", 8);
  for (let at = 0; at < 100; at++) speeds.begin(`gamma service:${at}`, 9 + at);
  const names = [...speeds].map(([payer]) => payer);
  expect(names.filter((payer) => payer.startsWith("gamma"))).toEqual(
    [96, 97, 98, 99].map((at) => `gamma service:${at}`),
  );
  expect(names).toContain("beta");
});

describe("a model's speed, as a payer reads it", () => {
  test("stays between the third and the two-thirds quantile of all samples but one other payer's", () => {
    const dice = new Dice(5);
    const nowMs = 130_000;
    for (let round = 0; round < 150; round++) {
      const honest = Array.from({ length: dice.int(1, 5) }, (_, at) => `payer_${at}`);
      const samples = honest.flatMap((payer) =>
        Array.from({ length: dice.int(1, 20) }, () => {
          return { payer, atMs: nowMs - dice.int(0, 25_000), firstMs: dice.int(50, 3000) };
        }),
      );
      const firstMs = dice.chance(0.5) ? 1 : 90_000;
      const loud = Array.from({ length: dice.int(1, 300) }, () => {
        return { payer: "loud", atMs: nowMs - dice.int(0, 25_000), firstMs };
      });
      const weigh = ({ atMs }: Sample) => 2 ** ((atMs - nowMs) / HALF_LIFE_MS);
      const weightOf = (payer: string) =>
        [...samples, ...loud].reduce((sum, one) => sum + (one.payer === payer ? weigh(one) : 0), 0);
      const others = [...honest.slice(1), "loud"];
      const shares = boundShares(weightOf("payer_0"), others.map(weightOf), others, "payer_0");
      const counted = samples.map((one) => {
        return [one.firstMs, weigh(one) * (shares[others.indexOf(one.payer)] ?? 1)] as const;
      });
      const reading = read(answer([...samples, ...loud]), "payer_0", nowMs);
      expect(reading).toBeWithin(findAt(1 / 3, counted) / BUCKET, findAt(2 / 3, counted) * BUCKET);
    }
  });

  test("is the median of its own answers while it is alone, and none once they have faded", () => {
    const dice = new Dice(9);
    const values = new FadingValues(HALF_LIFE_MS);
    const samples = Array.from({ length: 300 }, (_, at) => {
      return { payer: "ann", atMs: 100_000 + at * 40, firstMs: dice.int(50, 3000) };
    });
    for (const { firstMs, atMs } of samples) values.add(firstMs, atMs);
    const health = answer(samples);
    for (const nowMs of [112_000, 130_000, 170_000]) {
      const median = computeMedian([values], HALF_LIFE_MS, nowMs)?.value;
      expect(median).toBeDefined();
      expect(read(health, "ann", nowMs)).toBe(median ?? 0);
    }
    expect(read(health, "ann", 600_000)).toBeNull();
  });

  test("isn't moved by forty slow answers of another payer", () => {
    const alone = read(answer(repeat(20, "ann", 200)), "ann", 101_000);
    const health = answer([...repeat(20, "ann", 200), ...repeat(40, "ben", 9000)]);
    expect(alone).toBeWithin(190, 215);
    expect(read(health, "ann", 101_000)).toBeWithin(190, 225);
    expect(read(health, "ben", 101_000)).toBeWithin(8500, 9600);
  });

  test("isn't known to a payer without answers of its own until four others have some", () => {
    const samples = ["ann", "ben", "cat"].flatMap((payer) => repeat(10, payer, 9000));
    expect(read(answer(samples), "new", 101_000)).toBeNull();
    expect(read(answer([...samples, ...repeat(10, "dan", 9000)]), "new", 101_000)).toBeWithin(8000, 9900);
  });

  test("is looked at again by a payer whose own answers are old, however busy another is", () => {
    const slow = { payer: "ann", atMs: 100_000, firstMs: 9000 };
    const later = repeat(40, "ben", 100).map((one) => ({ ...one, atMs: one.atMs + 300_000 }));
    expect(read(answer([slow, ...later]), "ann", 401_000)).toBeNull();
  });

  test("is looked at again a minute after the last answer, though nothing has happened since it was read", () => {
    const health = answer([{ payer: "ann", atMs: 100_000, firstMs: 9000 }]);
    const refusals = new RequestRefusals(keyOf("ann"));
    const whole = health.begin({ card: CARD, credential: { secret: "s", weight: 1 } }, 300_000, refusals);
    expect(read(health, "ann", 400_000)).toBeWithin(8000, 9900);
    whole?.finish(410_000, null);
    expect(read(health, "ann", 469_000)).toBeWithin(8000, 9900);
    expect(read(health, "ann", 470_000)).toBeNull();
  });
});

describe("the percentile after which a second attempt begins", () => {
  const compute = (samples: readonly Sample[], payer: string) =>
    answer(samples)
      .card(CARD.id)
      ?.computeAnswerMs(0.95, true, 101_000, namePayer(keyOf(payer))) ?? null;

  test("isn't raised by another payer's slow answers", () => {
    const alone = compute(repeat(20, "ann", 200), "ann") ?? 0;
    const samples = [...repeat(20, "ann", 200), ...repeat(400, "ben", 90_000)];
    expect(compute(samples, "ann")).toBe(alone);
    expect(compute([...samples, ...repeat(20, "cat", 200)], "new")).toBeWithin(190, 225);
  });

  test("is read from another's answers if there are no others", () => {
    expect(compute(repeat(20, "ann", 200), "new")).toBeWithin(190, 225);
  });
});
