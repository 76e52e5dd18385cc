// Compares two catalogues, model by model and field by field.
import type { Benchmark } from "../core/models/benchmark.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { ModelOverlay } from "../core/settings.ts";
import { collectCards } from "./catalogue.ts";
import { applyFactors, type Pricing } from "./factored.ts";
import { modelView } from "./model-view.ts";
import { applyOverlay } from "./overlay.ts";
import { viewRow } from "./write-rows.ts";

export interface CardChange {
  readonly id: string;
  readonly kind: "added" | "changed" | "removed";
  /** The fields that differ: all known ones of an added model, none of a removed one. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  /** Named as in `GET /v1/models`: `pricing.input`. */
  readonly field: string;
  /** Null if unknown. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Cards {
  readonly ownModels: readonly ModelCard[];
  readonly newerModels?: readonly ModelCard[];
  readonly benchmarks?: ReadonlyMap<string, Benchmark>;
  readonly overlay: readonly ModelOverlay[];
  /** Their factors count in prices. Missing if none has any. */
  readonly providers?: readonly (Pricing & { readonly name: string })[];
}

/** Fields that say no more than the id. */
const OBVIOUS: ReadonlySet<string> = new Set(["id", "object", "name", "created"]);

/** Compares all known models except disabled ones, even if their providers are disabled. With `only`, those of its ids. */
export function compareCards(before: Cards, after: Cards, only?: ReadonlySet<string>): readonly CardChange[] {
  const old = listFields(before, only);
  const now = listFields(after, only);
  const changed = [...now].flatMap(([id, fields]): readonly CardChange[] => {
    const known = old.get(id);
    const differing = compareFields(known ?? new Map(), fields);
    if (known && differing.length === 0) return [];
    return [{ id, kind: known ? "changed" : "added", fields: differing }];
  });
  const removed = [...old.keys()].filter((id) => !now.has(id));
  return [...changed, ...removed.map((id): CardChange => ({ id, kind: "removed", fields: [] }))];
}

type Fields = ReadonlyMap<string, string>;

function compareFields(before: Fields, after: Fields): readonly FieldChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, before: before.get(field) ?? null, after: after.get(field) ?? null }))
    .filter((change) => change.before !== change.after);
}

/** Returns all known models except disabled ones, by id. */
export function listKnown({
  ownModels,
  newerModels,
  benchmarks,
  overlay,
  providers = [],
}: Cards): ReadonlyMap<string, ModelCard> {
  const changes = new Map(overlay.map((change) => [change.id, change]));
  const on = new Map(providers.map((provider) => [provider.name, provider]));
  const cards = [...collectCards(ownModels, newerModels, benchmarks).values()].flatMap(
    (card) => applyOverlay(card, changes.get(card.id)) ?? [],
  );
  return new Map(cards.map((card) => [card.id, applyFactors(card, on.get(card.provider))]));
}

function listFields(cards: Cards, only?: ReadonlySet<string>): ReadonlyMap<string, Fields> {
  const known = [...listKnown(cards)].filter(([id]) => only === undefined || only.has(id));
  return new Map(known.map(([id, card]) => [id, listCardFields(card)]));
}

/** Returns the models of both catalogue files that aren't the same in them. */
export function listRewritten(
  before: readonly ModelCard[] = [],
  after: readonly ModelCard[] = [],
): ReadonlySet<string> {
  const write = (cards: readonly ModelCard[]) =>
    new Map(cards.map((card) => [card.id, JSON.stringify(viewRow(card))]));
  const old = write(before);
  const now = write(after);
  const ids = new Set([...old.keys(), ...now.keys()]);
  return new Set([...ids].filter((id) => old.get(id) !== now.get(id)));
}

function listCardFields(card: ModelCard): Fields {
  const { pricing, ...view } = modelView(card);
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries({ ...view, dialects: card.dialects })) {
    const text = formatValue(value);
    if (text !== null && !OBVIOUS.has(name)) fields.set(name, text);
  }
  for (const [name, value] of Object.entries(pricing ?? {})) {
    const text = formatValue(value);
    if (text !== null) fields.set(`pricing.${name}`, text);
  }
  return fields;
}

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return typeof value === "object" ? JSON.stringify(value) : String(value);
  if (value.length === 0) return null;
  return value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ");
}
