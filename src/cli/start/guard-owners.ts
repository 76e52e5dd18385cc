// Warnings of `poundkey check` about rules of the guard whose accounts and keys aren't in the store.
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { matchesAny } from "../../core/text/pattern.ts";

interface StorePorts {
  readonly accountNames: (store: string, mayConnect: boolean) => Promise<ReadonlyMap<string, number> | null>;
  /** Returns the names and ids of keys. Missing if no store is there. */
  readonly keyNames?: (store: string, mayConnect: boolean) => Promise<ReadonlySet<string> | null>;
}

/** Rules may name accounts and keys before they are made, so this is no mistake. */
export async function warnOfGuardOwners(
  { store, guard }: Settings,
  { accountNames, keyNames }: StorePorts,
  mayConnect: boolean,
): Promise<readonly ConfigError[]> {
  if (guard === undefined) return [];
  const accounts = await accountNames(store, mayConnect);
  // There may be many keys, and most rules name none.
  const asksKeys = guard.rules.some(({ keys }) => keys.some((pattern) => pattern !== "*"));
  const keys = asksKeys ? ((await keyNames?.(store, mayConnect)) ?? null) : null;
  return guard.rules.flatMap((rule, index) => [
    ...warn(rule.keys, `guard.rules[${index}].keys`, "key", keys),
    ...warn(rule.accounts, `guard.rules[${index}].accounts`, "account", accounts),
  ]);
}

/** `known` is null if the store can't be asked. */
function warn(
  patterns: readonly string[],
  list: string,
  what: string,
  known: ReadonlySet<string> | ReadonlyMap<string, unknown> | null,
): readonly ConfigError[] {
  if (known === null) return [];
  const names = [...known.keys()];
  return patterns.flatMap((pattern, at) => {
    if (pattern === "*" || names.some((name) => matchesAny([pattern], name))) return [];
    const message = `no ${what} in the store matches '${pattern}'${suggest(pattern, names)}`;
    return [createError({ file: "", line: 0, column: 0, field: `${list}[${at}]`, message })];
  });
}
