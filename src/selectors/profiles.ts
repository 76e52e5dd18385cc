// Prior knowledge of each card (skills with their uncertainty, speed, thinking): the operator's own skills, else results
// of benchmarks, else a guess. The data are made by test/selectors/training/profiles.ts.
import type { Benchmark } from "../core/models/benchmark.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Origin } from "../core/models/origin.ts";
import { SKILLS, type Skill, type SkillRow } from "../core/models/skill.ts";
import shipped from "./benchmarks.data.json";
import data from "./profiles.data.json";

export type Profile = Readonly<ReturnType<typeof makeProfile>>;

interface ProfileNumbers extends Origin {
  /** In the order of SKILLS: the probability of a good answer to a question of usual difficulty. */
  readonly skills: readonly number[];
  /** The skills' standard deviations. */
  readonly spreads: readonly number[];
  /** The name of the benchmark. Null if the source is another. */
  readonly benchmark: string | null;
  /** True if any skill is not measured. */
  readonly isGuessed: boolean;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Thinking tokens at a question of usual difficulty, if the client sets no effort. */
  readonly thinkingTokens: number;
}

/** A card's speed, thinking and, without a benchmark, a guess of its level. A guessed level and its spread are in thousandths. */
interface ProfileRow {
  readonly id: string;
  readonly guess?: readonly number[];
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  readonly thinking: number;
}

const THOUSAND = 1000;
const GUESSED = { source: "guess", benchmark: null, asOf: null } as const;
const OWN = { source: "skills", benchmark: null, asOf: null } as const;
const OPERATOR_SPREAD = 0.01;
/** The standard deviation of results in a benchmark that doesn't say. */
const BENCHMARK_SPREAD = 0.05;
/** Fewer measured skills don't tell a level. */
const MEASURED_MIN = 3;
/** The day the rows were made, Unix seconds. A card's age is computed against it. */
const ROWS_DAY = 1_795_132_800;
const YEAR_SECONDS = 365.25 * 86_400;
const YEARS_UNKNOWN = 0.5;
const USUAL_LOGIT = 1;
const UNIT_LOGIT = 0.65;
/** A guess by price alone has this standard deviation, and its level is at most this. */
const UNKNOWN_SPREAD = 0.14;
const UNKNOWN_LEVEL_MAX = 1;

/** Cached by card, which lives as long as a configuration. */
const found = new WeakMap<ModelCard, Profile>();
const rows = indexRows<ProfileRow>(data.rows);
const benchmarks = indexRows<Benchmark & { readonly id: string }>(shipped.rows);

/** Returns the card's profile, with the operator's skills if any. A card without a row is judged by price and date. */
export function findProfile(card: ModelCard): Profile {
  return found.getOrInsertComputed(card, () => overlaySkills(findKnownProfile(card), card.skills ?? {}));
}

function indexRows<Row extends { readonly id: string }>(
  all: readonly Row[],
): (card: ModelCard) => Row | undefined {
  const byId = new Map(all.map((row) => [row.id, row]));
  return ({ id, like = "" }) => byId.get(id) ?? byId.get(like);
}

function findKnownProfile(card: ModelCard): Profile {
  const row = rows(card);
  const guess = row === undefined ? guessProfile(card) : readGuess(row, card);
  const benchmark = findBenchmark(card);
  return benchmark === undefined ? guess : readBenchmark(benchmark, guess);
}

/** The operator's results count unless the built-in ones are newer. */
function findBenchmark(card: ModelCard): Benchmark | undefined {
  const own = card.benchmark;
  const known = benchmarks(card);
  return own === undefined || (known !== undefined && known.date > own.date) ? known : own;
}

/** `priorLevel` is the level by benchmarks or price, if the operator sets only some of the skills. */
function makeProfile(known: ProfileNumbers, priorLevel?: number) {
  const { skills, spreads } = known;
  const odds = Float64Array.from(skills, (share) => Math.log(share / (1 - share)));
  const oddsLevel = odds.reduce((sum, one) => sum + one, 0) / Math.max(1, odds.length);
  /** The probability of a good answer to a usual question of any kind. */
  const level = 1 / (1 + Math.exp(-oddsLevel));
  /** In log-odds, as `odds` and their mean are. */
  const oddsSpreads = Float64Array.from(skills, (share, at) => (spreads[at] ?? 0) / (share * (1 - share)));
  return { ...known, odds, oddsLevel, oddsSpreads, level, priorLevel: priorLevel ?? level };
}

function readGuess({ guess, firstTokenMs, tokensPerSecond, thinking }: ProfileRow, card: ModelCard): Profile {
  const own = { firstTokenMs, tokensPerSecond, thinkingTokens: thinking };
  const [level, spread] = guess ?? [];
  if (level === undefined || spread === undefined) return { ...guessProfile(card), ...own };
  return makeProfile({
    ...GUESSED,
    ...own,
    isGuessed: true,
    skills: SKILLS.map(() => level / THOUSAND),
    spreads: SKILLS.map(() => spread / THOUSAND),
  });
}

/** A skill that isn't measured is as good as the mean of those that are, with the doubt of a guess. */
function readBenchmark(
  { source: benchmark, date: asOf, skills: measured, spreads }: Benchmark,
  guess: Profile,
) {
  const known = Object.values(measured);
  const logit = known.reduce((sum, share) => sum + Math.log(share / (1 - share)), 0) / known.length;
  const usual = 1 / (1 + Math.exp(-logit));
  const spreadOf = (skill: Skill) =>
    measured[skill] === undefined ? UNKNOWN_SPREAD : (spreads[skill] ?? BENCHMARK_SPREAD);
  return makeProfile({
    ...guess,
    source: "benchmark",
    benchmark,
    asOf,
    isGuessed: known.length < MEASURED_MIN,
    skills: SKILLS.map((skill) => measured[skill] ?? usual),
    spreads: SKILLS.map(spreadOf),
  });
}

/** A skill that the operator doesn't set is the mean of those set. */
function overlaySkills(profile: Profile, own: SkillRow): Profile {
  const named = Object.values(own);
  if (named.length === 0) return profile;
  const mean = named.reduce((sum, value) => sum + value, 0) / named.length;
  const skills = SKILLS.map((skill) => Math.min(0.995, Math.max(0.005, own[skill] ?? mean)));
  const spreads = SKILLS.map((skill) => (own[skill] === undefined ? UNKNOWN_SPREAD : OPERATOR_SPREAD));
  const isGuessed = SKILLS.some((skill) => own[skill] === undefined);
  const known = { ...profile, skills, spreads, ...OWN, isGuessed };
  return makeProfile(known, isGuessed ? profile.level : undefined);
}

/** Within a generation a higher price means a better model, ever less so. A year makes up for much of the price. */
function guessProfile(card: ModelCard): Profile {
  const [constant = 0, byPrice = 0, byYears = 0, byReasoning = 0, bySize = 0] = data.unknown;
  const price = card.price?.output ?? 0;
  const years = card.created === 0 ? YEARS_UNKNOWN : (ROWS_DAY - card.created) / YEAR_SECONDS;
  const reasoning = card.capabilities.has("reasoning");
  const size = Math.log2(readBillions(card));
  const level =
    constant +
    (byPrice * Math.log2(0.05 + price)) / 3 -
    byYears * Math.max(0, years) +
    (reasoning ? byReasoning : 0) +
    (bySize * size) / 4;
  const share = 1 / (1 + Math.exp(-(USUAL_LOGIT + UNIT_LOGIT * Math.min(UNKNOWN_LEVEL_MAX, level))));
  return makeProfile({
    skills: SKILLS.map(() => share),
    spreads: SKILLS.map(() => UNKNOWN_SPREAD),
    ...GUESSED,
    isGuessed: true,
    firstTokenMs: Math.round(350 + 60 * Math.min(10, Math.sqrt(price) * 2)),
    tokensPerSecond: Math.round(Math.max(12, 170 * (1 + price) ** -0.38)),
    thinkingTokens: reasoning ? 300 : 0,
  });
}

const BILLIONS_UNKNOWN = 100;

/** Reads the billions of parameters from the name ("llama-3.1-8b"). */
function readBillions(card: ModelCard): number {
  const found = /(?:^|[-_:])(\d+(?:\.\d+)?)b(?:-|$|:)/.exec(card.name.slice(0, 200).toLowerCase());
  return found === null ? BILLIONS_UNKNOWN : Math.max(0.5, Number(found[1]));
}
