// What the log keeps of a selector's decision: enough to show why, to decide it again, and to learn from a score.

import type { ModelCard } from "../core/card.ts";
import { arrayOf, isObject, numberOf, stringOf } from "../core/json.ts";
import { SELECTORS, type Selector } from "../core/selector.ts";
import { type Choice, carefulLevel, ranked } from "./choose.ts";
import type { Weighed } from "./consider.ts";
import { shippedParameters } from "./parameters.ts";
import { type RouteView, routeView } from "./route-view.ts";

/** As JSON in the request's row. */
export interface KeptDecision {
  readonly selector: Selector;
  /** The share of the best quality that was asked for, 0…1. */
  readonly share: number;
  readonly choice: string | null;
  readonly pinned: string | null;
  /** What would have been chosen, where another model was tried out; null: none was. */
  readonly instead_of: string | null;
  readonly features: RouteView["features"];
  /** How hard the request was taken to be, unrounded. */
  readonly difficulty: number;
  /** The request as a row of numbers, for learning: Float32, base64. */
  readonly row: string;
  readonly candidates: readonly KeptCandidate[];
  /** How many were removed, by what. */
  readonly removed: Readonly<Record<string, number>>;
}

interface KeptCandidate {
  readonly model: string;
  readonly created: number;
  readonly quality: number;
  readonly quality_low: number;
  readonly level: number;
  readonly careful: number;
  readonly cost_usd: number | null;
  readonly latency_ms: number;
  /** Of the answer and its thoughts, before what was learned of lengths. */
  readonly tokens: number;
  readonly score: number;
}

/** The first by score, and those whose quality or level the others are measured by. */
export const SCORED_KEPT = 8;
export const GOOD_KEPT = 3;

/** `tried`: what was tried out in place of the choice; null: nothing was. */
export function keptDecision(choice: Choice, share: number, tried: ModelCard | null = null): KeptDecision {
  const able = choice.candidates.filter(({ eligible }) => eligible);
  const by = (value: (one: Weighed) => number) =>
    able.toSorted((a, b) => value(b) - value(a)).slice(0, GOOD_KEPT);
  const kept = new Set([
    ...able.slice(0, SCORED_KEPT),
    ...able.filter(({ card }) => card === tried),
    ...by(({ careful }) => careful),
    ...by(carefulLevel),
  ]);
  return {
    selector: choice.selector,
    share,
    choice: (tried ?? choice.choice)?.id ?? null,
    instead_of: tried && (choice.choice?.id ?? null),
    pinned: choice.pinned,
    features: routeView(choice).features,
    difficulty: choice.prediction.difficulty,
    row: rowText(choice.prediction.row),
    candidates: able
      .filter((one) => kept.has(one))
      .map((one) => ({
        model: one.card.id,
        created: one.card.created,
        quality: one.quality,
        quality_low: one.qualityLow,
        level: one.level,
        careful: one.careful,
        cost_usd: one.costUsd,
        latency_ms: one.latencyMs,
        tokens: one.tokens,
        score: one.score,
      })),
    removed: choice.removed,
  };
}

/** A row as text, for `rowOf`. */
export function rowText(row: Float32Array): string {
  return `${markOfParameters()}:${Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString("base64")}`;
}

/** The row of `KeptDecision.row`; null when it is not one, or other parameters made it: its numbers meant something else. */
export function rowOf(text: string): Float32Array | null {
  const [mark, numbers = ""] = text.split(":");
  if (mark !== markOfParameters()) return null;
  const bytes = Buffer.from(numbers, "base64");
  if (bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  return new Float32Array(new Uint8Array(bytes).buffer);
}

let mark: string | undefined;

function markOfParameters(): string {
  mark ??= Bun.hash.wyhash(shippedParameters().embedding).toString(36);
  return mark;
}

export interface DecidedAgain {
  readonly choice: string | null;
  /** Whether it is what was chosen then. */
  readonly same: boolean;
}

/** Decides again by what was kept; null: that is no decision. */
export function decidedAgain(kept: unknown): DecidedAgain | null {
  if (!isObject(kept)) return null;
  const selector = SELECTORS.find((one) => one === kept.selector);
  const { share, difficulty, choice, pinned, instead_of: usual } = kept;
  if (!selector || typeof share !== "number" || typeof difficulty !== "number") return null;
  const able = arrayOf(kept.candidates).flatMap(weighedOf);
  const [first] = ranked(selector, able, share, difficulty);
  const found = typeof pinned === "string" ? choice : (first?.card.id ?? null);
  // Where another was tried out, that was left to chance: what it was tried out for is decided again.
  const again = typeof usual === "string" && found === usual ? choice : found;
  return { choice: typeof again === "string" ? again : null, same: again === choice };
}

function weighedOf(value: unknown): readonly Weighed[] {
  if (!isObject(value)) return [];
  const id = stringOf(value.model);
  const number = (field: string) => numberOf(value[field]) ?? 0;
  if (id === undefined) return [];
  return [
    {
      card: { id, created: number("created") },
      quality: number("quality"),
      qualityLow: number("quality_low"),
      level: number("level"),
      careful: number("careful"),
      costUsd: numberOf(value.cost_usd) ?? null,
      latencyMs: number("latency_ms"),
      tokens: number("tokens"),
    },
  ];
}
