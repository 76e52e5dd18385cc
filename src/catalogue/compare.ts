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
  readonly operatorModels: readonly ModelCard[];
  readonly newerModels?: readonly ModelCard[];
  readonly benchmarks?: ReadonlyMap<string, Benchmark>;
  readonly overlay: readonly ModelOverlay[];
  /** Their factors count in prices. Missing if none has any. */
  readonly providers?: readonly (Pricing & { readonly name: string })[];
}

/** Fields that say no more than the id. */
const OBVIOUS: ReadonlySet<string> = new Set(["id", "object", "name", "created"]);

/** Compares all known models except disabled ones, even if their providers are disabled. */
export function compareCards(before: Cards, after: Cards): readonly CardChange[] {
  const old = listKnown(before);
  const now = listKnown(after);
  return compareKnown(old, now, [...new Set([...now.keys(), ...old.keys()])]);
}

/** Compares the models of these ids, of catalogues that `listKnown` has listed. */
export function compareKnown(
  before: CardById,
  after: CardById,
  ids: readonly string[],
): readonly CardChange[] {
  return ids.flatMap((id): readonly CardChange[] => {
    const old = before.get(id);
    const now = after.get(id);
    if (now === undefined) return old === undefined ? [] : [{ id, kind: "removed", fields: [] }];
    const fields = compareFields(old ? listCardFields(old) : new Map(), listCardFields(now));
    if (old !== undefined && fields.length === 0) return [];
    return [{ id, kind: old === undefined ? "added" : "changed", fields }];
  });
}

type CardById = ReadonlyMap<string, ModelCard>;
type CardFields = ReadonlyMap<string, string>;

function compareFields(before: CardFields, after: CardFields): readonly FieldChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, before: before.get(field) ?? null, after: after.get(field) ?? null }))
    .filter((change) => change.before !== change.after);
}

/** Returns all known models except disabled ones, by id. */
export function listKnown({
  operatorModels,
  newerModels,
  benchmarks,
  overlay,
  providers = [],
}: Cards): ReadonlyMap<string, ModelCard> {
  const changes = new Map(overlay.map((change) => [change.id, change]));
  const on = new Map(providers.map((provider) => [provider.name, provider]));
  const cards = [...collectCards(operatorModels, newerModels, benchmarks).values()].flatMap(
    (card) => applyOverlay(card, changes.get(card.id)) ?? [],
  );
  return new Map(cards.map((card) => [card.id, applyFactors(card, on.get(card.provider))]));
}

/** True if both say the same in a catalogue file. */
export function isSameRow(one: ModelCard | undefined, other: ModelCard | undefined): boolean {
  return JSON.stringify(one && viewRow(one)) === JSON.stringify(other && viewRow(other));
}

function listCardFields(card: ModelCard): CardFields {
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
