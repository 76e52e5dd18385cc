// The names in the configuration that lead to a model which ends soon, or has ended.
import { type Alias, isPolicy } from "../core/models/alias.ts";
import type { ModelCard } from "../core/models/card.ts";
import { buildCatalogue, type Catalogue, type CatalogueInput } from "./catalogue.ts";

interface EndingName {
  /** The field of the configuration, as `aliases.fast` or `models["X#y"].fallbacks`. */
  readonly field: string;
  readonly model: string;
  /** The model's last day. */
  readonly lastDay: string;
  readonly isOver: boolean;
  /** The model that follows it. Undefined if none does. */
  readonly successor: string | undefined;
}

/** Returns one entry for each name and model. Selectors leave such models by themselves. */
export function listEndingNames(settings: CatalogueInput, nowMs: number): readonly EndingName[] {
  const catalogue = buildCatalogue({ ...settings, nowMs });
  const find = (field: string, ids: readonly string[]) =>
    ids.flatMap((id) => describeEnd(catalogue, field, id));
  const aliases = Object.entries(settings.aliases).flatMap(([name, alias]) =>
    find(`aliases.${name}`, listTargets(alias)),
  );
  const fallbacks = settings.overlay.flatMap(({ id, fallbacks: ids = [], disabled }) =>
    disabled ? [] : find(`models["${id}"].fallbacks`, ids),
  );
  return [...aliases, ...fallbacks];
}

/** A policy leads to no model by its name. */
function listTargets(alias: Alias): readonly string[] {
  if (typeof alias === "string") return [alias];
  return isPolicy(alias) ? [] : alias.map(({ model }) => model);
}

function describeEnd(catalogue: Catalogue, field: string, id: string): readonly EndingName[] {
  const found = catalogue.resolve(id);
  if (found.kind !== "card") return [];
  const { id: model, shutdownDate, ending, successor }: ModelCard = found.card;
  if (shutdownDate === undefined || ending === undefined) return [];
  return [{ field, model, lastDay: shutdownDate, isOver: ending === "over", successor }];
}

/** Returns the sentence for people. */
export function explainEnd({ model, lastDay, isOver, successor }: EndingName): string {
  const other = successor === undefined ? "another model" : `another model, such as ${successor}`;
  return isOver
    ? `${model} has ended: its last day was ${lastDay}; name ${other}`
    : `${model} ends: its last day is ${lastDay}; before then, name ${other}`;
}
