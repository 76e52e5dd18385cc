// Aliases in the lists of models that keys and budgets have. In the store such an entry has a mark that no id and no pattern
// begins with, so that an entry of an earlier version, which only looks like an alias's name, opens nothing.

const MARK = ",";
const ENTRY = /^,(\d*),(.+)$/;

/** The aliases that clients can ask for now. */
export interface AliasNames {
  /**
   * Returns when the alias of exactly this name was made at run time, in Unix milliseconds, and 0 for one of the
   * configuration file. Null if there is none, or if a model of that id comes before it.
   */
  find(name: string): number | null;
}

/** Aliases that become known one by one. */
export class KnownAliasNames implements AliasNames {
  readonly #times = new Map<string, number>();

  /** `madeAtMs` as `find` returns it. */
  add(name: string, madeAtMs: number): void {
    this.#times.set(name, madeAtMs);
  }

  find(name: string): number | null {
    return this.#times.get(name) ?? null;
  }
}

export const NO_ALIASES: AliasNames = { find: () => null };

/** The time tells an alias from an earlier one of its name, so that one which was deleted and made again opens nothing. */
export function writeAliasEntry(name: string, madeAtMs: number): string {
  return `${MARK}${madeAtMs}${MARK}${name}`;
}

/** Budgets have no time in it: it would be part of their names, and saving one again would forget what was used of it. */
export function writeCountedAlias(name: string): string {
  return `${MARK}${MARK}${name}`;
}

/** Returns the name of the alias that an entry stands for. Null for ids and patterns. */
export function readAliasName(entry: string): string | null {
  return entry.startsWith(MARK) ? (ENTRY.exec(entry)?.[2] ?? null) : null;
}

/** Returns the entries as people write them. */
export function showModels(entries: readonly string[]): readonly string[] {
  return entries.some((entry) => entry.startsWith(MARK))
    ? entries.map((entry) => readAliasName(entry) ?? entry)
    : entries;
}

/** Returns the entries that are ids or patterns. */
export function dropAliases(entries: readonly string[]): readonly string[] {
  return entries.some((entry) => entry.startsWith(MARK))
    ? entries.filter((entry) => !entry.startsWith(MARK))
    : entries;
}

/** Names with a star stand for many, and the command line separates names by commas. */
const NAME = /^[^\s,*]{1,200}$/;

/** True for a text that may be the name of an alias in such a list. */
export function canBeAliasName(text: string): boolean {
  return NAME.test(text);
}
