// Realistic feedback: one model's score per prompt, from a few users, delayed, only for chosen models. `bun
// test/selectors/training/feedback.ts [pools]` prints how far `best` stays behind the best single model over time, with exploration
// and without, with lying users, and where the skills known before are wrong.

import { LearnedModels } from "../../../src/learning/learned.ts";
import { makeLessonBound } from "../../../src/learning/lesson.ts";
import { type Choice, decide } from "../../../src/selectors/choose.ts";
import { makeFindModel } from "../../../src/selectors/expense.ts";
import { explore } from "../../../src/selectors/explore.ts";
import { SELECTOR_RULES } from "../../../src/selectors/index.ts";
import { findProfile } from "../../../src/selectors/profiles.ts";
import { estimatePriorQuality } from "../../../src/selectors/quality.ts";
import { makeDice, shuffled } from "../dice.ts";
import { type Pool, type Row, TEST_PART } from "./data.ts";
import { type Field, makeInput, makeRequest, predictPrompt, taught } from "./pools.ts";
import { average } from "./statistics.ts";
import { withFlatSkills } from "./trials/labels.ts";
import { pricedField } from "./trials/pools.ts";

/** A liar scores the best single model 0 and all others 1, or all 0 except a cheap and bad one, or all 0. */
export type Lie = "contrary" | "cheap" | "damning";

export interface Setting {
  readonly seed: number;
  /** The share of requests that try out another model. */
  readonly explore: number;
  readonly users: number;
  /** The share of the answers that honest users score. Some of their scores are wrong. */
  readonly scored: number;
  /** The number of users who lie, about every answer. */
  readonly liars: number;
  readonly lie: Lie;
  /** True if most of the best single model's answers are bad from the middle on. */
  readonly breaks: boolean;
  /** The share of its good answers that it keeps then. */
  readonly brokenShare?: number;
  /** The time between two requests. */
  readonly everyMs?: number;
  /** A score arrives at most this many requests later. */
  readonly lateMax?: number;
  /** The number of requests between two fits. */
  readonly fitEvery?: number;
}

export const HONEST: Omit<Setting, "seed"> = {
  explore: 0,
  users: 5,
  scored: 0.25,
  liars: 0,
  lie: "contrary",
  breaks: false,
};

export interface Told {
  /** For each quarter, the mean score of the answers less the best single model's, in points. */
  readonly quarters: readonly number[];
  /** The same less the single model that is best at the time. */
  readonly timely: readonly number[];
  /** The mean score of all answers less that of the single model that would have been best throughout, in points. */
  readonly throughout: number;
  /** The share of the last quarter's requests answered by the best single model. */
  readonly bestShare: number;
  readonly scores: number;
}

const REQUEST_EVERY_MS = 30_000;
const WRONG_SHARE = 0.1;
const LATE_MAX = 200;
const FIT_EVERY = 150;
const FAR_MS = 3_600_000;
/** The share of its good answers that a model keeps when it breaks. */
const BROKEN_SHARE = 0.3;
/** A cheap and bad model is at least this much worse than the best. */
const BAD_MIN = 0.05;

interface Late {
  readonly due: number;
  readonly user: number;
  readonly choice: Choice;
  readonly model: string;
  readonly score: number;
}

/** The users' earlier scores, by which the limit on each key weighs the next one, as the store does. */
class Users {
  readonly #given = new Map<string, number[]>();

  /** The share of its weight that a user's next score of a model keeps. */
  weigh(user: number, model: string, nowMs: number): number {
    const name = `${user} ${model}`;
    const times = (this.#given.get(name) ?? []).filter((atMs) => atMs >= nowMs - FAR_MS);
    const weight = makeLessonBound(nowMs).shareAfter(times.length);
    if (weight > 0) this.#given.set(name, [...times, nowMs]);
    return weight;
  }
}

/** Sends each row in turn and learns from the users' scores, beyond what is learned already. */
export function simulateFeedback(
  field: Field,
  rows: readonly Row[],
  setting: Setting,
  learned = new LearnedModels(),
): Told {
  const roll = makeDice(setting.seed);
  const { everyMs = REQUEST_EVERY_MS, brokenShare = BROKEN_SHARE } = setting;
  const { lateMax = LATE_MAX, fitEvery = FIT_EVERY } = setting;
  const users = new Users();
  const places = new Map(field.cards.map(({ id }, at) => [id, at]));
  const known = findKnown(field, rows, brokenShare);
  const timely: number[] = [];
  const late: Late[] = [];
  const gains: number[] = [];
  const picks: number[] = [];
  const sums = new Float64Array(field.cards.length);
  let scores = 0;
  let gained = 0;
  for (const [at, row] of rows.entries()) {
    const input = { ...makeInput(field, learned, 0.98), request: makeRequest(row.prompt) };
    const choice = decide(SELECTOR_RULES.best, input, predictPrompt(row.prompt), row.prompt.length / 4);
    const model = (explore(choice, setting.explore, roll)?.card ?? choice.choice)?.id ?? "";
    const place = places.get(model) ?? 0;
    const isBroken = setting.breaks && at >= rows.length / 2;
    const scoreOf = (m: number) => (row.scores[m] ?? 0) * (isBroken && m === known.best ? brokenShare : 1);
    const real = scoreOf(place);
    gained += real;
    for (let m = 0; m < sums.length; m++) sums[m] = (sums[m] ?? 0) + scoreOf(m);
    gains.push(100 * (real - scoreOf(known.best)));
    timely.push(100 * (real - scoreOf(isBroken ? known.rival : known.best)));
    picks.push(place);
    const user = Math.floor(roll() * setting.users);
    const isLie = user < setting.liars;
    const honest = roll() < WRONG_SHARE ? 1 - real : real;
    const score = isLie ? lieAbout(place, setting.lie, known) : honest;
    if (roll() < setting.scored || isLie)
      late.push({ due: at + roll() * lateMax, user, choice, model, score });
    for (const one of takeDue(late, at)) {
      const weight = users.weigh(one.user, one.model, at * everyMs);
      if (weight > 0) scores++;
      learn(learned, field, one, { id: `${at} ${scores}`, atMs: at * everyMs, weight });
    }
    if (at % fitEvery === fitEvery - 1)
      learned.fit({ asOfMs: at * everyMs, findModel: makeFindModel(field.cards, () => 1) });
  }
  const quarter = Math.ceil(rows.length / 4);
  const sumUp = (all: readonly number[]) =>
    [0, 1, 2, 3].map((one) => average(all.slice(one * quarter, (one + 1) * quarter)));
  const last = picks.slice(-quarter);
  return {
    quarters: sumUp(gains),
    timely: sumUp(timely),
    throughout: (100 * (gained - Math.max(...sums))) / rows.length,
    bestShare: last.filter((place) => place === known.best).length / last.length,
    scores,
  };
}

/** The places of the models that liars know of. */
type Known = ReturnType<typeof findKnown>;

function findKnown({ cards }: Field, rows: readonly Row[], brokenShare: number) {
  const means = cards.map((_, m) => average(rows.map(({ scores }) => scores[m] ?? 0)));
  const highest = Math.max(...means);
  const best = means.indexOf(highest);
  const after = means.map((mean, m) => (m === best ? brokenShare * mean : mean));
  const bad = cards.filter((_, m) => (means[m] ?? 0) < highest - BAD_MIN);
  const [cheapest] = bad.toSorted((a, b) => (a.price?.output ?? 0) - (b.price?.output ?? 0));
  return {
    best,
    rival: after.indexOf(Math.max(...after)),
    cheap: cards.findIndex(({ id }) => id === cheapest?.id),
  };
}

function lieAbout(place: number, lie: Lie, { best, cheap }: Known): number {
  if (lie === "damning") return 0;
  return Number(lie === "contrary" ? place !== best : place === cheap);
}

function takeDue(late: Late[], at: number): readonly Late[] {
  const due = late.filter((one) => one.due <= at);
  const rest = late.filter((one) => one.due > at);
  late.splice(0, late.length, ...rest);
  return due;
}

function learn(
  learned: LearnedModels,
  { cards }: Field,
  { user, choice, model, score }: Late,
  about: { readonly id: string; readonly atMs: number; readonly weight: number },
): void {
  const card = cards.find(({ id }) => id === model);
  if (card === undefined || about.weight === 0) return;
  const expected = estimatePriorQuality(findProfile(card), choice.asked.prediction);
  const keyId = `key ${user}`;
  learned.put(choice.asked.prediction.row, {
    accountId: "",
    keyId,
    ...about,
    marks: [{ model, score, expected }],
  });
}

const ROWS = 3000;
const LIAR = { ...HONEST, liars: 1 };
const EXPLORING = { explore: 0.02 };
/** Each model's mean on part 0 is known at first, or only its price, or labels of part 0 as well. */
type Start = "means" | "price" | "labels";
const SETTINGS: readonly (readonly [name: string, setting: typeof HONEST, start?: Start])[] = [
  ["five, honest", HONEST],
  ["five, honest, exploring 2 %", { ...HONEST, ...EXPLORING }],
  ["one of five lies", LIAR],
  ["one of five lies, exploring 2 %", { ...LIAR, ...EXPLORING }],
  ["one of five praises a cheap bad model, exploring 2 %", { ...LIAR, ...EXPLORING, lie: "cheap" }],
  ["one of five damns all, exploring 2 %", { ...LIAR, ...EXPLORING, lie: "damning" }],
  ["one of three lies", { ...LIAR, users: 3 }],
  ["fifty, honest", { ...HONEST, users: 50 }],
  ["one of fifty lies", { ...LIAR, users: 50 }],
  ["ten of fifty lie", { ...LIAR, users: 50, liars: 10 }],
  ["a single key", { ...HONEST, users: 1 }],
  ["500 labelled prompts, no scores", { ...HONEST, scored: 0 }, "labels"],
  ["500 labelled prompts; five, honest", HONEST, "labels"],
  ["500 labelled prompts; one of five lies", LIAR, "labels"],
  ["skills guessed by price; five, honest", HONEST, "price"],
  ["skills guessed by price; one of five lies", LIAR, "price"],
  ["skills guessed by price; a single key", { ...HONEST, users: 1 }, "price"],
  ["the best model breaks in the middle; five, honest", { ...HONEST, breaks: true }],
];
const LABELS = 500;

/** Returns the field, its stream of rows, and what labels say. */
export function makeStream(
  pool: Pool,
  { start = "means", isHeld = false, seed = 1, isWatched = true }: Streamed = {},
) {
  const priced = pricedField(pool, true);
  const first = priced.rows.filter(({ part }) => part === 0);
  const rows = priced.rows.filter(({ part }) => (isHeld ? part === TEST_PART : part === 1 || part === 2));
  const field = start === "price" ? priced : withFlatSkills(priced, first);
  const draw = (all: readonly Row[], most: number) =>
    [...shuffled(all.length, seed)].slice(0, most).flatMap((at) => all[at] ?? []);
  const learned = new LearnedModels(isWatched);
  if (start === "labels") taught(field, draw(first, LABELS), undefined, learned);
  return { field, learned, rows: draw(rows, ROWS) };
}
interface Streamed {
  readonly start?: Start | undefined;
  /** True for the part that no constant was chosen on. */
  readonly isHeld?: boolean;
  readonly seed?: number;
  /** False if changes of models aren't watched for. */
  readonly isWatched?: boolean;
}

function print(pool: Pool, draws: number, isHeld: boolean): void {
  for (const [name, setting, start] of SETTINGS) {
    const told = Array.from({ length: draws }, (_, draw) => {
      const seed = draw + 1;
      const { field, rows, learned } = makeStream(pool, { start, isHeld, seed });
      return simulateFeedback(field, rows, { ...setting, seed }, learned);
    });
    const quarters = [0, 1, 2, 3].map((at) => average(told.map((one) => one.quarters[at] ?? 0)).toFixed(2));
    const bestShare = (100 * average(told.map((one) => one.bestShare))).toFixed(0);
    const scores = average(told.map((one) => one.scores)).toFixed(0);
    console.log(`| ${pool} | ${name} | ${scores} | ${quarters.join(" | ")} | ${bestShare} % |`);
  }
}

if (import.meta.main) {
  const given = process.argv.slice(2);
  const draws = Number(given.find((one) => one.startsWith("--draws="))?.slice("--draws=".length) ?? 3);
  console.log("| pool | users | scores | 1st quarter | 2nd | 3rd | 4th | best single model at the end |");
  console.log("|---|---|---|---|---|---|---|---|");
  const pools = ["llmrouter9", "zeroeval", "reasoning_gym", "mmlu_pro"] as const;
  const asked = pools.filter((pool) => given.includes(pool));
  for (const pool of asked.length === 0 ? pools : asked) print(pool, draws, given.includes("--held"));
}
