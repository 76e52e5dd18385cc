// Separates the models that can serve a request from the others.
import type { ModelCard } from "../core/models/card.ts";
import { PICTURE_KINDS, type Refusal } from "../core/models/refusals.ts";
import { SKILLS } from "../core/models/skill.ts";
import type { PreparedAsk, Wishes } from "./ask.ts";
import { estimateAll } from "./estimates.ts";
import { NOT_ALLOWED } from "./rules.ts";
import { ASIDE, ENDED, toBits, toPictureBits } from "./table.ts";

const UNHEALTHY = "unhealthy";
/**
 * Models removed for these reasons are chosen from if no others are left: those made for something else may do, and one
 * that failed may have recovered. Without previews, the operator's `router.preview` would mean nothing.
 */
const LAST_RESORTS = ["deprecated", "completion", UNHEALTHY];
/** A model that completes code is chosen for requests of which at least this share is coding. */
const CODING_SHARE = 0.5;
const CODING = SKILLS.indexOf("coding");
const NO_SEARCH = "search";
/** Only a provider of the client's family reads the newest message's blocks. */
const UNREAD = "blocks";
const SEARCH_BIT = toBits(["search"]);
export const UNPRICED = "unpriced";
/** The reasons of models whose predicted cost or time is above what was asked for. */
export const MAX_COST = "max_cost";
export const MAX_MS = "max_ms";

interface SiftResult {
  /** Places in the table. */
  readonly able: Int32Array;
  readonly removed: Int32Array;
  /** The reason why each of `removed` can't serve. */
  readonly reasons: readonly string[];
}
export const CONTEXT = "context";

/** Returns the chat models' places in the table, and the reason why each of `removed` can't serve. */
export function sift(asked: PreparedAsk): SiftResult {
  const { maxCostUsd, maxMs } = asked.steering;
  const sifted = siftAble(asked);
  return maxCostUsd === null && maxMs === null ? sifted : siftCeilings(asked, sifted);
}

/** Removes models above a ceiling, which takes their estimates. */
function siftCeilings(asked: PreparedAsk, { able, removed, reasons }: SiftResult): SiftResult {
  const { maxCostUsd, maxMs } = asked.steering;
  const { costUsd, latencyMs } = estimateAll(asked, able);
  const found = [...able.keys()].map((place) => {
    if (maxCostUsd !== null && (costUsd[place] ?? 0) * asked.markup > maxCostUsd) return MAX_COST;
    return maxMs !== null && (latencyMs[place] ?? 0) > maxMs ? MAX_MS : null;
  });
  return {
    able: able.filter((_, place) => found[place] === null),
    removed: Int32Array.from([...removed, ...able.filter((_, place) => found[place] !== null)]),
    reasons: [...reasons, ...found.filter((reason) => reason !== null)],
  };
}

function siftAble(asked: PreparedAsk): SiftResult {
  const { table, input } = asked;
  const { among } = input;
  const count = among?.length ?? table.cards.length;
  const able = new Int32Array(count);
  const removed = new Int32Array(count);
  const reasons: string[] = [];
  const sieve = makeSieve(asked);
  let size = 0;
  for (let at = 0; at < count; at++) {
    const row = among === undefined ? at : (among[at] ?? at);
    if (table.isChat[row] === 0) continue;
    const reason = findReason(sieve, row);
    if (reason === null) able[size++] = row;
    else removed[reasons.push(reason) - 1] = row;
  }
  const remove = (row: number, reason: string) => {
    removed[reasons.push(reason) - 1] = row;
  };
  for (const lacks of listPreferences(asked)) size = keepPreferred(able, size, lacks, remove);
  const out = removed.slice(0, reasons.length);
  const last = LAST_RESORTS.find((reason) => reasons.includes(reason));
  if (size > 0 || last === undefined) return { able: able.slice(0, size), removed: out, reasons };
  return {
    able: out.filter((_, at) => reasons[at] === last),
    removed: out.filter((_, at) => reasons[at] !== last),
    reasons: reasons.filter((reason) => reason !== last),
  };
}

/** Returns the preferences of a request, each as a function that returns what the model at a place lacks, or null. */
function listPreferences(asked: PreparedAsk): readonly ((row: number) => string | null)[] {
  const { table, wished, input } = asked;
  const bits = toBits(wished);
  const lacksWished = (row: number) => findNeed(wished, bits & ~(table.capabilities[row] ?? 0));
  const lacksSearch = (row: number) => (isSearching(asked, row) ? null : NO_SEARCH);
  return [...(bits === 0 ? [] : [lacksWished]), ...(input.searches === undefined ? [] : [lacksSearch])];
}

/** Removes the models that lack something if there are others. Returns the number of those that stay, in place. */
function keepPreferred(
  able: Int32Array,
  size: number,
  findLack: (row: number) => string | null,
  remove: (row: number, reason: string) => void,
): number {
  const lacks = Array.from(able.subarray(0, size), findLack);
  const kept = able.subarray(0, size).filter((_, at) => lacks[at] === null);
  if (kept.length === 0) return size;
  for (const [at, lack] of lacks.entries()) if (lack !== null) remove(able[at] ?? -1, lack);
  able.set(kept);
  return kept.length;
}

/** The demands that every card is compared with, read from the request once. */
type Sieve = ReturnType<typeof makeSieve>;

function makeSieve(asked: PreparedAsk) {
  const { table, rules, promptTokens, answerRoomAt, input, needed, bulk, seenAt } = asked;
  return {
    asked,
    table,
    promptTokens,
    answerRoomAt,
    seenAt,
    needed,
    exclusions: rules.exclusions,
    allowed: input.allowed,
    mustSearch: input.mustSearch === true,
    bits: toBits(needed),
    bulk,
    pictures: toPictureBits(bulk.pictures),
    /** True if a call for any card would carry all that is asked. */
    isReadByAll: input.reads === undefined && input.findRefusedUrl === undefined,
  };
}

/**
 * Returns the first reason why the card at a place can't serve, or null if it can. Cards are read only where it matters:
 * reading thousands would mostly wait for memory.
 */
function findReason(sieve: Sieve, row: number): string | null {
  const { table, promptTokens } = sieve;
  const barred = findBar(sieve, row);
  if (barred !== null) return barred;
  const missing = sieve.bits & ~(table.capabilities[row] ?? 0);
  if (missing !== 0) return findNeed(sieve.needed, missing);
  const beyond = findBeyond(sieve, row);
  if (beyond !== null) return beyond;
  const unread = sieve.isReadByAll ? null : findUnread(sieve.asked.input, table.cards, row);
  if (unread !== null) return unread;
  if (sieve.mustSearch && !isSearching(sieve.asked, row)) return NO_SEARCH;
  // A model removed for its context could serve a shorter request.
  const aside = findAside(sieve.asked, row);
  if (aside !== null) return aside;
  if (promptTokens + sieve.answerRoomAt(row) > (table.room[row] ?? 0)) return CONTEXT;
  return sieve.seenAt(row)?.isOpen === true ? UNHEALTHY : null;
}

/** Returns the word for what the card's target refuses by its number or kind. */
function findBeyond({ table, bulk, pictures }: Sieve, row: number): Refusal | null {
  const { tools, pictureBytes, textCharacters, hasVideo } = bulk;
  if (hasVideo && table.takesVideos[row] === 0) return "video";
  const toolsMax = table.toolsMax[row] ?? tools;
  if (tools > toolsMax) return `tools>${toolsMax}`;
  const bytesMax = table.pictureBytesMax[row] ?? pictureBytes;
  if (pictureBytes > bytesMax) return `picture_bytes>${bytesMax}`;
  const charactersMax = table.textCharactersMax[row] ?? textCharacters;
  if (textCharacters > charactersMax) return `text_characters>${charactersMax}`;
  const untaken = pictures & (table.untakenPictures[row] ?? 0);
  const kind =
    untaken === 0 ? undefined : PICTURE_KINDS.find((one) => (toPictureBits([one]) & untaken) !== 0);
  return kind === undefined ? null : `picture_${kind}`;
}

/** Returns why a card is no candidate for any such request. */
function findBar({ exclusions, allowed, table }: Sieve, row: number): string | null {
  const excluded = findExclusion(exclusions, row);
  if (excluded !== null) return excluded;
  if (allowed !== undefined && !isAllowed(allowed, table.cards[row])) return NOT_ALLOWED;
  return table.prices[row] === null ? UNPRICED : null;
}

/** The operator's pin overrides what a model is made for. */
function findAside({ table, rules, prediction, input }: PreparedAsk, row: number): string | null {
  const place = table.aside[row] ?? 0;
  // Reading a list before its first place would take longest.
  const reason = place === 0 ? null : (ASIDE[place - 1] ?? null);
  if (reason === ENDED) return reason;
  if (reason === null || rules.pin?.id === table.cards[row]?.id) return null;
  if (reason === "preview" && input.rules.preview === true) return null;
  if (reason === "completion" && (prediction.skills[CODING] ?? 0) >= CODING_SHARE) return null;
  return reason;
}

function isSearching({ table, input }: PreparedAsk, row: number): boolean {
  const card = table.cards[row];
  const can = ((table.capabilities[row] ?? 0) & SEARCH_BIT) !== 0;
  return can && card !== undefined && input.searches?.(card) === true;
}

function findExclusion(exclusions: PreparedAsk["rules"]["exclusions"], row: number): string | null {
  for (let at = 0; at < exclusions.length; at++)
    if (exclusions[at]?.removes[row] === 1) return exclusions[at]?.reason ?? null;
  return null;
}

function isAllowed(allowed: (id: string) => boolean, card: ModelCard | undefined): boolean {
  return card === undefined || allowed(card.id);
}

/** Returns what the card's provider wouldn't get to read of the request. */
function findUnread(
  { reads, findRefusedUrl }: Wishes,
  cards: readonly ModelCard[],
  row: number,
): string | null {
  if (reads === undefined && findRefusedUrl === undefined) return null;
  const card = cards[row];
  if (card === undefined) return null;
  if (reads?.(card) === false) return UNREAD;
  const url = findRefusedUrl?.(card) ?? null;
  return url === null ? null : `${url}_urls`;
}

/** Returns the first of the needs that has a missing bit. */
function findNeed(needed: PreparedAsk["needed"], missing: number): string | null {
  const need = needed.find((one) => (toBits([one]) & missing) !== 0) ?? null;
  return need === "tools_auto" ? "tools" : need;
}
