// Nothing is chosen that another model beats: over random tables of qualities, costs and times, with many ties.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { FAIR_QUALITY } from "../../src/core/models/selector.ts";
import { CLOSE } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { viewRoute } from "../../src/selectors/route-view.ts";
import { findChampion, type RankAsk, rankAll, type SelectorRule } from "../../src/selectors/selector.ts";
import { makeDice } from "./dice.ts";
import { asking, even, makeCard, makeInput, PROMPTS, seeHealth } from "./sample-cards.ts";

const { best, fair, light } = SELECTOR_RULES;
const ROUNDS = 3000;
const EVEN_IF_ROUNDED = 1e-9;

type Roll = () => number;

interface Figures {
  readonly quality: number;
  readonly costUsd: number;
  readonly latencyMs: number;
}

/** Few different values, so that many models are equal in one of them. */
function makeTable(roll: Roll) {
  const count = 1 + Math.floor(roll() * 12);
  const column = (value: () => number) => Float64Array.from({ length: count }, value);
  const from = roll() * 0.9;
  const width = roll() * 0.1;
  const steps = 1 + Math.floor(roll() * 6);
  const quality = column(() => Math.round((from + width * roll()) * 1000) / 1000);
  const level = column(roll);
  const cardAt = (place: number) => ({ id: `Acme#${place}`, created: Math.floor(place / 3) });
  const costUsd = column(() => Math.floor(roll() * steps) / 1000);
  const latencyMs = column(() => 100 * (1 + Math.floor(roll() * steps)));
  return {
    quality,
    level,
    cardAt,
    champion: findChampion({ level, cardAt }),
    ...readers({ costUsd, latencyMs }),
    score: new Float64Array(count),
    source: new Uint8Array(count),
    doubtAt: () => 0,
  };
}

function readers({ costUsd, latencyMs }: Readonly<Record<"costUsd" | "latencyMs", Float64Array>>) {
  return {
    costAt: (place: number) => costUsd[place] ?? Number.NaN,
    latencyAt: (place: number) => latencyMs[place] ?? Number.NaN,
  };
}

function makeAsk(roll: Roll, change: Partial<RankAsk> = {}): RankAsk {
  return {
    share: FAIR_QUALITY,
    difficulty: roll(),
    likeness: roll(),
    isTaught: false,
    margin: 0,
    usualCostUsd: 0,
    costWeight: null,
    timeWeight: null,
    ...change,
  };
}

/** The labels' own numbers, of any size. */
function makeTaughtAsk(roll: Roll): RankAsk {
  const weight = () => (roll() < 0.3 ? null : roll() < 0.1 ? -1 : roll());
  const labels = { isTaught: true, margin: roll() * 0.05, usualCostUsd: roll() / 100 };
  return makeAsk(roll, { ...labels, costWeight: weight(), timeWeight: weight() });
}

type Table = ReturnType<typeof makeTable>;

function pickFrom(table: Table, rule: SelectorRule, ask: RankAsk): Figures {
  const [place = -1] = rankAll(rule, table, ask, 1).first;
  return figuresAt(table, place);
}

function figuresAt({ quality, costAt, latencyAt }: Table, place: number): Figures {
  return {
    quality: quality[place] ?? Number.NaN,
    costUsd: costAt(place),
    latencyMs: latencyAt(place),
  };
}

function beats(one: Figures, other: Figures): boolean {
  const isAsGood = one.quality >= other.quality;
  const isNoDearer = one.costUsd <= other.costUsd && one.latencyMs <= other.latencyMs;
  const differs =
    one.quality > other.quality || one.costUsd < other.costUsd || one.latencyMs < other.latencyMs;
  return isAsGood && isNoDearer && differs;
}

function listFigures(table: Table): readonly Figures[] {
  return [...table.quality.keys()].map((place) => figuresAt(table, place));
}

describe("without labels, over random tables", () => {
  test("no selector takes what another model beats", () => {
    const roll = makeDice(1);
    for (let round = 0; round < ROUNDS; round++) {
      const table = makeTable(roll);
      const ask = makeAsk(roll, { share: roll() < 0.5 ? FAIR_QUALITY : roll() });
      for (const rule of [best, fair, light]) {
        const taken = pickFrom(table, rule, ask);
        expect(listFigures(table).filter((one) => beats(one, taken))).toEqual([]);
      }
    }
  });

  test("best takes the cheapest within a hundredth of the highest quality, then the fastest", () => {
    const roll = makeDice(2);
    for (let round = 0; round < ROUNDS; round++) {
      const table = makeTable(roll);
      const all = listFigures(table);
      const top = Math.max(...all.map(({ quality }) => quality));
      const close = all.filter(({ quality }) => quality >= top - CLOSE - EVEN_IF_ROUNDED);
      const least = Math.min(...close.map(({ costUsd }) => costUsd));
      const cheapest = close.filter(({ costUsd }) => costUsd === least);
      const taken = pickFrom(table, best, makeAsk(roll));
      expect(cheapest).toContainEqual(taken);
      expect(taken.latencyMs).toBe(Math.min(...cheapest.map(({ latencyMs }) => latencyMs)));
    }
  });

  test("fair is never dearer than best or predicted better, and light never slower than either", () => {
    const roll = makeDice(3);
    for (let round = 0; round < ROUNDS; round++) {
      const table = makeTable(roll);
      const ask = makeAsk(roll, { share: Math.min(FAIR_QUALITY, 2 * roll()) });
      const [dear, cheap, fast] = [best, fair, light].map((rule) => pickFrom(table, rule, ask));
      expect(cheap?.costUsd).toBeLessThanOrEqual(dear?.costUsd ?? 0);
      expect(cheap?.quality).toBeLessThanOrEqual(dear?.quality ?? 0);
      expect(fast?.latencyMs).toBeLessThanOrEqual(Math.min(dear?.latencyMs ?? 0, cheap?.latencyMs ?? 0));
    }
  });

  test("more than the usual share of quality may cost more", () => {
    const table = {
      ...makeTable(makeDice(4)),
      quality: Float64Array.of(0.9, 0.895),
      level: Float64Array.of(0.9, 0.895),
      champion: 0,
      ...readers({ costUsd: Float64Array.of(2, 1), latencyMs: Float64Array.of(100, 100) }),
      score: new Float64Array(2),
    };
    expect(pickFrom(table, best, makeAsk(makeDice(4))).costUsd).toBe(1);
    expect(pickFrom(table, fair, makeAsk(makeDice(4), { share: 1 })).costUsd).toBe(2);
  });
});

test("with labels fair is never dearer than best, and light never slower than either", () => {
  const roll = makeDice(5);
  for (let round = 0; round < ROUNDS; round++) {
    const table = makeTable(roll);
    const ask = makeTaughtAsk(roll);
    const [dear, cheap, fast] = [best, fair, light].map((rule) => pickFrom(table, rule, ask));
    expect(cheap?.costUsd).toBeLessThanOrEqual(dear?.costUsd ?? 0);
    expect(fast?.latencyMs).toBeLessThanOrEqual(Math.min(dear?.latencyMs ?? 0, cheap?.latencyMs ?? 0));
  }
});

describe("as it is shown, among the shipped models", () => {
  const cards = loadShippedCards();
  const someOf = (roll: Roll) => {
    const share = 0.02 + roll() * 0.3;
    return cards.filter(() => roll() < share);
  };

  test("what is shown of the choice isn't beaten by anything shown", () => {
    const roll = makeDice(6);
    for (let round = 0; round < 100; round++) {
      const some = someOf(roll);
      for (const prompt of PROMPTS) {
        const views = [best, fair, light].map((rule) =>
          viewRoute(choose(rule, makeInput(asking(prompt), { cards: some }))),
        );
        for (const { candidates, choice } of views) {
          const shown = candidates
            .filter(({ eligible }) => eligible)
            .map((one) => ({ ...one, costUsd: one.cost_usd ?? 0, latencyMs: one.latency_ms }));
          const taken = shown.find(({ model }) => model === choice);
          if (taken) expect(shown.filter((one) => beats(one, taken))).toEqual([]);
        }
      }
    }
  });
});

describe("a guessed model, beside measured ones", () => {
  const measured = makeCard("measured", 10, { skills: even(0.7) });
  const guessed = makeCard("guessed", 60, { created: 1_790_000_000, capabilities: new Set(["reasoning"]) });
  const pick = (among: readonly ModelCard[], change = {}) =>
    choose(best, makeInput(asking("Hi!"), { cards: among, ...change })).foremost;

  test("is neither chosen by best nor predicted as good, however dear or cheap it is", () => {
    for (const output of [0, 0.1, 60, 600]) {
      const cards = [{ ...guessed, price: { input: output / 4, output } }, measured];
      const [taken, other] = pick(cards);
      expect(taken?.card.name).toBe("measured");
      expect(other?.quality).toBeLessThan((taken?.quality ?? 0) - CLOSE);
    }
  });

  test("stands in for one that fails", () => {
    const health = seeHealth((id) =>
      id === measured.id
        ? { firstTokenMs: null, tokensPerSecond: null, errorRate: 0.8, isOpen: false }
        : null,
    );
    expect(pick([guessed, measured], { health })[0]?.card.name).toBe("guessed");
  });

  test("is chosen among guesses", () => {
    expect(pick([guessed])[0]?.card.name).toBe("guessed");
  });
});
