// The code that applies the words of refusals, as tables in which the compiler asks for every word that claims it.
import type { ChatDialectName } from "./dialect-names.ts";
import {
  type EffortLevel,
  hasRules,
  isRefused,
  type REFUSALS,
  type RefusalRules,
  type RefusalWord,
} from "./refusals.ts";

type RefusalRow<Word extends RefusalWord> = (typeof REFUSALS)[Word];
type DialectOf<Word extends RefusalWord> = RefusalRow<Word>["appliesIn"][number];
type WordAbout<Part> = {
  [Word in RefusalWord]: RefusalRow<Word>["concerns"] extends Part ? Word : never;
}[RefusalWord];

/** Those that hold in every dialect: the gateway applies them before it writes in any. */
type WordOfAll = {
  [Word in RefusalWord]: ChatDialectName extends DialectOf<Word> ? Word : never;
}[RefusalWord];

/** Those that a dialect applies as it writes a request. */
type WordOf<Dialect extends ChatDialectName> = {
  [Word in Exclude<RefusalWord, WordOfAll>]: Dialect extends DialectOf<Word> ? Word : never;
}[Exclude<RefusalWord, WordOfAll>];

/** Orders of roles that a chat template refuses. */
export type OrderWord = Extract<WordOf<"openai">, WordAbout<"turns">>;
/** Kinds of pictures, and videos. */
export type MediaWord = Extract<WordOfAll, WordAbout<"pictures">>;
/** Every other word that holds in every dialect: what a model can do in part. */
export type AbilityWord = Exclude<WordOfAll, MediaWord>;

/** `listEfforts` applies the levels with the word for all of them. */
type WithoutLevel<Word extends RefusalWord> = Word extends `reasoning_effort=${EffortLevel}`
  ? "reasoning_effort"
  : Word;

/** Returns what a word changes in the facts of a model. `isRefused` takes whether the facts refuse it by themselves. */
type ApplyRefusal<Facts> = (
  facts: Facts,
  isRefused: (isKnown?: boolean) => boolean,
  rules: RefusalRules,
) => Partial<Facts>;

/** The dialects in which `arrangeTurns` applies the words about the order of roles. */
type ArrangedDialect = "openai" | "mistral";

/** A rule for each word that claims the dialect, except those that `arrangeTurns` applies. */
export type DialectRules<Dialect extends ChatDialectName, Facts> = Readonly<
  Record<
    Exclude<WithoutLevel<WordOf<Dialect>>, Dialect extends ArrangedDialect ? OrderWord : never>,
    ApplyRefusal<Facts>
  >
>;

/** Puts the operator's words over what is known of a model: the same facts if there are none. */
export function applyRules<Facts>(
  table: Readonly<Partial<Record<RefusalWord, ApplyRefusal<Facts>>>>,
  card: RefusalRules,
  known: Facts,
): Facts {
  if (!hasRules(card)) return known;
  let facts = known;
  for (const [word, rule] of listRows(table)) {
    const isSo = (isKnown = false) => isRefused(card, word, isKnown);
    facts = { ...facts, ...rule(facts, isSo, card) };
  }
  return facts;
}

/** Returns the rows of a table by words, in its order. */
export function listRows<Word extends string, Value>(
  table: Readonly<Partial<Record<Word, Value>>>,
): readonly (readonly [Word, Value])[] {
  const isWord = (name: string): name is Word => Object.hasOwn(table, name);
  return Object.keys(table)
    .filter(isWord)
    .flatMap((word) => {
      const value = table[word];
      return value === undefined ? [] : [[word, value] as const];
    });
}
