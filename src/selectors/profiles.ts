// Prior knowledge of each card (skills with their uncertainty, speed, thinking), from rows made by
// test/router/profiles.ts; the operator's own skills take precedence.
import type { ModelCard } from "../core/card.ts";
import { SKILLS, type SkillRow } from "../core/skill.ts";
import data from "./profiles.data.json";

export type Profile = Readonly<ReturnType<typeof makeProfile>>;

interface ProfileNumbers {
  /** In the order of SKILLS: the probability of a good answer to a question of usual difficulty. */
  readonly skills: readonly number[];
  /** The skills' standard deviations. */
  readonly spreads: readonly number[];
  /** "imputed", "operator", or the benchmark and its date. */
  readonly source: string;
  /** True if any skill is not measured. */
  readonly isGuessed: boolean;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Thinking tokens at a question of usual difficulty, if the client sets no effort. */
  readonly thinkingTokens: number;
}

/** Skills and their spreads are in thousandths. */
type ProfileRow = (typeof data.rows)[number];

const THOUSAND = 1000;
const IMPUTED = "imputed";
const OPERATOR_SPREAD = 0.01;
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
const rows: ReadonlyMap<string, ProfileRow> = new Map(data.rows.map((row) => [row.id, row]));

/** Returns the card's profile, with the operator's skills if any. A card without a row is judged by price and date. */
export function findProfile(card: ModelCard): Profile {
  return found.getOrInsertComputed(card, () => overlaySkills(findShippedProfile(card), card.skills ?? {}));
}

function findShippedProfile(card: ModelCard): Profile {
  const row = rows.get(card.id) ?? rows.get(card.like ?? "");
  return row === undefined ? guessProfile(card) : readProfile(row);
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

function readProfile({ source, firstTokenMs, tokensPerSecond, thinking, ...row }: ProfileRow): Profile {
  return makeProfile({
    skills: row.skills.map((skill) => skill / THOUSAND),
    spreads: row.spreads.map((spread) => spread / THOUSAND),
    ...{ source, firstTokenMs, tokensPerSecond },
    isGuessed: source === IMPUTED,
    thinkingTokens: thinking,
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
  const known = { ...profile, skills, spreads, source: "operator", isGuessed };
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
    source: IMPUTED,
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
