// Separates the models that can serve a request from the others.
import type { ModelCard } from "../core/card.ts";
import type { PreparedAsk } from "./ask.ts";
import { estimateAll } from "./estimates.ts";
import { NOT_ALLOWED } from "./rules.ts";
import { toBits } from "./table.ts";

const UNHEALTHY = "unhealthy";
export const UNPRICED = "unpriced";
/** The reasons of models whose predicted cost or time is above what was asked for. */
export const MAX_COST = "max_cost";
export const MAX_MS = "max_ms";

interface Sifted {
  /** Places in the table. */
  readonly able: Int32Array;
  readonly removed: Int32Array;
  /** Why each of `removed` can't serve. */
  readonly reasons: readonly string[];
}

/** Returns the chat models' places in the table, and the reason why each of `removed` can't serve. */
export function sift(asked: PreparedAsk): Sifted {
  const { maxCostUsd, maxMs } = asked.steering;
  const sifted = siftAble(asked);
  return maxCostUsd === null && maxMs === null ? sifted : siftCeilings(asked, sifted);
}

/** Removes models above a ceiling, which takes their estimates. */
function siftCeilings(asked: PreparedAsk, { able, removed, reasons }: Sifted): Sifted {
  const { maxCostUsd, maxMs } = asked.steering;
  const { costUsd, latencyMs } = estimateAll(asked, able);
  const found = [...able.keys()].map((place) => {
    if (maxCostUsd !== null && (costUsd[place] ?? 0) > maxCostUsd) return MAX_COST;
    return maxMs !== null && (latencyMs[place] ?? 0) > maxMs ? MAX_MS : null;
  });
  return {
    able: able.filter((_, place) => found[place] === null),
    removed: Int32Array.from([...removed, ...able.filter((_, place) => found[place] !== null)]),
    reasons: [...reasons, ...found.filter((reason) => reason !== null)],
  };
}

function siftAble(asked: PreparedAsk): Sifted {
  const { table, input } = asked;
  const count = input.among?.length ?? table.cards.length;
  const able = new Int32Array(count);
  const removed = new Int32Array(count);
  const reasons: string[] = [];
  const bits = toBits(asked.needed);
  let size = 0;
  for (let at = 0; at < count; at++) {
    const row = input.among?.[at] ?? at;
    if (table.isChat[row] === 0) continue;
    const reason = findReason(asked, bits, row);
    if (reason === null) able[size++] = row;
    else removed[reasons.push(reason) - 1] = row;
  }
  const out = removed.slice(0, reasons.length);
  if (size > 0 || !reasons.includes(UNHEALTHY)) return { able: able.slice(0, size), removed: out, reasons };
  // Only unhealthy models are left: one of them may have recovered.
  return {
    able: out.filter((_, at) => reasons[at] === UNHEALTHY),
    removed: out.filter((_, at) => reasons[at] !== UNHEALTHY),
    reasons: reasons.filter((reason) => reason !== UNHEALTHY),
  };
}

/**
 * Returns the first reason why the card at a place can't serve, or null if it can. Cards are read only where it matters:
 * reading thousands would mostly wait for memory.
 */
function findReason(asked: PreparedAsk, bits: number, row: number): string | null {
  const { table, rules, promptTokens, outputTokensMax = 0, input } = asked;
  const excluded = findExclusion(rules.exclusions, row);
  if (excluded !== null) return excluded;
  if (input.allowed && !isAllowed(input.allowed, table.cards[row])) return NOT_ALLOWED;
  if (table.prices[row] === null) return UNPRICED;
  const missing = bits & ~(table.capabilities[row] ?? 0);
  if (missing !== 0) return findNeed(asked.needed, missing);
  if (promptTokens + outputTokensMax > (table.room[row] ?? 0)) return "context";
  if (input.takesImageUrls && !takesUrls(input.takesImageUrls, table.cards[row])) return "image_urls";
  return asked.seenAt(row)?.isOpen === true ? UNHEALTHY : null;
}

function findExclusion(exclusions: PreparedAsk["rules"]["exclusions"], row: number): string | null {
  for (let at = 0; at < exclusions.length; at++)
    if (exclusions[at]?.removes[row] === 1) return exclusions[at]?.reason ?? null;
  return null;
}

function isAllowed(allowed: (id: string) => boolean, card: ModelCard | undefined): boolean {
  return card === undefined || allowed(card.id);
}

function takesUrls(takes: (card: ModelCard) => boolean, card: ModelCard | undefined): boolean {
  return card === undefined || takes(card);
}

/** Returns the first of the needs that has a missing bit. */
function findNeed(needed: PreparedAsk["needed"], missing: number): string | null {
  const need = needed.find((one) => (toBits([one]) & missing) !== 0) ?? null;
  return need === "tools_auto" ? "tools" : need;
}
