// The reasons why a model can't serve a request: those that last, and those that depend on its length and the model's health.
import type { ModelCard } from "../core/models/card.ts";
import { PICTURE_KINDS, type Refusal } from "../core/models/refusals.ts";
import { SKILLS } from "../core/models/skill.ts";
import type { PreparedAsk, Wishes } from "./ask.ts";
import { NOT_ALLOWED } from "./rules.ts";
import { ASIDE, ENDED, toBits, toPictureBits } from "./table.ts";

export const UNHEALTHY = "unhealthy";
/** A model that completes code is chosen for requests of which at least this share is coding. */
const CODING_SHARE = 0.5;
const CODING = SKILLS.indexOf("coding");
export const NO_SEARCH = "search";
/** Only a provider of the client's family reads the newest message's blocks. */
const UNREAD = "blocks";
const SEARCH_BIT = toBits(["search"]);
export const UNPRICED = "unpriced";
export const CONTEXT = "context";

/** The demands that every card is compared with, read from the request once. */
export type Sieve = ReturnType<typeof makeSieve>;

export function makeSieve(asked: PreparedAsk) {
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
 * Returns the first reason why the card at a place can't serve, or null if it can, but for its context and its health, which
 * come last: a model removed for its context could serve a shorter request. Cards are read only where it matters: reading
 * thousands would mostly wait for memory.
 */
export function findLastingReason(sieve: Sieve, row: number): string | null {
  const { table } = sieve;
  const barred = findBar(sieve, row);
  if (barred !== null) return barred;
  const missing = sieve.bits & ~(table.capabilities[row] ?? 0);
  if (missing !== 0) return findNeed(sieve.needed, missing);
  const beyond = findBeyond(sieve, row);
  if (beyond !== null) return beyond;
  const unread = sieve.isReadByAll ? null : findUnread(sieve.asked.input, table.cards, row);
  if (unread !== null) return unread;
  if (sieve.mustSearch && !isSearching(sieve.asked, row)) return NO_SEARCH;
  return findAside(sieve.asked, row);
}

export function findBarNow({ table, promptTokens, answerRoomAt, seenAt }: Sieve, row: number): string | null {
  if (promptTokens + answerRoomAt(row) > (table.room[row] ?? 0)) return CONTEXT;
  return seenAt(row)?.isOpen === true ? UNHEALTHY : null;
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
  if (reason === "completion" && isCoding(prediction)) return null;
  return reason;
}

export function isCoding({ skills }: PreparedAsk["prediction"]): boolean {
  return (skills[CODING] ?? 0) >= CODING_SHARE;
}

export function isSearching({ table, input }: PreparedAsk, row: number): boolean {
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
export function findNeed(needed: PreparedAsk["needed"], missing: number): string | null {
  const need = needed.find((one) => (toBits([one]) & missing) !== 0) ?? null;
  return need === "tools_auto" ? "tools" : need;
}
