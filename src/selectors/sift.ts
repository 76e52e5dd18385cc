// Separates the models that can serve a request from the others.
import type { ModelCard } from "../core/card.ts";
import type { PreparedAsk } from "./ask.ts";
import { toBits } from "./table.ts";

const UNHEALTHY = "unhealthy";
const NO_SEARCH = "search";
const SEARCH_BIT = toBits(["search"]);

/** Returns the chat models' places in the table, and the reason why each of `removed` can't serve. */
export function sift(asked: PreparedAsk) {
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
  size = preferSearching(asked, able.subarray(0, size), (row) => {
    removed[reasons.push(NO_SEARCH) - 1] = row;
  });
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
  if (input.allowed && !isAllowed(input.allowed, table.cards[row])) return "not_allowed";
  if (table.prices[row] === null) return "unpriced";
  const missing = bits & ~(table.capabilities[row] ?? 0);
  if (missing !== 0) return findNeed(asked.needed, missing);
  if (promptTokens + outputTokensMax > (table.room[row] ?? 0)) return "context";
  if (input.takesImageUrls && !takesUrls(input.takesImageUrls, table.cards[row])) return "image_urls";
  if (input.mustSearch === true && !isSearching(asked, row)) return NO_SEARCH;
  return asked.seenAt(row)?.isOpen === true ? UNHEALTHY : null;
}

function isSearching({ table, input }: PreparedAsk, row: number): boolean {
  const card = table.cards[row];
  const can = ((table.capabilities[row] ?? 0) & SEARCH_BIT) !== 0;
  return can && card !== undefined && input.searches?.(card) === true;
}

/**
 * Where the request offers a search and any of the models can carry it, keeps only those, in place. Returns how many
 * are kept.
 */
function preferSearching(asked: PreparedAsk, able: Int32Array, remove: (row: number) => void): number {
  const { searches, mustSearch } = asked.input;
  if (searches === undefined || mustSearch === true) return able.length;
  const kept = able.filter((row) => isSearching(asked, row));
  if (kept.length === 0 || kept.length === able.length) return able.length;
  const keeps = new Set(kept);
  for (const row of able) if (!keeps.has(row)) remove(row);
  able.set(kept);
  return kept.length;
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
