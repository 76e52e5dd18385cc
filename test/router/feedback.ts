// Realistic feedback: one model's score per prompt, from a few users, delayed, only for chosen models. `bun
// test/router/feedback.ts [pools]` prints how far `best` stays behind the best single model over time, with exploration
// and without, and with one lying user.
import { type Choice, choose } from "../../src/selectors/choose.ts";
import { makeFindModel } from "../../src/selectors/expense.ts";
import { explore } from "../../src/selectors/explore.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { Learned } from "../../src/selectors/learning/learned.ts";
import { makeLessonBound } from "../../src/selectors/learning/lesson.ts";
import { findProfile } from "../../src/selectors/profiles.ts";
import { estimatePriorQuality } from "../../src/selectors/quality.ts";
import { type Pool, type Row, TEST_PART } from "./data.ts";
import { makeDice, shuffled } from "./dice.ts";
import { type Field, makeInput, makeRequest } from "./pools.ts";
import { average } from "./statistics.ts";
import { withFlatSkills } from "./trial-labels.ts";
import { pricedField } from "./trial-pools.ts";

export interface Setting {
  readonly seed: number;
  /** The share of requests that try out another model. */
  readonly explore: number;
  /** True if one user in five scores the best single model 0 and all others 1, regardless of the answers. */
  readonly hasLiar: boolean;
}

export interface Told {
  /** For each quarter, the mean score of the answers less the best single model's, in points. */
  readonly quarters: readonly number[];
  /** The share of the last quarter's requests answered by the best single model. */
  readonly bestShare: number;
  readonly scores: number;
}

const USERS = 5;
const REQUEST_EVERY_MS = 30_000;
/** Users score this share of the answers, and some of their scores are wrong. */
const SCORED_SHARE = 0.25;
const WRONG_SHARE = 0.1;
/** A score arrives at most this many requests later. */
const LATE_MAX = 200;
const FIT_EVERY = 150;
const FAR_MS = 3_600_000;

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

/** Sends each row in turn and learns from the users' scores. */
export function simulateFeedback(field: Field, rows: readonly Row[], setting: Setting): Told {
  const roll = makeDice(setting.seed);
  const learned = new Learned();
  const users = new Users();
  const places = new Map(field.cards.map(({ id }, at) => [id, at]));
  const means = field.cards.map((_, m) => average(rows.map(({ scores }) => scores[m] ?? 0)));
  const best = means.indexOf(Math.max(...means));
  const late: Late[] = [];
  const gains: number[] = [];
  const picks: number[] = [];
  let scores = 0;
  for (const [at, row] of rows.entries()) {
    const choice = choose(SELECTOR_RULES.best, {
      ...makeInput(field, learned, 0.98),
      request: makeRequest(row.prompt),
    });
    const model = (explore(choice, setting.explore, roll)?.card ?? choice.choice)?.id ?? "";
    const place = places.get(model) ?? 0;
    const real = row.scores[place] ?? 0;
    gains.push(100 * (real - (row.scores[best] ?? 0)));
    picks.push(place);
    const user = Math.floor(roll() * USERS);
    const isLie = setting.hasLiar && user === 0;
    const honest = roll() < WRONG_SHARE ? 1 - real : real;
    const score = isLie ? Number(place !== best) : honest;
    if (roll() < SCORED_SHARE || isLie)
      late.push({ due: at + roll() * LATE_MAX, user, choice, model, score });
    for (const one of takeDue(late, at)) {
      const weight = users.weigh(one.user, one.model, at * REQUEST_EVERY_MS);
      if (weight > 0) scores++;
      learn(learned, field, one, { id: `${at} ${scores}`, atMs: at * REQUEST_EVERY_MS, weight });
    }
    if (at % FIT_EVERY === FIT_EVERY - 1)
      learned.fit({ asOfMs: at * REQUEST_EVERY_MS, findModel: makeFindModel(field.cards, () => 1) });
  }
  const quarter = Math.ceil(rows.length / 4);
  const last = picks.slice(-quarter);
  return {
    quarters: [0, 1, 2, 3].map((one) => average(gains.slice(one * quarter, (one + 1) * quarter))),
    bestShare: last.filter((place) => place === best).length / last.length,
    scores,
  };
}

function takeDue(late: Late[], at: number): readonly Late[] {
  const due = late.filter((one) => one.due <= at);
  const rest = late.filter((one) => one.due > at);
  late.splice(0, late.length, ...rest);
  return due;
}

function learn(
  learned: Learned,
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
const SETTINGS = [
  ["without exploring", { explore: 0, hasLiar: false }],
  ["exploring 2 %", { explore: 0.02, hasLiar: false }],
  ["without exploring, one of five lies", { explore: 0, hasLiar: true }],
  ["exploring 2 %, one of five lies", { explore: 0.02, hasLiar: true }],
] as const;

/** Skills are flat: the mean of one part. The stream consists of the others. */
function print(pool: Pool): void {
  const priced = pricedField(pool, true);
  const field = withFlatSkills(
    priced,
    priced.rows.filter(({ part }) => part === 0),
  );
  const others = priced.rows.filter(({ part }) => part !== 0 && part !== TEST_PART);
  for (const [name, setting] of SETTINGS) {
    const draws = [1, 2, 3].map((seed) => {
      const rows = [...shuffled(others.length, seed)].slice(0, ROWS).flatMap((at) => others[at] ?? []);
      return simulateFeedback(field, rows, { ...setting, seed });
    });
    const quarters = [0, 1, 2, 3].map((at) =>
      average(draws.map((draw) => draw.quarters[at] ?? 0)).toFixed(2),
    );
    const bestShare = (100 * average(draws.map((draw) => draw.bestShare))).toFixed(0);
    const scores = average(draws.map((draw) => draw.scores)).toFixed(0);
    console.log(`| ${pool} | ${name} | ${scores} | ${quarters.join(" | ")} | ${bestShare} % |`);
  }
}

if (import.meta.main) {
  console.log("| pool | users | scores | 1st quarter | 2nd | 3rd | 4th | best single model at the end |");
  console.log("|---|---|---|---|---|---|---|---|");
  const pools = ["llmrouter9", "zeroeval", "reasoning_gym", "mmlu_pro"] as const;
  for (const pool of pools) if (process.argv.length < 3 || process.argv.includes(pool)) print(pool);
}
