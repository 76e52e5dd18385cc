// The tables of a scanner: its detectors, the operator's words, and the values that are never found.
import type { GuardWords } from "../core/models/guard.ts";
import { AllowList } from "./allow.ts";
import { ContextWords } from "./context.ts";
import type { Detector } from "./detector.ts";
import { DETECTORS } from "./detectors.ts";
import { makeStarts, type Starts } from "./starts.ts";
import { WORDS_PREFIX, WordSearcher } from "./words.ts";

export interface Table {
  readonly rows: readonly Detector[];
  readonly starts: Starts;
  readonly context: ContextWords | null;
  readonly words: WordSearcher | null;
  readonly allowed: AllowList | null;
}

/**
 * @param detectors names of detectors, and `words:NAME`
 * @param allow patterns of values that aren't found
 */
export function makeTable(detectors: readonly string[], words: GuardWords, allow: readonly string[]): Table {
  const names = new Set(detectors);
  const rows = DETECTORS.filter(({ name }) => names.has(name));
  const lists = [...names].filter((name) => name.startsWith(WORDS_PREFIX));
  return {
    rows,
    starts: makeStarts(rows),
    context: rows.some((row) => row.words) ? new ContextWords(rows) : null,
    words: lists.length > 0 ? new WordSearcher(words, lists) : null,
    allowed: allow.length > 0 ? new AllowList(allow) : null,
  };
}
