// `guard`: the rules about personal data, secrets and words in texts, and what becomes of constraints.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { CONSTRAINT_RULES } from "../core/log/constraint.ts";
import {
  GUARD_ACTIONS,
  GUARD_PLACES,
  type GuardRule,
  type GuardSettings,
  type GuardWords,
} from "../core/models/guard.ts";
import type { HookRule } from "../core/models/hook.ts";
import { suggest } from "../core/text/nearest.ts";
import { DETECTORS, GROUPS } from "../guard/detectors.ts";
import { WORDS_PREFIX } from "../guard/words.ts";
import type { Issues, Path } from "./errors.ts";
import { choice, options, record, section, text } from "./field-types.ts";
import { hookName, patterns } from "./hooks.ts";

const RULES_MAX = 20;
const DETECT_MAX = 100;
const ALLOW_MAX = 1000;
const LISTS_MAX = 50;
const WORDS_MAX = 10_000;
const CHARACTERS_MIN = 3;
const CHARACTERS_MAX = 100;
const VERSION_DIGITS = 16;
/** From the mildest to the strictest, as the manual has them. */
const ACTIONS = GUARD_ACTIONS.toReversed();

const rule = section(
  {
    name: hookName,
    detect: Type.Array(
      text("a detector, a group, or words:NAME, with ! before those taken away", /^!?[a-z][a-z0-9_:]{0,63}$/),
      { minItems: 1, maxItems: DETECT_MAX, expected: `a list of 1 to ${DETECT_MAX} detectors and groups` },
    ),
    ...Type.Partial(
      Type.Object({
        action: choice(ACTIONS),
        at: Type.Array(choice(GUARD_PLACES), {
          minItems: 1,
          maxItems: GUARD_PLACES.length,
          expected: `a list of ${GUARD_PLACES.join(" and ")}`,
        }),
        keys: patterns("a key's name or id, or a pattern of it"),
        accounts: patterns("an account's name or id, or a pattern of it"),
        models: patterns("a model's id, or a pattern like OpenAI#*"),
        providers: patterns("a provider's name, or a pattern of it, with ! before those taken away"),
        attachments: choice(["pass", "refuse"]),
      }),
    ).properties,
  },
  "A rule.",
);

const LIST_NAME = /^[a-z][a-z0-9]{1,11}$/;
const list = Type.Union(
  [
    Type.Array(Type.String({ expected: `a word of ${CHARACTERS_MIN} to ${CHARACTERS_MAX} characters` }), {
      maxItems: WORDS_MAX,
      expected: "a list of words",
    }),
    Type.String(),
  ],
  { expected: `a list of at most ${WORDS_MAX} words, or a text with one a line` },
);

export const guard = options(
  {
    rules: Type.Array(rule, {
      maxItems: RULES_MAX,
      expected: `a list of at most ${RULES_MAX} rules, each { name, detect }`,
    }),
    words: record(LIST_NAME, "a name of 2 to 12 small letters and digits", list, "Lists of words by name."),
    allow: Type.Array(text("a value, or a pattern of it like *@corp.example", /^[^\n]{1,300}$/), {
      maxItems: ALLOW_MAX,
      expected: `a list of at most ${ALLOW_MAX} values and patterns`,
    }),
    constraints: choice(CONSTRAINT_RULES),
  },
  "What is looked for in texts, and what clients ask for that protects theirs.",
);

type GuardConfig = Static<typeof guard>;
type GuardRuleConfig = Static<typeof rule>;

/** Returns undefined without rules. Their words are checked all the same. */
export function buildGuard(
  { rules = [], words = {}, allow = [] }: GuardConfig = {},
  hooks: readonly HookRule[],
  issues: Issues,
): GuardSettings | undefined {
  const lists = readWords(words, issues);
  const taken = new Map(hooks.map(({ name }) => [name, "a hook has this name"]));
  const built = rules.map((one, index) => {
    const path = ["guard", "rules", index] as const;
    const isTaken = taken.get(one.name);
    if (isTaken !== undefined) issues.atValue([...path, "name"], isTaken);
    taken.set(one.name, "another rule has this name");
    checkSwap(one, path, issues);
    return buildRule(one, readDetect(one.detect, lists, [...path, "detect"], issues));
  });
  if (built.length === 0) return undefined;
  const parts = JSON.stringify([built, [...lists], allow]);
  const version = createHash("sha256").update(parts).digest("hex").slice(0, VERSION_DIGITS);
  return { version, rules: built, words: lists, allow };
}

/** A value is put back into the answer, so there is nothing to swap in one. */
function checkSwap({ action, at = [] }: GuardRuleConfig, path: Path, issues: Issues): void {
  if (action !== "swap") return;
  for (const [index, place] of at.entries())
    if (place !== "request") issues.atValue([...path, "at", index], EXPECTED_SWAP);
}

const EXPECTED_SWAP =
  'expected only "request" with "action: swap"; mask, refuse and report work at answers too';

function buildRule(given: GuardRuleConfig, detect: readonly string[]): GuardRule {
  const all = ["*"];
  const { name, action = "report", at = ["request"], attachments } = given;
  const { keys = all, accounts = all, models = all, providers = all } = given;
  return {
    name,
    detect,
    action,
    at,
    keys,
    accounts,
    models,
    providers,
    refusesAttachments: attachments === "refuse",
  };
}

/** Returns the detectors of a rule in their order, those of groups too, without those that are taken away. */
function readDetect(
  given: readonly string[],
  lists: GuardWords,
  path: Path,
  issues: Issues,
): readonly string[] {
  const known = [
    ...DETECTORS.map(({ name }) => name),
    ...[...lists.keys()].map((name) => WORDS_PREFIX + name),
  ];
  const groups = new Map<string, readonly string[]>([
    ...GROUPS,
    ...known.map((name) => [name, [name]] as const),
  ]);
  const wanted = new Set<string>();
  const away = new Set<string>();
  for (const [at, entry] of given.entries()) {
    const name = entry.replace(/^!/, "");
    const found = groups.get(name);
    if (found === undefined) issues.atValue([...path, at], explainUnknown(name, groups.keys()));
    for (const one of found ?? []) (entry === name ? wanted : away).add(one);
  }
  const left = known.filter((name) => wanted.has(name) && !away.has(name));
  if (wanted.size > 0 && left.length === 0) issues.atValue(path, "takes away all that it names");
  else if (wanted.size === 0 && away.size > 0) issues.atValue(path, "only takes away: name what it detects");
  return left;
}

function explainUnknown(name: string, known: Iterable<string>): string {
  if (name.startsWith(WORDS_PREFIX))
    return `no list of guard.words is called '${name.slice(WORDS_PREFIX.length)}'`;
  return `no detector or group is called '${name}'${suggest(name, known)}`;
}

/** Errors name the place of a word, never the word. */
function readWords(given: NonNullable<GuardConfig["words"]>, issues: Issues): GuardWords {
  const names = new Set<string>([...DETECTORS.map(({ name }) => name), ...GROUPS.keys()]);
  const lists = new Map<string, readonly string[]>();
  let count = 0;
  for (const [name, words] of Object.entries(given)) {
    const path = ["guard", "words", name];
    if (lists.size === LISTS_MAX) issues.atKey(path, `expected at most ${LISTS_MAX} lists`);
    if (names.has(name)) issues.atKey(path, "a detector or group has this name");
    const read = typeof words === "string" ? readLines(words, path, issues) : readList(words, path, issues);
    if (count <= WORDS_MAX && count + read.length > WORDS_MAX)
      issues.atKey(path, `expected at most ${WORDS_MAX} words in all lists`);
    count += read.length;
    lists.set(name, read);
  }
  return lists;
}

function readList(words: readonly string[], path: Path, issues: Issues): readonly string[] {
  return words.map((word, at) => {
    if (!isWord(word)) issues.atValue([...path, at], EXPECTED_WORD);
    return word.trim();
  });
}

/** One word a line. Empty lines say nothing. */
function readLines(lines: string, path: Path, issues: Issues): readonly string[] {
  return lines.split("\n").flatMap((line, at) => {
    const word = line.trim();
    if (word === "") return [];
    if (!isWord(word)) issues.atValue(path, `line ${at + 1} of the text: ${EXPECTED_WORD}`);
    return [word];
  });
}

const EXPECTED_WORD = `expected a word of ${CHARACTERS_MIN} to ${CHARACTERS_MAX} characters on one line`;

function isWord(given: string): boolean {
  const word = given.trim();
  const { length } = word.length > CHARACTERS_MAX ? [...word] : word;
  return length >= CHARACTERS_MIN && length <= CHARACTERS_MAX && !/[\n\r]/.test(word);
}
