// Warnings of `poundkey check` about rules of the guard whose accounts aren't in the store.
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { matchesAny } from "../../core/text/pattern.ts";

interface StorePorts {
  readonly accountNames: (store: string, mayConnect: boolean) => Promise<ReadonlyMap<string, number> | null>;
}

/** Rules may name accounts before they are made, so this is no mistake. */
export async function warnOfGuardAccounts(
  { store, guard }: Settings,
  { accountNames }: StorePorts,
  mayConnect: boolean,
): Promise<readonly ConfigError[]> {
  if (guard === undefined) return [];
  const known = await accountNames(store, mayConnect);
  if (known === null) return [];
  const names = [...known.keys()];
  return guard.rules.flatMap(({ accounts }, index) =>
    accounts.flatMap((pattern, at) => {
      if (names.some((name) => matchesAny([pattern], name))) return [];
      const field = `guard.rules[${index}].accounts[${at}]`;
      const message = `no account in the store matches '${pattern}'${suggest(pattern, names)}`;
      return [createError({ file: "", line: 0, column: 0, field, message })];
    }),
  );
}
