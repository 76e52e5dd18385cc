// The models that LiteLLM's keys may use: those of the key itself, of its team, and of all others that bind it.
import { matchesAny, NO_MODELS } from "../../core/text/pattern.ts";
import { type ForeignRow, isEmptyCell, readList, readText } from "../columns.ts";
import type { ModelNames } from "./config.ts";
import type { ImportNotes } from "./notes.ts";

const ALL_MODELS = ["all-proxy-models", "*"];
const TEAM_MODELS = "all-team-models";
/** A list of this alone allows none, since a list of nothing allows all. */
const NONE = "no-default-models";

/** The models of an access group are added to a list, and don't limit a key without one. */
const NO_GROUPS = "models of access groups in the database: list them in allowed_models";

interface ModelParts {
  readonly names: ModelNames;
  /** Null if they aren't given. */
  readonly accessGroups: readonly ForeignRow[] | null;
  readonly notes: ImportNotes;
}

type ModelPatterns = readonly string[] | null;

/** Returns what all of the lists allow. Null for all models. `others` are LiteLLM's names, in lists of which none is empty. */
export function readKeyModels(
  row: ForeignRow,
  team: ForeignRow | null,
  others: readonly (readonly string[])[],
  parts: ModelParts,
): ModelPatterns {
  const own = readNames(row, parts);
  const isTeams = own.includes(TEAM_MODELS);
  if (isTeams && team === null) parts.notes.pause(`models: ${TEAM_MODELS}, and it has no team`);
  const lists = [isTeams ? [] : own, team === null ? [] : readNames(team, parts), ...others];
  const allowed = lists.map((list) => listModels(list, parts)).reduce(intersect, null);
  if (allowed !== null) reportFallbacks(allowed, parts);
  return allowed;
}

function readNames(row: ForeignRow, { accessGroups, notes }: ModelParts): readonly string[] {
  const names = readList(row, "models");
  if (names.length === 0 && !isEmptyCell(row.models)) notes.pause("models: a list that can't be read");
  const groups = readList(row, "access_group_ids");
  if (groups.length === 0 || names.length === 0) return names;
  if (accessGroups === null) notes.leave("access_group_ids", NO_GROUPS);
  const found = (accessGroups ?? []).filter((one) => groups.includes(readText(one, "access_group_id") ?? ""));
  const added = found.flatMap((one) => readList(one, "access_model_names"));
  if (added.length > 0) notes.take("access_group_ids", `allowed_models has ${added.join(", ")} too`);
  return [...names, ...added];
}

function intersect(one: ModelPatterns, other: ModelPatterns): ModelPatterns {
  if (one === null || other === null) return one ?? other;
  // A pattern as a text fits another pattern only if all that fits it does.
  const common = [
    ...one.filter((model) => matchesAny(other, model)),
    ...other.filter((model) => matchesAny(one, model)),
  ];
  return common.length === 0 ? [NO_MODELS] : [...new Set(common)];
}

function listModels(given: readonly string[], { names, notes }: ModelParts): ModelPatterns {
  if (given.length === 0 || given.some((model) => ALL_MODELS.includes(model))) return null;
  const found = given.flatMap((model) => {
    const ids = names.find(model);
    if (ids.length === 0 && model !== NONE) notes.leave(`model ${model}`, "it isn't in the configuration");
    return ids;
  });
  if (found.length > 0) return [...new Set(found)];
  if (given.some((model) => model !== NONE))
    notes.narrow("models", "none of them is here, so it may use none");
  return [NO_MODELS];
}

/** LiteLLM falls back to models that the key itself may not use. */
function reportFallbacks(allowed: readonly string[], { names, notes }: ModelParts): void {
  for (const id of allowed) {
    const lost = names.findFallbacks(id).filter((one) => !matchesAny(allowed, one));
    if (lost.length > 0) notes.leave(`fallbacks of ${id}`, `allowed_models doesn't have ${lost.join(", ")}`);
  }
}
