// Models that become worse or better: what is found in scores, what isn't, and what it changes.
import { describe, expect, test } from "bun:test";
import { findDrift, type Reading } from "../../src/learning/drift.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { best } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { makeDice } from "../selectors/dice.ts";
import { asking, even, foretold, makeCard, makeInput } from "../selectors/sample-cards.ts";
import { findPrompt } from "../selectors/training/taught.ts";

const DAY_MS = 86_400_000;

/** Scores that are 1 with the chance that `chanceAt` gives, by five voices in turn. */
function draw(count: number, seed: number, chanceAt: (at: number) => number, voices = 5): readonly Reading[] {
  const roll = makeDice(seed);
  return Array.from({ length: count }, (_, at) => ({
    atMs: at * 1000,
    id: `${seed} ${at}`,
    voice: `voice ${at % voices}`,
    expected: 0.7,
    score: Number(roll() < chanceAt(at)),
  }));
}

describe("a change is found", () => {
  test.each([1, 2, 3, 4])("if good answers halve (stream %d)", (seed) => {
    const drift = findDrift(draw(800, seed, (at) => (at < 400 ? 0.7 : 0.35)));
    expect(drift?.sinceMs).toBeWithin(280_000, 510_000);
    expect(drift?.before).toBeWithin(0.6, 0.8);
    expect(drift?.after).toBeWithin(0.2, 0.55);
  });

  test("if a model becomes better again, so that the worse time counts little", () => {
    const drift = findDrift(draw(1200, 1, (at) => (at >= 400 && at < 800 ? 0.3 : 0.8)));
    expect(drift?.sinceMs).toBeWithin(700_000, 900_000);
    expect(drift?.after).toBeGreaterThan(drift?.before ?? 1);
  });

  test("at about the same place, however many older scores were deleted", () => {
    const readings = draw(800, 2, (at) => (at < 400 ? 0.7 : 0.3));
    const whole = findDrift(readings);
    for (const deleted of [50, 100, 200]) {
      const apart = (findDrift(readings.slice(deleted))?.sinceMs ?? 0) - (whole?.sinceMs ?? 0);
      expect(Math.abs(apart)).toBeLessThan(60_000);
    }
  });

  test("in any order of arrival", () => {
    const readings = draw(800, 3, (at) => (at < 400 ? 0.7 : 0.35));
    expect(findDrift(readings.toReversed())).toEqual(findDrift(readings));
  });
});

describe("no change is found", () => {
  test.each(Array.from({ length: 16 }, (_, at) => at + 1))("in a steady stream (%d)", (seed) => {
    expect(findDrift(draw(2500, seed, () => 0.65))).toBeNull();
  });

  test("if one voice of five begins to score 0", () => {
    const readings = draw(1500, 5, () => 0.7).map((one, at) =>
      at > 700 && one.voice === "voice 0" ? { ...one, score: 0 } : one,
    );
    expect(findDrift(readings)).toBeNull();
  });

  test("if one voice sends all of the newest scores", () => {
    const honest = draw(600, 6, () => 0.7);
    const burst = draw(90, 7, () => 0, 1).map((one) => ({ ...one, atMs: 700_000 + one.atMs, voice: "liar" }));
    expect(findDrift([...honest, ...burst])).toBeNull();
  });

  test("in a few scores", () => {
    expect(findDrift(draw(59, 1, (at) => Number(at < 30)))).toBeNull();
  });
});

describe("a model that becomes worse", () => {
  const strong = makeCard("strong", 10, { skills: even(0.85) });
  const cards = [strong, makeCard("other", 10, { skills: even(0.75) })];

  /** Learns labels that praise the strong model, then scores by five keys that don't any more. */
  function learn(isDriftWatched: boolean, scores: number): LearnedModels {
    const learned = new LearnedModels(isDriftWatched);
    const put = (id: string, atMs: number, score: number, keyId = "") => {
      const { row } = foretold(findPrompt(Number(id)).prompt);
      const marks = [{ model: strong.id, score, expected: 0.85 }];
      learned.put(row, {
        accountId: "",
        id: `${id} ${keyId}`,
        atMs,
        weight: 1,
        marks,
        ...(keyId ? { keyId } : {}),
      });
    };
    for (let at = 0; at < 150; at++) put(String(at), 0, Number(at % 20 < 17));
    for (let at = 0; at < 200 + scores; at++)
      put(String(at), at * 60_000 + 1, Number(at < 200 ? at % 20 < 17 : at % 20 < 8), `key ${at % 5}`);
    learned.fit({ asOfMs: DAY_MS });
    return learned;
  }
  const chooseWith = (learned: LearnedModels) => choose(best, makeInput(asking("Hi!"), { cards, learned }));

  test("is left, and the choice says since when", () => {
    const chosen = chooseWith(learn(true, 120));
    expect(chosen.choice?.name).toBe("other");
    const left = chosen.candidates.find(({ card }) => card.id === strong.id);
    expect(left?.changed).toEqual({ on: "1970-01-01", to: "worse" });
    expect(left?.source).toBe("labels");
  });

  test("would be kept if its older scores and labels counted in full", () => {
    expect(chooseWith(learn(false, 120)).choice?.name).toBe("strong");
  });

  test("is shown with its mean scores, and forgotten with them", () => {
    const learned = learn(true, 120);
    expect(learned.views()).toMatchObject([{ changed: { on: "1970-01-01", before: expect.any(Number) } }]);
    const { before = 0, after = 1 } = learned.views()[0]?.changed ?? {};
    expect(before - after).toBeGreaterThan(0.2);
    learned.reset(strong.id);
    learned.fit({ asOfMs: DAY_MS });
    expect([learned.views(), learned.drifts]).toEqual([[], {}]);
  });

  test("is still known after a restart that no longer finds the older scores", () => {
    const before = learn(true, 120);
    const after = new LearnedModels();
    after.recallDrifts(before.drifts);
    after.fit({ asOfMs: DAY_MS });
    expect(after.drifts).toEqual(before.drifts);
    const unpacked = new LearnedModels();
    expect([unpacked.unpack(before.pack()), unpacked.drifts]).toEqual([true, before.drifts]);
  });
});
