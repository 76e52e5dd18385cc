// Separates the models that can serve a request from the others.
import type { RouterRules } from "../core/settings.ts";
import type { PreparedAsk } from "./ask.ts";
import { estimateAll } from "./estimates.ts";
import {
  findBarNow,
  findLastingReason,
  findNeed,
  isCoding,
  isSearching,
  makeSieve,
  NO_SEARCH,
  type Sieve,
  UNHEALTHY,
} from "./sieve.ts";
import { type CardTable, toBits } from "./table.ts";

/**
 * Models removed for these reasons are chosen from if no others are left: those made for something else may do, and one
 * that failed may have recovered. Without previews, the operator's `router.preview` would mean nothing.
 */
const LAST_RESORTS = ["deprecated", "completion", UNHEALTHY];
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

/** Returns the chat models' places in the table, and the reason why each of `removed` can't serve. */
export function sift(asked: PreparedAsk): SiftResult {
  const { maxCostUsd, maxMs } = asked.steering;
  const sifted = siftAble(asked);
  return maxCostUsd === null && maxMs === null ? sifted : siftCeilings(asked, sifted);
}

/** Removes models above a ceiling, which takes their estimates. */
function siftCeilings(asked: PreparedAsk, { able, removed, reasons }: SiftResult): SiftResult {
  const { maxCostUsd, maxMs } = asked.steering;
  const { costAt, latencyAt } = estimateAll(asked, able);
  const found = [...able.keys()].map((place) => {
    if (maxCostUsd !== null && costAt(place) * asked.markup > maxCostUsd) return MAX_COST;
    return maxMs !== null && latencyAt(place) > maxMs ? MAX_MS : null;
  });
  return {
    able: able.filter((_, place) => found[place] === null),
    removed: Int32Array.from([...removed, ...able.filter((_, place) => found[place] !== null)]),
    reasons: [...reasons, ...found.filter((reason) => reason !== null)],
  };
}

function siftAble(asked: PreparedAsk): SiftResult {
  const sieve = makeSieve(asked);
  const passed = passNow(sieve, findScreen(sieve));
  const preferences = listPreferences(asked);
  const sifted = preferences.length === 0 ? passed : preferAll(passed, preferences);
  const { able, removed, reasons } = sifted;
  const last = able.length > 0 ? undefined : LAST_RESORTS.find((reason) => reasons.includes(reason));
  if (last === undefined) return sifted;
  return {
    able: removed.filter((_, at) => reasons[at] === last),
    removed: removed.filter((_, at) => reasons[at] !== last),
    reasons: reasons.filter((reason) => reason !== last),
  };
}

/** Removes the models that their context or their health bars now. */
function passNow(sieve: Sieve, screen: SiftScreen): SiftResult {
  const { able } = screen;
  let isAnyBarred = false;
  for (let at = 0; at < able.length && !isAnyBarred; at++)
    isAnyBarred = findBarNow(sieve, able[at] ?? 0) !== null;
  if (!isAnyBarred) return screen;
  const { rows, reasonAt } = screen;
  return divide(rows, (at) => reasonAt[at] ?? findBarNow(sieve, rows[at] ?? 0));
}

/** Divides places in the table by the reason of each one, which is null for those that stay. */
function divide(rows: Int32Array, findReasonAt: (at: number) => string | null): SiftResult {
  const able = new Int32Array(rows.length);
  const removed = new Int32Array(rows.length);
  const reasons: string[] = [];
  let size = 0;
  for (let at = 0; at < rows.length; at++) {
    const reason = findReasonAt(at);
    if (reason === null) able[size++] = rows[at] ?? 0;
    else removed[reasons.push(reason) - 1] = rows[at] ?? 0;
  }
  return { able: able.slice(0, size), removed: removed.slice(0, reasons.length), reasons };
}

function preferAll(
  { able, removed, reasons }: SiftResult,
  preferences: ReturnType<typeof listPreferences>,
): SiftResult {
  const out = { removed: [...removed], reasons: [...reasons] };
  const remove = (row: number, reason: string) => {
    out.removed.push(row);
    out.reasons.push(reason);
  };
  const kept = preferences.reduce((rows, findLack) => keepPreferred(rows, findLack, remove), able);
  return { able: kept, removed: Int32Array.from(out.removed), reasons: out.reasons };
}

/** Returns the preferences of a request, each as a function that returns what the model at a place lacks, or null. */
function listPreferences(asked: PreparedAsk): readonly ((row: number) => string | null)[] {
  const { table, wished, input } = asked;
  const bits = toBits(wished);
  const lacksWished = (row: number) => findNeed(wished, bits & ~(table.capabilities[row] ?? 0));
  const lacksSearch = (row: number) => (isSearching(asked, row) ? null : NO_SEARCH);
  return [...(bits === 0 ? [] : [lacksWished]), ...(input.searches === undefined ? [] : [lacksSearch])];
}

/** Removes the models that lack something if there are others. Returns the places of those that stay. */
function keepPreferred(
  able: Int32Array,
  findLack: (row: number) => string | null,
  remove: (row: number, reason: string) => void,
): Int32Array {
  const lacks = Array.from(able, findLack);
  const kept = able.filter((_, at) => lacks[at] === null);
  if (kept.length === 0) return able;
  for (const [at, lack] of lacks.entries()) if (lack !== null) remove(able[at] ?? -1, lack);
  return kept;
}

/** The models sorted by all but what changes from one request of a class to the next: its length, and their health. */
interface SiftScreen extends SiftResult {
  /** The chat models' places in the table, and the reason why each one can't serve, or null. */
  readonly rows: Int32Array;
  readonly reasonAt: readonly (string | null)[];
}

/** Per table, rules and bounds on the models, by the class of a request. */
const screens = new WeakMap<CardTable, WeakMap<RouterRules, WeakMap<object, Map<string, SiftScreen>>>>();
/** A client's requests can be of some hundred classes. */
const CLASSES_MAX = 64;

function findScreen(sieve: Sieve): SiftScreen {
  const { table, asked } = sieve;
  const { among = table, rules } = asked.input;
  const name = nameClass(sieve);
  if (name === null) return makeScreen(sieve);
  const byRules = screens.getOrInsertComputed(table, () => new WeakMap());
  const byBounds = byRules.getOrInsertComputed(rules, () => new WeakMap());
  const known = byBounds.getOrInsertComputed(among, () => new Map());
  const screen = known.get(name);
  if (screen !== undefined) return screen;
  const made = makeScreen(sieve);
  if (known.size >= CLASSES_MAX) known.clear();
  known.set(name, made);
  return made;
}

/** Returns the class of a request, whose models are the same by all that lasts. Null if the request is one of its own. */
function nameClass(sieve: Sieve): string | null {
  const { asked, isReadByAll, allowed, mustSearch, bulk, table } = sieve;
  const { rules, needed, prediction } = asked;
  if (!isReadByAll || allowed !== undefined || mustSearch) return null;
  if (rules.applying === null || rules.pin !== null || !isTakenByAll(table, bulk)) return null;
  return `${rules.applying} ${Number(isCoding(prediction))} ${needed.join(" ")}`;
}

/** True if no model refuses the number or size of what is in the request, and there is nothing of which a kind is refused. */
function isTakenByAll({ least }: CardTable, bulk: PreparedAsk["bulk"]): boolean {
  const { tools, pictureBytes, textCharacters, hasVideo, pictures } = bulk;
  if (hasVideo || pictures.length > 0) return false;
  return (
    tools <= least.toolsMax &&
    pictureBytes <= least.pictureBytesMax &&
    textCharacters <= least.textCharactersMax
  );
}

function makeScreen(sieve: Sieve): SiftScreen {
  const { table, asked } = sieve;
  const rows = (asked.input.among ?? Int32Array.from(table.cards.keys())).filter(
    (row) => table.isChat[row] !== 0,
  );
  const reasonAt = Array.from(rows, (row) => findLastingReason(sieve, row));
  return { rows, reasonAt, ...divide(rows, (at) => reasonAt[at] ?? null) };
}
