// The last days that a list of prices has for models, and what would be left without a model.
import { type Alias, isPolicy } from "../../core/models/alias.ts";
import { type ModelCard, readProvider } from "../../core/models/card.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import { formatDay, parseDay } from "../later-prices.ts";
import type { FeedRow } from "./feed.ts";
import { ENDS_LISTED } from "./provider-names.ts";
import type { Proposal } from "./verdict.ts";

/** Something of the operator's that needs one of these models to answer. */
export interface Reliance {
  readonly name: string;
  readonly models: readonly string[];
}

interface Relying {
  readonly aliases: Readonly<Record<string, Alias>>;
  readonly overlay: readonly ModelOverlay[];
  readonly operatorModels: readonly ModelCard[];
}

/** An alias with a policy chooses among all models, so that no end leaves it without one. */
export function listReliances({ aliases, overlay, operatorModels }: Relying): readonly Reliance[] {
  const named = Object.entries(aliases).flatMap(([name, alias]) => {
    if (isPolicy(alias)) return [];
    const models = typeof alias === "string" ? [alias] : alias.map(({ model }) => model);
    return [{ name: `the alias ${name}`, models }];
  });
  const followed = [...overlay, ...operatorModels].flatMap(({ id, fallbacks = [] }) =>
    fallbacks.length === 0 ? [] : [{ name: `the fallbacks of ${id}`, models: fallbacks }],
  );
  return [...named, ...followed];
}

const DAY_MS = 86_400_000;
/** Time to notice a wrong end before it takes a model away. */
const NOTICE_DAYS = 30;

interface EndBasis {
  readonly nowMs: number;
  /** True for a list in our own form, whose dates are all ends. */
  readonly isOwn: boolean;
  readonly reliances: readonly Reliance[];
  /** The last days by model in lower case: those that are known, and over them those of the list. */
  readonly ends: ReadonlyMap<string, string>;
}

/** True if a date that the list has for the provider's models is their last day. */
export function isEndListed(id: string, isOwn: boolean): boolean {
  return isOwn || ENDS_LISTED.has(readProvider(id));
}

/** Collects the last days of the catalogue and those that the list has in their place. */
export function listEnds(
  known: ReadonlyMap<string, ModelCard>,
  rows: readonly FeedRow[],
  isOwn: boolean,
): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  for (const { id, shutdownDate } of known.values())
    if (shutdownDate !== undefined) ends.set(id.toLowerCase(), shutdownDate);
  for (const { id, shutdown } of rows)
    if (shutdown !== null && known.has(id) && isEndListed(id, isOwn)) ends.set(id.toLowerCase(), shutdown);
  return ends;
}

export function proposeEnd(
  { id, shutdownDate }: ModelCard,
  { shutdown, card }: FeedRow,
  basis: EndBasis,
): Proposal | null {
  if (shutdown === null || shutdown === shutdownDate) return null;
  const successor = card?.successor;
  const doubt = findDoubt(id, shutdown, basis);
  const isEnd = isEndListed(id, basis.isOwn);
  return {
    id,
    field: "shutdown",
    before: shutdownDate ?? null,
    after: shutdown,
    verdict: isEnd ? (doubt === null ? "taken" : "waits") : "not_an_end",
    reason: isEnd ? doubt : `other lists have no last days of ${readProvider(id)}`,
    moves: null,
    isNew: false,
    card: { shutdownDate: shutdown, ...(successor === undefined ? {} : { successor }) },
  };
}

function findDoubt(id: string, shutdown: string, { nowMs, reliances, ends }: EndBasis): string | null {
  const todayMs = parseDay(formatDay(nowMs)) ?? nowMs;
  if ((parseDay(shutdown) ?? 0) < todayMs + NOTICE_DAYS * DAY_MS)
    return `it is less than ${NOTICE_DAYS} days ahead`;
  const left = reliances.find(({ models }) => leaves(id, shutdown, models, ends));
  return left === undefined ? null : `${left.name} would have no model`;
}

/** True if the model is the last of these to end. */
function leaves(
  id: string,
  shutdown: string,
  models: readonly string[],
  ends: ReadonlyMap<string, string>,
): boolean {
  const ids = models.map(canonical);
  const own = id.toLowerCase();
  return ids.includes(own) && ids.every((other) => other === own || (ends.get(other) ?? "~") <= shutdown);
}

/** Operators may write the provider before a slash. */
function canonical(model: string): string {
  return (model.includes("#") ? model : model.replace("/", "#")).toLowerCase();
}
