// No one's failure is another's: a payer gets the same with and without others whose requests fail in every way that a caller can
// choose, one alone or two together. `SIM_SEED=n` replays one, `SIM_PAYERS=n` runs more; the whole form has 300.
import { afterAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../../harness/long.ts";
import { KINDS, planSide, type Side } from "./plans.ts";
import { type Outcome, playSide } from "./play.ts";

const FIRST = Number(process.env.SIM_SEED ?? 1);
const SEEDS_USUAL = IS_LONG ? 300 : 6;
const SEEDS_OF_THREE = IS_LONG ? 300 : 20;
const TIMEOUT_MS = 60_000;

/** Outcomes that differ, in words, and the choices of a selector between two models that are nearly alike. */
interface Compared {
  readonly wrong: readonly string[];
  readonly requests: number;
  readonly near: number;
  readonly nearOtherwise: number;
}

/** Selectors and aliases weigh failures that no request has caused, also those that others met: from then on, either model is right. */
function format(side: Side, outcome: Outcome): string {
  const { way, kind, atMs, status, hooks, model, chargedNanoUsd } = outcome;
  const isWeighed = side.shared.some((shared) => shared.kind !== "limit" && shared.fromMs <= atMs);
  const isFree = way === "near" || (isWeighed && (way === "alias" || way === "apart"));
  const served = isFree ? (model === null ? "none" : "one") : `${model} ${chargedNanoUsd}`;
  return `${atMs} ms, ${way}, ${kind}: ${status}, ${served}, hook ${hooks}`;
}

async function compare(seed: number, isWithThird: boolean): Promise<Compared> {
  const side = planSide(seed, isWithThird);
  const alone = await playSide(side, false);
  const beside = await playSide(side, true);
  const isEqual = (one: Outcome, at: number) => {
    const other = beside[at];
    return other !== undefined && format(side, one) === format(side, other);
  };
  const wrong = alone
    .filter((one, at) => !isEqual(one, at))
    .map((one) => `SIM_SEED=${seed}: alone ${format(side, one)}`);
  const near = alone.flatMap((one, at) => (one.way === "near" ? [[one, beside[at]] as const] : []));
  const nearOtherwise = near.filter(([one, other]) => one.model !== other?.model).length;
  return { wrong, requests: alone.length, near: near.length, nearOtherwise };
}

describe.each([
  ["another payer's fail", false, SEEDS_USUAL],
  ["two others' fail together", true, SEEDS_OF_THREE],
] as const)(
  "a payer's requests are answered, guarded and charged the same while %s",
  (_name, isWithThird, usual) => {
    const all: Compared[] = [];
    const seeds = Number(process.env.SIM_PAYERS ?? (process.env.SIM_SEED === undefined ? usual : 1));
    for (let seed = FIRST; seed < FIRST + seeds; seed++)
      test(
        `seed ${seed}`,
        async () => {
          const compared = await compare(seed, isWithThird);
          all.push(compared);
          expect(compared.wrong).toEqual([]);
        },
        TIMEOUT_MS,
      );

    afterAll(() => {
      const sum = (count: (one: Compared) => number) => all.reduce((total, one) => total + count(one), 0);
      const near = sum((one) => one.near);
      const otherwise = sum((one) => one.nearOtherwise);
      const share = ((100 * otherwise) / Math.max(1, near)).toFixed(2);
      const requests = sum((one) => one.requests);
      console.log(
        `${all.length} seeds, ${requests} requests: ${otherwise} of ${near} near choices differ, ${share} %`,
      );
    });
  },
);

test("the other payer fails in every way", () => {
  const sides = Array.from({ length: SEEDS_USUAL }, (_, at) => planSide(1 + at));
  const kinds = new Set(
    sides.flatMap(({ plans }) => plans.filter(({ isFirst }) => !isFirst).map(({ kind }) => kind)),
  );
  expect(KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
});
