// Warnings about rules of the guard: patterns that match no model and no provider, and a detector that is wrong too often to refuse.
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import type { Issue } from "../errors.ts";
import type { Config } from "../schema.ts";

const TOOLS = /^mcp:/i;
/** It goes by names and by how random a value looks. */
const OFTEN_WRONG = "assigned_secret";

/** A pattern of tools isn't looked up: servers say which they have. */
export function warnOfGuard({ guard }: Config, settings: Settings): readonly Issue[] {
  const rules = guard?.rules ?? [];
  const issues = warnOfOftenWrong(settings);
  if (!rules.some(({ models, providers }) => models || providers)) return issues;
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
  return [
    ...issues,
    ...rules.flatMap((rule, index) => [
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
    ]),
  ];
}

/** A refusal can't be worked around, and much in code looks like an assigned secret. */
function warnOfOftenWrong({ guard }: Settings): readonly Issue[] {
  return (guard?.rules ?? []).flatMap(({ action, detect }, index) => {
    if (action !== "refuse" || !detect.includes(OFTEN_WRONG)) return [];
    const message = `${OFTEN_WRONG} is often wrong in code, and this rule refuses each request that it finds something in; give it a rule of its own that masks or reports`;
    return [{ path: ["guard", "rules", index, "detect"], at: "value" as const, message }];
  });
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
