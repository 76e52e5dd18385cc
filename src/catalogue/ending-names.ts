// The names in the configuration that lead to a model which ends soon, or has ended.
import { type Alias, isPolicy } from "../core/models/alias.ts";
import type { ModelCard } from "../core/models/card.ts";
import { buildCatalogue, type Catalogue, type CatalogueInput } from "./catalogue.ts";

/** The end of a model. */
interface ModelEnd {
  readonly model: string;
  /** The model's last day. */
  readonly lastDay: string;
  readonly isOver: boolean;
  /** The model that follows it. Undefined if none does. */
  readonly successor: string | undefined;
}

interface NamedEnding extends ModelEnd {
  /** The field of the configuration, as `aliases.fast` or `models["X#y"].fallbacks`. */
  readonly field: string;
}

/** The lists of models that the configuration gives to people. */
interface PeoplesModels {
  readonly ownerLimits?: { readonly memberDefaults: ModelAllowing };
  readonly signIn?: { readonly rules: readonly { readonly limits: ModelAllowing | null }[] };
}

interface ModelAllowing {
  readonly allowedModels: readonly string[] | null;
}

/** The settings that name models, with the catalogue that these are of. */
export type NamingSettings = CatalogueInput & PeoplesModels;

/** Returns one entry for each name and model. Selectors leave such models by themselves. */
export function listEndingNames(settings: NamingSettings, nowMs: number): readonly NamedEnding[] {
  const catalogue = buildCatalogue({ ...settings, nowMs });
  const find = (field: string, ids: readonly string[]) =>
    ids.flatMap((id) => describeEnd(catalogue, field, id));
  const aliases = Object.entries(settings.aliases).flatMap(([name, alias]) =>
    find(`aliases.${name}`, listTargets(alias)),
  );
  const fallbacks = settings.overlay.flatMap(({ id, fallbacks: ids = [], disabled }) =>
    disabled ? [] : find(`models["${id}"].fallbacks`, ids),
  );
  const ofPeople = listPeoplesModels(settings).flatMap(([field, { allowedModels }]) =>
    find(field, (allowedModels ?? []).filter(isId)),
  );
  return [...aliases, ...fallbacks, ...ofPeople];
}

function listPeoplesModels({
  ownerLimits,
  signIn,
}: PeoplesModels): readonly (readonly [string, ModelAllowing])[] {
  const rules = (signIn?.rules ?? []).flatMap(({ limits }, at) =>
    limits === null ? [] : [[`sign_in.oidc.rules[${at}].allowed_models`, limits] as const],
  );
  return ownerLimits === undefined
    ? rules
    : [["member_defaults.allowed_models", ownerLimits.memberDefaults], ...rules];
}

/** Patterns lead to no single model, and what an alias leads to is named already. */
function isId(entry: string): boolean {
  return entry.includes("#") && !entry.includes("*");
}

/** A policy leads to no model by its name. */
function listTargets(alias: Alias): readonly string[] {
  if (typeof alias === "string") return [alias];
  return isPolicy(alias) ? [] : alias.map(({ model }) => model);
}

function describeEnd(catalogue: Catalogue, field: string, id: string): readonly NamedEnding[] {
  const found = catalogue.resolve(id);
  if (found.kind !== "card") return [];
  const { id: model, shutdownDate, ending, successor }: ModelCard = found.card;
  if (shutdownDate === undefined || ending === undefined) return [];
  return [{ field, model, lastDay: shutdownDate, isOver: ending === "over", successor }];
}

/** Returns the sentence for people. */
export function explainEnd({ model, lastDay, isOver, successor }: ModelEnd): string {
  const other = successor === undefined ? "another model" : `another model, such as ${successor}`;
  return isOver
    ? `${model} has ended: its last day was ${lastDay}; name ${other}`
    : `${model} ends: its last day is ${lastDay}; before then, name ${other}`;
}
