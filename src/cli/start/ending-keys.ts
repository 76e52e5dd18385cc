// Warnings of `poundkey check` about the store's keys that name a model which ends.
import { namesModel } from "../../admin/models/naming-keys.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { explainEnd } from "../../catalogue/ending-names.ts";
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Settings } from "../../core/settings.ts";

/** A key and the ids and patterns of its models. */
export interface KeyModels {
  readonly id: string;
  readonly name: string;
  readonly models: readonly string[];
}

/** The names that a warning has room for. */
const NAMED_MAX = 5;

/** Returns one for each such model. */
export function warnOfEndingKeys(
  settings: Settings,
  keys: readonly KeyModels[],
  nowMs: number,
): readonly ConfigError[] {
  const cards = buildCatalogue({ ...settings, nowMs }).listWithEnded();
  return cards.flatMap(({ id: model, shutdownDate: lastDay, ending, successor }) => {
    if (lastDay === undefined || ending === undefined) return [];
    const naming = keys.filter(({ models }) => namesModel(models, model));
    if (naming.length === 0) return [];
    const named = naming.slice(0, NAMED_MAX).map(({ id, name }) => `'${name}' (${id})`);
    const others = naming.length > NAMED_MAX ? ` and ${naming.length - NAMED_MAX} more` : "";
    const end = explainEnd({ model, lastDay, isOver: ending === "over", successor });
    const message = `${end}: allowed_models of ${named.join(", ")}${others}`;
    return [createError({ file: "", line: 0, column: 0, field: "keys", message })];
  });
}
