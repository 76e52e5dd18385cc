// Makes and checks lists of models in our own form, for the command line and for a release.
import type { KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SHIPPED_DAY } from "../../catalogue/feeds/as-of.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { type DatedCards, makeRows, nextSerial, writeList } from "../../catalogue/feeds/make-list.ts";
import { isPoundkeyList, type PoundkeyList, readPoundkeyList } from "../../catalogue/feeds/poundkey-list.ts";
import { type FileRow, readRowId } from "../../catalogue/file/file-row.ts";
import { loadShippedCards } from "../../catalogue/rows.ts";
import { parseCatalogue, readCatalogueContent } from "../../config/models/catalogue-file.ts";
import { parseBounded } from "../../core/json/bounds.ts";
import { CHAT_ONLY, type ModelCard } from "../../core/models/card.ts";
import { signFile } from "../build/sign.ts";
import { decodeList, LIST_SHAPE } from "./list-bytes.ts";
import { writeWhole } from "./whole-file.ts";

const LIST_NAME = "catalogue.json";
const PUBLIC_MODE = 0o644;

interface Publishing {
  /** Files whose rows replace built-in ones. */
  readonly withFiles: readonly string[];
  /** Patterns of ids. Empty for all. */
  readonly only: readonly string[];
  readonly folder: string;
  /** Undefined for the next number. */
  readonly serial?: number | undefined;
  /** The list that this one follows. Undefined for the one in the folder. */
  readonly after?: string | undefined;
  readonly key?: KeyObject | undefined;
}

export type Publication =
  | { readonly kind: "written"; readonly file: string; readonly serial: number; readonly rows: number }
  | { readonly kind: "equal"; readonly serial: number }
  /** As in "the day has no more numbers". */
  | { readonly kind: "unnumbered"; readonly why: string };

/** Writes the list, and its signature if there is a key. Throws a FeedError for a file whose rows can't be published. */
export function publishList({ withFiles, only, folder, serial, after, key }: Publishing): Publication {
  const builtIn = { cards: loadShippedCards(), day: SHIPPED_DAY };
  const made = makeRows({ builtIn, files: withFiles.map((file) => readRows(file, builtIn.day)), only });
  if (made.rows.length === 0) throw new FeedError("no model has such an id");
  const file = join(folder, LIST_NAME);
  const last = readLast(after ?? (existsSync(file) ? file : undefined));
  if (serial === undefined && last !== null && isEqual(last.text, made.rows))
    return { kind: "equal", serial: last.list.serial };
  const number = serial ?? nextSerial(made.asOf, last?.list.serial ?? null);
  if (number === null)
    return { kind: "unnumbered", why: `no number is left after ${last?.list.serial}: give one by --serial` };
  const text = writeList(made, number);
  if (number === last?.list.serial && text !== last.text)
    return { kind: "unnumbered", why: `serial ${number} is that of another list` };
  mkdirSync(folder, { recursive: true });
  writeWhole(file, text, PUBLIC_MODE);
  if (key !== undefined) signFile(file, key);
  return { kind: "written", file, serial: number, rows: made.rows.length };
}

function readLast(file: string | undefined): { readonly text: string; readonly list: PoundkeyList } | null {
  if (file === undefined) return null;
  const text = decodeList(readFileSync(file));
  return { text, list: readListText(text, Number.MAX_SAFE_INTEGER) };
}

function isEqual(text: string, rows: readonly string[]): boolean {
  return text.endsWith(`"models":[\n${rows.join(",\n")}\n]}\n`);
}

/** Throws a FeedError if the text is no list of our own form. */
export function readListText(text: string, nowMs: number): PoundkeyList {
  const value = parseBounded(text, LIST_SHAPE);
  if (value === undefined) throw new FeedError("it is not valid JSON");
  if (!isPoundkeyList(value))
    throw new FeedError("it has no poundkey_catalogue: it isn't a list of this form");
  return readPoundkeyList(value, nowMs);
}

/** The rows of a catalogue file, those that were taken from a list as whole ones. */
function readRows(file: string, builtInDay: string): DatedCards {
  const text = readFileSync(file, "utf8");
  const found = refuseWrong(file, () => parseCatalogue(text));
  const { rows } = refuseWrong(file, () => readCatalogueContent(text));
  const days = new Map(rows.flatMap((row) => nameDay(row)));
  const day = found.asOf ?? builtInDay;
  for (const card of found.cards) {
    const wrong = findUnpublishable(card, day > builtInDay ? day : builtInDay);
    if (wrong !== null) throw new FeedError(`${file}: ${card.id} ${wrong}`);
  }
  return { cards: found.cards, day, days };
}

function nameDay(row: FileRow): readonly (readonly [id: string, day: string])[] {
  const day = row.kind === "own" ? row.asOf : row.taken.on;
  return day === undefined ? [] : [[readRowId(row), day]];
}

function refuseWrong<Found>(file: string, read: () => Found | string): Found {
  let found: Found | string;
  try {
    found = read();
  } catch (error) {
    found = error instanceof Error ? error.message : String(error);
  }
  if (typeof found === "string") throw new FeedError(`${file}: ${found}`);
  return found;
}

function findUnpublishable({ operations = CHAT_ONLY, price, shutdownDate }: ModelCard, day: string) {
  if (price === null && operations.has("chat")) return "has no price";
  return shutdownDate != null && shutdownDate < day ? `has ended on ${shutdownDate}` : null;
}
