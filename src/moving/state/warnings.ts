// Warnings of entries that a state file may have, though they are hardly meant.
import { warnOfModels } from "../../admin/keys/key-warnings.ts";
import { asArray } from "../../core/json/json.ts";
import type { Plan } from "./draft.ts";
import type { StateWorld } from "./known.ts";

/** Returns a text for each model in the list of a key that nobody serves. */
export function listWarnings(
  { aliases, aliasNames }: Pick<StateWorld, "aliases" | "aliasNames">,
  { changes }: Pick<Plan, "changes">,
): readonly string[] {
  return changes.flatMap(({ kind, name, after }) => {
    const models = asArray(kind === "key" ? after?.allowed_models : null).filter(
      (one) => typeof one === "string",
    );
    const others = models.filter((one) => aliasNames.find(one) === null);
    return warnOfModels(others, aliases.catalogue()).map((warning) => `key ${name}: ${warning}`);
  });
}
