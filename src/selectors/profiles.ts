// The prior knowledge of a card: skills with their uncertainty, speed, how much it thinks.
// The rows are made by test/router/profiles.ts; the operator's own skills come first.
import type { ModelCard } from "../core/card.ts";
import { SKILLS, type SkillRow } from "../core/skill.ts";
import data from "./profiles.data.json";

export interface Profile {
  /** In the order of SKILLS: the probability of a good answer to a question of usual difficulty. */
  readonly skills: readonly number[];
  /** The same as log-odds, their mean, and the spreads of these. */
  readonly odds: Float64Array;
  readonly oddsLevel: number;
  /** The probability that goes with that level: of a good answer to a usual question, whatever its kind. */
  readonly level: number;
  /** The same as benchmarks or the price tell it, where the operator names some of the skills alone. */
  readonly priorLevel: number;
  readonly oddsSpreads: Float64Array;
  /** The skills' standard deviations. */
  readonly spreads: readonly number[];
  /** "imputed", "operator", or the benchmark and its date. */
  readonly source: string;
  /** True if nobody has measured the model, or not all of its skills. */
  readonly isGuessed: boolean;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Tokens thought at a question of usual difficulty when the client says nothing about it. */
  readonly thinkingTokens: number;
}

interface ProfileRow {
  readonly id: string;
  /** In thousandths. */
  readonly skills: readonly number[];
  readonly spreads: readonly number[];
  readonly source: string;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  readonly thinking: number;
}

const THOUSAND = 1000;
const IMPUTED = "imputed";
const OPERATOR_SPREAD = 0.01;
/** The day of the rows, Unix seconds: the age of a card is computed against it. */
const ROWS_DAY = 1_795_132_800;
const YEAR_SECONDS = 365.25 * 86_400;
const YEARS_UNKNOWN = 0.5;
const USUAL_LOGIT = 1;
const UNIT_LOGIT = 0.65;
/** A guess by price alone is off by so much, and claims no more than this level. */
const UNKNOWN_SPREAD = 0.14;
const UNKNOWN_LEVEL_MAX = 1;

/** By card, and by list of cards: both live as long as a configuration or a key, and a decision looks thousands up. */
const found = new WeakMap<ModelCard, Profile>();
const foundLists = new WeakMap<readonly ModelCard[], readonly Profile[]>();
let rows: ReadonlyMap<string, ProfileRow> | undefined;

/** The profiles of a list of cards, in its order. */
export function findProfiles(cards: readonly ModelCard[]): readonly Profile[] {
  const profiles = foundLists.get(cards) ?? cards.map(findProfile);
  foundLists.set(cards, profiles);
  return profiles;
}

/** The card's profile with the operator's skills laid over it; a card that has no row is judged by price and date. */
export function findProfile(card: ModelCard): Profile {
  let profile = found.get(card);
  if (profile === undefined) {
    profile = overlaid(shippedProfile(card), card.skills ?? {});
    found.set(card, profile);
  }
  return profile;
}

function shippedProfile(card: ModelCard): Profile {
  rows ??= new Map(data.rows.map((row) => [row.id, row]));
  const row = rows.get(card.id) ?? rows.get(card.like ?? "");
  return row === undefined ? guess(card) : fromRow(row);
}

type Known = Pick<
  Profile,
  "skills" | "spreads" | "source" | "isGuessed" | "firstTokenMs" | "tokensPerSecond" | "thinkingTokens"
>;

/** Known values with what is worked out from them, once. All profiles are made here: of one shape they are read faster. */
function makeProfile(known: Known, prior?: Profile): Profile {
  const { skills, spreads, source, isGuessed, firstTokenMs, tokensPerSecond, thinkingTokens } = known;
  const odds = Float64Array.from(skills, (share) => Math.log(share / (1 - share)));
  const oddsLevel = odds.reduce((sum, one) => sum + one, 0) / Math.max(1, odds.length);
  const level = 1 / (1 + Math.exp(-oddsLevel));
  return {
    skills,
    odds,
    oddsLevel,
    level,
    priorLevel: prior?.level ?? level,
    oddsSpreads: Float64Array.from(skills, (share, at) => (spreads[at] ?? 0) / (share * (1 - share))),
    spreads,
    source,
    isGuessed,
    firstTokenMs,
    tokensPerSecond,
    thinkingTokens,
  };
}

function fromRow(row: ProfileRow): Profile {
  return makeProfile({
    skills: row.skills.map((skill) => skill / THOUSAND),
    spreads: row.spreads.map((spread) => spread / THOUSAND),
    source: row.source,
    isGuessed: row.source === IMPUTED,
    firstTokenMs: row.firstTokenMs,
    tokensPerSecond: row.tokensPerSecond,
    thinkingTokens: row.thinking,
  });
}

/** A skill that the operator doesn't name is the mean of those named. */
function overlaid(profile: Profile, own: SkillRow): Profile {
  const named = Object.values(own);
  if (named.length === 0) return profile;
  const mean = named.reduce((sum, value) => sum + value, 0) / named.length;
  const skills = SKILLS.map((skill) => Math.min(0.995, Math.max(0.005, own[skill] ?? mean)));
  const spreads = SKILLS.map((skill) => (own[skill] === undefined ? UNKNOWN_SPREAD : OPERATOR_SPREAD));
  const isGuessed = SKILLS.some((skill) => own[skill] === undefined);
  const known = { ...profile, skills, spreads, source: "operator", isGuessed };
  return makeProfile(known, isGuessed ? profile : undefined);
}

/** Within a generation the dearer model is the better one, ever less so, and a year makes up for much of the price. */
function guess(card: ModelCard): Profile {
  const [constant = 0, byPrice = 0, byYears = 0, byReasoning = 0, bySize = 0] = data.unknown;
  const price = card.price?.output ?? 0;
  const years = card.created === 0 ? YEARS_UNKNOWN : (ROWS_DAY - card.created) / YEAR_SECONDS;
  const reasoning = card.capabilities.has("reasoning");
  const size = Math.log2(billionsOf(card));
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

/** Billions of parameters as the name tells them ("llama-3.1-8b"). */
function billionsOf(card: ModelCard): number {
  const found = /(?:^|[-_:])(\d+(?:\.\d+)?)b(?:-|$|:)/.exec(card.name.slice(0, 200).toLowerCase());
  return found === null ? BILLIONS_UNKNOWN : Math.max(0.5, Number(found[1]));
}
