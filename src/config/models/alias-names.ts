// Aliases in the lists of models that limits of the configuration have. The names of models have a `#` and patterns a `*`, so
// any other text stands for an alias.
import { canBeAliasName, writeAliasEntry, writeCountedAlias } from "../../core/models/alias-entry.ts";
import type { Issue, Path } from "../errors.ts";

/** The aliases of the file, by their names. */
export type FileAliases = Readonly<Record<string, unknown>>;

function isAlias(text: string): boolean {
  return canBeAliasName(text) && !text.includes("#");
}

/** Returns the models that a budget or another limit counts, with entries for what is asked by an alias. */
export function markCounted(models: readonly string[]): readonly string[] {
  return models.map((text) => (isAlias(text) ? writeCountedAlias(text) : text));
}

/** Returns the models that members may use, with entries for the aliases of the file. */
export function markAllowed(
  models: readonly string[] | null,
  aliases: FileAliases = {},
): readonly string[] | null {
  if (models === null) return null;
  const isKnown = (text: string) => isAlias(text) && Object.hasOwn(aliases, text);
  return models.map((text) => (isKnown(text) ? writeAliasEntry(text, 0) : text));
}

const OPENS_NOTHING =
  "there is no alias of this name in the file, so it opens nothing: aliases made at run time can only be allowed to single keys";
const COUNTS_LATER =
  "there is no alias of this name in the file, so it counts nothing until one is made at run time";

interface NamedLimits {
  readonly budgets?: readonly { readonly models?: readonly string[] }[] | undefined;
  readonly model_limits?: readonly { readonly models?: readonly string[] }[] | undefined;
  readonly allowed_models?: readonly string[] | null | undefined;
}

interface NamingSections {
  readonly key_defaults?: NamedLimits;
  readonly key_maxima?: NamedLimits;
  readonly member_defaults?: NamedLimits;
  readonly aliases?: FileAliases;
  readonly sign_in?: { readonly oidc?: { readonly rules: readonly NamedLimits[] } };
}

/** Warns of each name in limits that no alias of the file has. */
export function warnOfUnknownAliases(config: NamingSections): readonly Issue[] {
  const { key_defaults: byDefault, key_maxima: most, member_defaults: ofMembers, aliases = {} } = config;
  const rules = config.sign_in?.oidc?.rules ?? [];
  const sections: readonly (readonly [Path, NamedLimits | undefined])[] = [
    [["key_defaults"], byDefault],
    [["key_maxima"], most],
    [["member_defaults"], ofMembers],
    ...rules.map((rule, at) => [["sign_in", "oidc", "rules", at], rule] as const),
  ];
  const isUnknown = (text: string) => isAlias(text) && !Object.hasOwn(aliases, text);
  return sections.flatMap(([path, limits]) =>
    limits === undefined
      ? []
      : listNames(path, limits).flatMap(([place, text, message]) =>
          isUnknown(text) ? [{ path: place, at: "value", message } as const] : [],
        ),
  );
}

type NamedPlace = readonly [place: Path, text: string, message: string];

function listNames(
  path: Path,
  { budgets = [], model_limits = [], allowed_models }: NamedLimits,
): readonly NamedPlace[] {
  const listModels = (field: string, models: readonly string[], message: string): readonly NamedPlace[] =>
    models.map((text, at) => [[...path, field, at], text, message]);
  const listCounted = (field: string, limits: NonNullable<NamedLimits["budgets"]>): readonly NamedPlace[] =>
    limits.flatMap(({ models = [] }, at) =>
      models.map((text, place): NamedPlace => [[...path, field, at, "models", place], text, COUNTS_LATER]),
    );
  return [
    ...listModels("allowed_models", allowed_models ?? [], OPENS_NOTHING),
    ...listCounted("budgets", budgets),
    ...listCounted("model_limits", model_limits),
  ];
}
