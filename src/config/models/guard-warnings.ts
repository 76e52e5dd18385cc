// Warnings about rules of the guard whose patterns match no model and no provider.
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import type { Issue } from "../errors.ts";
import type { Config } from "../schema.ts";

const TOOLS = /^mcp:/i;

/** A pattern of tools isn't looked up: servers say which they have. */
export function warnOfGuard({ guard }: Config, settings: Settings): readonly Issue[] {
  const rules = guard?.rules ?? [];
  if (!rules.some(({ models, providers }) => models || providers)) return [];
  const providers = settings.providers.map(({ name }) => name);
  const models = [
    ...buildCatalogue(settings)
      .list()
      .map(({ id }) => id),
    ...Object.keys(settings.aliases),
    ...SELECTORS.map((name) => `Router#${name}`),
  ];
  const isUnlisted = (pattern: string) =>
    settings.providers.some(
      ({ name, unlistedModels }) => unlistedModels && matchesAny([pattern.split("#", 1)[0] ?? ""], name),
    );
  return rules.flatMap((rule, index) => [
    ...(rule.models ?? []).flatMap((pattern, at) =>
      TOOLS.test(pattern) || isUnlisted(pattern)
        ? []
        : warn(pattern, models, ["guard", "rules", index, "models", at], "model here"),
    ),
    ...(rule.providers ?? []).flatMap((pattern, at) =>
      warn(
        pattern.replace(/^!/, ""),
        providers,
        ["guard", "rules", index, "providers", at],
        "enabled provider",
      ),
    ),
  ]);
}

function warn(
  pattern: string,
  names: readonly string[],
  path: Issue["path"],
  what: string,
): readonly Issue[] {
  if (names.some((name) => matchesAny([pattern], name))) return [];
  return [{ path, at: "value", message: `matches no ${what}${suggest(pattern, names)}` }];
}
