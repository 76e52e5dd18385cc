// Makes a list of models in our own form: the built-in rows, and over them those of other files.
import type { ModelCard } from "../../core/models/card.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { viewRow } from "../write-rows.ts";
import { POUNDKEY_LIST_VERSION } from "./poundkey-list.ts";

/** Rows with the day on which they were right. */
export interface DatedCards {
  readonly cards: readonly ModelCard[];
  readonly day: string;
  /** The days of rows that have their own, by id. Missing if none has. */
  readonly days?: ReadonlyMap<string, string>;
}

interface ListParts {
  readonly builtIn: DatedCards;
  /** Each one's rows replace those before them. */
  readonly files: readonly DatedCards[];
  /** The ids that the list has, as patterns. Empty for all. */
  readonly only: readonly string[];
}

interface MadeRows {
  readonly asOf: string;
  /** A row's own `as_of` is left out where it is the list's. */
  readonly rows: readonly string[];
}

/** The rows are in the order of the built-in ones, and the same parts give the same text. */
export function makeRows({ builtIn, files, only }: ListParts): MadeRows {
  const cards = new Map<string, { readonly card: ModelCard; readonly day: string }>();
  for (const { cards: given, day, days } of [builtIn, ...files])
    for (const card of given) cards.set(card.id, { card, day: days?.get(card.id) ?? day });
  const all = [...[builtIn, ...files].map(({ day }) => day), ...[...cards.values()].map(({ day }) => day)];
  const asOf = all.reduce((one, other) => (other > one ? other : one));
  const rows = [...cards.values()]
    .filter(({ card }) => only.length === 0 || matchesAny(only, card.id))
    .map(({ card, day }) => {
      const { id, ...row } = viewRow(card);
      return JSON.stringify({ id, ...(day === asOf ? {} : { as_of: day }), ...row });
    });
  return { asOf, rows };
}

/** Returns the list's text, with a model per line. */
export function writeList({ asOf, rows }: MadeRows, serial: number): string {
  const head = JSON.stringify({ poundkey_catalogue: POUNDKEY_LIST_VERSION, serial, as_of: asOf });
  return `${head.slice(0, -1)},"models":[\n${rows.join(",\n")}\n]}\n`;
}

/** The numbers of a day are its digits and two more. */
const OF_A_DAY = 100;

/** Returns the number of the day's first list, or the one after the last list's if that isn't lower. Null if a day has no more. */
export function nextSerial(asOf: string, last: number | null): number | null {
  const first = Number(asOf.replaceAll("-", "")) * OF_A_DAY;
  if (last === null || last < first) return first;
  const next = last + 1;
  return next % OF_A_DAY === 0 || !Number.isSafeInteger(next) ? null : next;
}
