// Reads the operator's catalogue file, whose models are added to the built-in ones or replace them.
import { createHash } from "node:crypto";
import type { Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { loadBuiltInRows } from "../../catalogue/file/built-in.ts";
import type { CatalogueFileContent } from "../../catalogue/file/file-row.ts";
import { foldCatalogue } from "../../catalogue/file/fold.ts";
import { parseDay } from "../../catalogue/later-prices.ts";
import { isUnitMistake, priceView } from "../../catalogue/price.ts";
import { asObject, isObject, parseJson } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Hiding, LastList, Overtaken } from "../../core/money/taken-mark.ts";
import { formatField, type Issues } from "../errors.ts";
import { describeUnread, type Environment, RefusedFile } from "../interpolate.ts";
import { listIssues } from "../validate.ts";
import { lastList, readRows } from "./file-rows.ts";

/** 20,000 whole rows take a third of it. */
const CATALOGUE_BYTES_MAX = 16_000_000;

export interface CatalogueFile {
  /** The cards of the file, folded over the built-in rows. */
  readonly cards: readonly ModelCard[];
  readonly overtaken: readonly Overtaken[];
  readonly hiding: readonly Hiding[];
  readonly list?: LastList;
  /** Changes with the file's text. Missing without a file. */
  readonly digest?: string;
  /** The day of the operator's own rows, as `YYYY-MM-DD`. Missing if the file doesn't say. */
  readonly asOf?: string;
}

const NOTHING: CatalogueFile = { cards: [], overtaken: [], hiding: [] };

/**
 * Reads the file that the field `catalogue` names, if any: a list of models, or an object with its day (`as_of`), the last
 * list that was gone through (`list`) and the models (`models`). One that may be missing is empty then: the first update makes
 * it. Reports the first thing that is wrong with it.
 */
export function readCatalogueFile(
  file: string | undefined,
  readFile: Environment["readFile"],
  issues: Issues,
  mayBeMissing: boolean,
): CatalogueFile {
  if (file === undefined) return NOTHING;
  const wrong = (what: string) => {
    issues.atValue(["catalogue"], `${file}: ${what}`);
    return NOTHING;
  };
  try {
    const found = parseCatalogue(readFile(file, CATALOGUE_BYTES_MAX));
    return typeof found === "string" ? wrong(found) : found;
  } catch (thrown) {
    if (mayBeMissing && isObject(thrown) && thrown.code === "ENOENT") return NOTHING;
    const isRead = thrown instanceof Error && !("code" in thrown) && !(thrown instanceof RefusedFile);
    return wrong(isRead ? thrown.message : `the file ${describeUnread(thrown)}`);
  }
}

/** The text that was parsed elsewhere, with the result. */
let remembered: { readonly text: string; readonly found: CatalogueFile | string } | null = null;

/** Has the next reading of this text take no time: parsing thousands of rows would hold up requests. */
export function rememberCatalogue(text: string, found: CatalogueFile | string): void {
  remembered = { text, found };
}

/** Returns what the file's text comes to, or the first thing that is wrong with it. Throws an Error for a row that can't be. */
export function parseCatalogue(text: string): CatalogueFile | string {
  if (remembered?.text === text) return remembered.found;
  const content = readCatalogueContent(text);
  if (typeof content === "string") return content;
  const { asOf, list } = content;
  const {
    newerModels: cards,
    overtaken,
    hiding,
  } = foldCatalogue({ builtIn: loadBuiltInRows(), file: content });
  const digest = createHash("sha256").update(text).digest("hex");
  const found = {
    cards,
    overtaken,
    hiding,
    digest,
    ...(list === undefined ? {} : { list }),
    ...(asOf === undefined ? {} : { asOf }),
  };
  return findUnitMistake(cards) ?? found;
}

/** Returns the rows as they are in the file's text, or the first thing that is wrong. Throws an Error for a row that can't be. */
export function readCatalogueContent(text: string): CatalogueFileContent | string {
  const parsed = parseJson(text);
  if (parsed === undefined) return "the file is not valid JSON";
  const { as_of: asOf, list, models = parsed } = asObject(parsed);
  if (asOf !== undefined && !isDay(asOf)) return "as_of: expected a date like 2027-01-31";
  if (list !== undefined && !Value.Check(lastList, list)) {
    const [issue] = listIssues(lastList, list);
    return `${formatField(["list", ...(issue?.path ?? [])])}: ${issue?.message}`;
  }
  const read = readRows(models, list !== undefined);
  if ("wrong" in read) return read.wrong;
  return {
    ...(asOf === undefined ? {} : { asOf }),
    ...(list === undefined ? {} : { list: buildList(list) }),
    rows: read.rows,
  };
}

function buildList({ serial, sha256, as_of: asOf }: Static<typeof lastList>): LastList {
  return { asOf, ...(serial ? { serial } : {}), ...(sha256 ? { sha256 } : {}) };
}

function isDay(value: unknown): value is string {
  return typeof value === "string" && parseDay(value) !== null;
}

/** Describes a price that differs so much from the built-in one that it must be a mistake. Null if there is none. */
function findUnitMistake(cards: readonly ModelCard[]): string | null {
  const shipped = loadBuiltInRows().cards;
  for (const { id, price: given } of cards) {
    const known = shipped.get(id)?.price;
    if (!given || !known || !isUnitMistake(given, known)) continue;
    const { input, output } = priceView(known);
    return `the price of ${id} differs by a factor of 100 or more from the known one (input ${input}, output ${output}); prices are in USD per million tokens`;
  }
  return null;
}
