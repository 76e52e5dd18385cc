// The form in which aliases that were made at run time are kept: one setting of the store.
import type { Alias, AliasTarget } from "../core/alias.ts";
import { asArray, isObject, parseJson } from "../core/json.ts";

export interface StoredAlias {
  readonly name: string;
  readonly target: Alias;
  readonly createdAtMs: number;
}

export function writeStoredAliases(aliases: readonly StoredAlias[]): string {
  return JSON.stringify(aliases);
}

/** Oldest first. Entries that no program of ours wrote are left out. */
export function readStoredAliases(value: string | null): readonly StoredAlias[] {
  return asArray(parseJson(value ?? "[]")).flatMap((one) => {
    if (!isObject(one) || typeof one.name !== "string" || typeof one.createdAtMs !== "number") return [];
    const target = readTarget(one.target);
    return target === null ? [] : [{ name: one.name, target, createdAtMs: one.createdAtMs }];
  });
}

function readTarget(value: unknown): Alias | null {
  if (typeof value === "string") return value;
  const targets = asArray(value).flatMap((one): readonly AliasTarget[] => {
    if (!isObject(one) || typeof one.model !== "string" || typeof one.weight !== "number") return [];
    return [{ model: one.model, weight: one.weight }];
  });
  return targets.length === 0 ? null : targets;
}
