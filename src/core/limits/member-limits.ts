// The limits of a member within an account: over all of the member's personal keys there, those that were revoked too.
import { type Budget, nameBudget, type Period } from "./budget.ts";
import { type LimitKind, type MinuteLimits, NO_LIMITS, type OwnerLimits } from "./limit.ts";
import { fallBack } from "./limit-bounds.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "./limit-table.ts";

/** The tools that may be called, as patterns of NAME_tool. Null if the level says nothing; an empty list allows no tool at all. */
export type AllowedTools = readonly string[] | null;

/** The limits that an account gives each of its members. A rule of the sign-in that says something else comes first. */
export interface MemberDefaults extends OwnerLimits {
  /** Null for all. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedTools: AllowedTools;
  /** The most personal keys of one member in the account. Null for `members.keys` alone. */
  readonly keys: number | null;
}

/** The limits that a rule gives to the members whom it matches. Null where it says nothing. */
export interface RuleLimits extends MinuteLimits {
  readonly allowedModels: readonly string[] | null;
  readonly allowedTools: AllowedTools;
  readonly budgets: readonly Budget[] | null;
}

/** The limits of a rule, for the accounts that it names. */
export interface GivenLimits extends RuleLimits {
  /** Null for all. */
  readonly accountIds: readonly string[] | null;
}

/** A member's limit in an account, as it is named in a request for more. */
export interface AskedLimit {
  readonly kind: LimitKind;
  /** The budget's period and models. Null for limits of a minute, and models also for all models. */
  readonly per: Period | null;
  /** Sorted, each once. */
  readonly models: readonly string[] | null;
}

/** Returns the limit's name among those of its owner. */
export function nameAskedLimit({ kind, per, models }: AskedLimit): string {
  return per === null ? kind : `${kind} ${nameBudget({ per, models })}`;
}

/** An addition to a limit. */
export interface LimitRaise extends AskedLimit {
  /** Nano-dollars for a budget, else requests or tokens. */
  readonly amount: number;
  /** Its end, Unix milliseconds. */
  readonly untilMs: number;
}

/** A member's own part of what limits them in an account, as the store keeps it. */
export interface MemberTerms {
  /** Those of the rules that matched, for any account. */
  readonly rules: readonly GivenLimits[];
  /** Those granted in this account, also those that have ended. */
  readonly raises: readonly LimitRaise[];
}

/** Without any limits. */
export const NO_MEMBER_LIMITS: MemberDefaults = {
  ...NO_LIMITS,
  allowedModels: null,
  allowedTools: null,
  keys: null,
};

/** The configuration's part of it. */
interface MemberRules {
  /** The limits of each member in each account that says nothing else. */
  readonly memberDefaults: MemberDefaults;
  readonly keyDefaults: OwnerLimits;
  readonly keyMaxima: OwnerLimits;
}

/**
 * Returns the most that roles below admin may give a personal key: the maxima, and where they say nothing what every key
 * has by default. Otherwise its member could leave the defaults behind.
 */
export function findPersonalMost({
  keyMaxima,
  keyDefaults,
}: Omit<MemberRules, "memberDefaults">): OwnerLimits {
  return fallBack(keyMaxima, keyDefaults);
}

/** An account's own part of it. */
interface LimitingAccount {
  readonly id: string;
  readonly memberDefaults: MemberDefaults | null;
}

/**
 * Returns the models that a member may use in an account: of the rules that name some by union, else the account's, else
 * those of the configuration.
 */
export function findMemberModels(
  account: LimitingAccount,
  { rules }: Pick<MemberTerms, "rules">,
  { allowedModels: byDefault }: Pick<MemberDefaults, "allowedModels">,
): readonly string[] | null {
  const models = listGiven(account, rules).flatMap(({ allowedModels }) => allowedModels ?? []);
  return models.length > 0 ? [...new Set(models)] : (account.memberDefaults?.allowedModels ?? byDefault);
}

/**
 * Returns the tools that a member may call in an account: of the rules that say something by union, in which what one takes
 * away is taken away; else the account's, else those of the configuration.
 */
export function findMemberTools(
  account: LimitingAccount,
  { rules }: Pick<MemberTerms, "rules">,
  { allowedTools: byDefault }: Pick<MemberDefaults, "allowedTools">,
): AllowedTools {
  const said = listGiven(account, rules).flatMap(({ allowedTools }) =>
    allowedTools === null ? [] : [allowedTools],
  );
  if (said.length > 0) return [...new Set(said.flat())];
  return account.memberDefaults?.allowedTools ?? byDefault;
}

/** Returns the most keys of a member in an account: the account's own number, else the configuration's. */
export function findMemberKeys(
  { memberDefaults }: Pick<LimitingAccount, "memberDefaults">,
  { keys: byDefault }: Pick<MemberDefaults, "keys">,
): number | null {
  return memberDefaults?.keys ?? byDefault;
}

/**
 * Returns the limits of a member over all personal keys in an account: of the rules that say something the widest counts,
 * of budgets alike the largest. The account's defaults say the rest, then those of the configuration, and of budgets that
 * nobody names the most of a personal key. Granted raises are added until they end.
 */
export function findMemberLimits(
  account: LimitingAccount,
  { rules, raises }: MemberTerms,
  byFile: MemberRules,
  nowMs: number,
): OwnerLimits {
  const limits = joinLimits(account, rules, byFile);
  const running = raises.filter(({ untilMs }) => nowMs < untilMs);
  return running.length === 0 ? limits : raiseLimits(limits, running);
}

function listGiven({ id }: LimitingAccount, rules: readonly GivenLimits[]): readonly GivenLimits[] {
  return rules.filter(({ accountIds }) => accountIds === null || accountIds.includes(id));
}

function joinLimits(
  account: LimitingAccount,
  rules: readonly GivenLimits[],
  byFile: MemberRules,
): OwnerLimits {
  const { memberDefaults } = account;
  const given = listGiven(account, rules);
  const findWidest = ({ property }: MinuteLimit) => {
    const said = given.map((rule) => rule[property]).filter((limit) => limit !== null);
    return said.length > 0
      ? Math.max(...said)
      : (memberDefaults?.[property] ?? byFile.memberDefaults[property]);
  };
  return {
    ...mapLimits(MINUTE_LIMITS, "property", findWidest),
    budgets: joinBudgets(
      given.flatMap(({ budgets }) => budgets ?? []),
      layBudgets(
        layBudgets(findLeastBudgets(byFile), byFile.memberDefaults.budgets),
        memberDefaults?.budgets,
      ),
    ),
  };
}

/** A limit that isn't set any more stays none. */
function raiseLimits(limits: OwnerLimits, raises: readonly LimitRaise[]): OwnerLimits {
  const raise = (limit: number, name: string) => {
    const added = raises.map((one) => (nameAskedLimit(one) === name ? one.amount : 0));
    return Math.min(
      added.reduce((sum, amount) => sum + amount, limit),
      Number.MAX_SAFE_INTEGER,
    );
  };
  const raiseMinute = ({ name, property }: MinuteLimit) => {
    const limit = limits[property];
    return limit === null ? null : raise(limit, name);
  };
  return {
    ...mapLimits(MINUTE_LIMITS, "property", raiseMinute),
    budgets: limits.budgets.map((budget) => ({
      ...budget,
      nanoUsd: raise(budget.nanoUsd, nameAskedLimit({ kind: "budget", ...budget })),
    })),
  };
}

/** Lists are replaced, never changed, and every decision asks. */
const bounding = new WeakMap<readonly Budget[], readonly Budget[]>();

/**
 * One that only warns bounds no key, so it bounds no person either. Nobody set these for people: they stop nobody for what
 * was spent before they bound people.
 */
function findLeastBudgets(byFile: MemberRules): readonly Budget[] {
  const { keyMaxima, keyDefaults } = byFile;
  // Every decision on a personal key asks.
  if (keyMaxima.budgets.length === 0 && keyDefaults.budgets.length === 0) return keyDefaults.budgets;
  const { budgets } = findPersonalMost(byFile);
  return bounding.getOrInsertComputed(budgets, () =>
    budgets.filter(({ isHard }) => isHard).map((budget) => ({ ...budget, beginsEmpty: true })),
  );
}

/** Returns the budgets of both, of those alike the one on top. The lists themselves where one says nothing. */
function layBudgets(below: readonly Budget[], onTop: readonly Budget[] = []): readonly Budget[] {
  if (below.length === 0) return onTop;
  if (onTop.length === 0) return below;
  return [...new Map([...below, ...onTop].map((budget) => [nameBudget(budget), budget])).values()];
}

function joinBudgets(ofRules: readonly Budget[], byDefault: readonly Budget[]): readonly Budget[] {
  if (ofRules.length === 0) return byDefault;
  const joined = new Map(byDefault.map((budget) => [nameBudget(budget), budget]));
  const largest = new Map<string, Budget>();
  for (const budget of ofRules) {
    const known = largest.get(nameBudget(budget));
    if (known === undefined || isLarger(budget, known)) largest.set(nameBudget(budget), budget);
  }
  for (const [name, budget] of largest) joined.set(name, budget);
  return [...joined.values()];
}

/** One that only warns bounds nothing. */
function isLarger(one: Budget, other: Budget): boolean {
  return one.isHard === other.isHard ? one.nanoUsd > other.nanoUsd : other.isHard;
}
