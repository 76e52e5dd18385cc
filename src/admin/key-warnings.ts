// Warnings about a key that is valid but may not do what its maker expects.
import { Type } from "@sinclair/typebox";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { matchesAny } from "../core/pattern.ts";
import { SELECTORS } from "../core/selector.ts";
import type { Settings } from "../core/settings.ts";
import { createdKeySchema, type KeyDetailView, keySchema } from "./keys.ts";
import { limitsSchema } from "./limits.ts";
import { text } from "./schema.ts";

const warnings = Type.Optional(
  Type.Array(text, { description: "What may not be intended, such as a model that nobody serves here." }),
);
export const checkedKeySchema = Type.Object({ ...keySchema.properties, limits: limitsSchema, warnings });
export const checkedNewKeySchema = Type.Object({
  ...createdKeySchema.properties,
  limits: limitsSchema,
  warnings,
});

/** Warns of a key that nothing bounds: neither an allowance, nor a budget of its own or of its account, nor a balance. */
export function warnOfNoBound(
  { requests_per_day: own, limits }: Pick<KeyDetailView, "requests_per_day" | "limits">,
  { quota, billing }: Pick<Settings, "quota" | "billing">,
): readonly string[] {
  const perDay = own === "default" ? quota.requestsPerDay : own;
  const isBound =
    perDay !== null || billing.charge === "always" || limits.some(({ kind }) => kind === "budget");
  return isBound
    ? []
    : ["Nothing bounds what this key may spend: it has neither a daily allowance nor a budget."];
}

/** The most names to warn about. */
const WARNINGS_MAX = 20;

/** Adds the warnings to a key's view, if there are any. */
export function addWarnings<View extends object>(
  view: View,
  warnings: readonly string[],
): View & { warnings?: string[] } {
  return warnings.length === 0 ? view : { ...view, warnings: [...warnings] };
}

/** Returns a warning for each id or pattern that names no model of the catalogue. */
export function warnOfModels(
  models: readonly string[] | null | undefined,
  catalogue: Catalogue,
): readonly string[] {
  const ids = [...SELECTORS.map((name) => `Router#${name}`), ...catalogue.list().map(({ id }) => id)];
  const found: string[] = [];
  for (const model of new Set(models)) {
    const isServed = model === "*" || ids.some((id) => matchesAny([model], id));
    const warning = isServed ? null : explainUnserved(model, catalogue);
    if (warning !== null) found.push(warning);
    // Each look-up of an unknown name compares it with all others.
    if (found.length === WARNINGS_MAX) break;
  }
  return found;
}

/** Any name stands for the models that a provider accepts without listing them. Null if they include the pattern's. */
function explainUnserved(model: string, catalogue: Catalogue): string | null {
  const found = catalogue.resolve(model.replaceAll("*", "x"));
  if (found.kind !== "unknown") return null;
  const near = found.nearest.map((id) => `'${id}'`).join(" or ");
  return `No model here is called '${model}'.${near === "" ? "" : ` Did you mean ${near}?`}`;
}
