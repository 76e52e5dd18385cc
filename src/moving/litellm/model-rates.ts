// LiteLLM's limits of a minute on single models: those of a key become its own here, others one for all models together.
import { asNumber, asObject } from "../../core/json/json.ts";
import { LIMIT_MAX, type MinuteLimits } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "../../core/limits/limit-table.ts";
import {
  MODEL_LIMITS_MAX,
  type ModelLimit,
  makeModelLimit,
  nameModelLimit,
} from "../../core/limits/model-limit.ts";
import { type ForeignRow, readObject } from "../columns.ts";
import type { ModelNames } from "./config.ts";
import { joinRates } from "./limits.ts";
import type { ImportNotes } from "./notes.ts";

interface RateReading {
  readonly row: ForeignRow;
  readonly names: ModelNames;
  readonly notes: ImportNotes;
  readonly where: string;
  /** True for a key's own row: nothing but a key has limits on some models. */
  readonly isKey: boolean;
}

/** The fields of the metadata, by what they count. */
const FIELDS = { requests: "model_rpm_limit", tokens: "model_tpm_limit" } as const;
type RateRow = Extract<MinuteLimit, { readonly counts: keyof typeof FIELDS }>;
type RateProperty = RateRow["property"];
const ROWS = MINUTE_LIMITS.filter((row): row is RateRow => row.counts in FIELDS);
const NONE = mapLimits(ROWS, "property", () => null);

interface ModelRate {
  readonly model: string;
  readonly rate: RateProperty;
  readonly limit: number;
}

/** Returns the limits of all models with what those of single models make of them, and those that stay single. */
export function readModelRates(
  reading: RateReading,
  whole: MinuteLimits,
): MinuteLimits & { readonly modelLimits: readonly ModelLimit[] } {
  const fields = ROWS.map(({ counts, property }) => {
    return { field: FIELDS[counts], rate: property, rates: listRates(reading, FIELDS[counts], property) };
  });
  const equal = fields.flatMap(({ rates }) => rates).filter(({ model }) => hasEqual(reading, model));
  const modelLimits = joinByModels(reading, equal);
  const isTooMany = modelLimits.length > MODEL_LIMITS_MAX;
  const own: ReadonlySet<ModelRate> = new Set(isTooMany ? [] : equal);
  const ofAll: { -readonly [Property in keyof MinuteLimits]: number | null } = { ...whole };
  for (const { field, rate, rates } of fields) {
    const kept = rates.filter((one) => own.has(one));
    const others = rates.filter((one) => !own.has(one));
    if (kept.length > 0) reportOwn(reading, field, kept);
    if (others.length === 0) continue;
    const lowest = Math.min(...others.map(({ limit }) => limit));
    ofAll[rate] = joinRates(ofAll[rate], lowest);
    const of = kept.length > 0 ? ` of ${others.map(({ model }) => model).join(", ")}` : "";
    reading.notes.narrow(`${field}${reading.where}${of}`, `${lowest} in a minute for all models together`);
  }
  return { ...ofAll, modelLimits: isTooMany ? [] : modelLimits };
}

/** Only a key has limits on some models. Here a fallback that they don't bind would answer what they refuse. */
function hasEqual({ isKey, names }: RateReading, model: string): boolean {
  const ids = names.find(model);
  return isKey && ids.every((id) => names.findFallbacks(id).every((next) => ids.includes(next)));
}

function listRates(
  { row, names, notes, where }: RateReading,
  field: string,
  rate: RateProperty,
): readonly ModelRate[] {
  const given = Object.entries(asObject(readObject(row, "metadata")[field]));
  return given.flatMap(([model, value]) => {
    const limit = asNumber(value);
    if (names.find(model).length === 0)
      notes.leave(`${field}${where} of ${model}`, "the model isn't in the configuration");
    else if (limit === undefined) notes.pause(`${field}${where} of ${model} isn't a number`);
    else return [{ model, rate, limit: roundLimit(limit) }];
    return [];
  });
}

export function roundLimit(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), LIMIT_MAX));
}

/** Two names for the same models share a limit, the lower one. */
function joinByModels({ names }: RateReading, rates: readonly ModelRate[]): readonly ModelLimit[] {
  const limits = new Map<string, ModelLimit>();
  for (const { model, rate, limit } of rates) {
    const none = makeModelLimit({ models: names.find(model), ...NONE });
    const name = nameModelLimit(none);
    const before = limits.get(name) ?? none;
    limits.set(name, { ...before, [rate]: joinRates(before[rate], limit) });
  }
  return [...limits.values()];
}

function reportOwn({ names, notes, where }: RateReading, field: string, rates: readonly ModelRate[]): void {
  const part = `${field}${where}`;
  const words = `limits on some models: ${rates.map(({ model, limit }) => `${model} ${limit}`).join(", ")}`;
  const shared = rates.map(({ model }) => model).filter((model) => names.isShared(model));
  if (shared.length === 0) notes.take(part, words);
  else notes.narrow(part, `${words}; what other names ask of the models of ${shared.join(", ")} counts, too`);
}
