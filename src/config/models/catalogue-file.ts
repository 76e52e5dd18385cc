// Reads the operator's catalogue file, whose models are added to the built-in ones or replace them.
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parseDay } from "../../catalogue/later-prices.ts";
import { isUnitMistake, priceView } from "../../catalogue/price.ts";
import { buildCards, loadShippedCards } from "../../catalogue/rows.ts";
import { asObject, asString, parseJson } from "../../core/json/json.ts";
import { MODEL_KINDS, type ModelCard } from "../../core/models/card.ts";
import { DIALECTS } from "../../core/models/dialect-names.ts";
import { formatField, type Issues, type Path } from "../errors.ts";
import { choice, day, integer, orNull, section, text } from "../field-types.ts";
import { describeUnread, type Environment, RefusedFile } from "../interpolate.ts";
import { listIssues } from "../validate.ts";
import { capabilities, laterPrices, modelId, operations, price, TOKENS_MAX } from "./model-schema.ts";

const ROWS_MAX = 20_000;
/** That many rows take a third of it. */
const CATALOGUE_BYTES_MAX = 16_000_000;

const tokens = orNull(integer(1, TOKENS_MAX), `an integer from 1 to ${TOKENS_MAX}, or null if unknown`);
const row = section(
  {
    id: modelId,
    owner: Type.Optional(text("the owner's name", /^[^\p{C}]{1,100}$/u)),
    released: orNull(day, "a date like 2027-01-31, or null if unknown"),
    shutdown: Type.Optional(day),
    successor: Type.Optional(modelId),
    kind: Type.Optional(choice(MODEL_KINDS)),
    context: tokens,
    output: tokens,
    price: orNull(price, "a mapping of prices, or null if unknown"),
    later_prices: Type.Optional(laterPrices),
    capabilities,
    operations: Type.Optional(operations),
    like: Type.Optional(modelId),
    dialects: Type.Optional(
      Type.Array(choice(DIALECTS), { minItems: 1, uniqueItems: true, expected: "a list of dialects" }),
    ),
  },
  "A model as one provider serves it.",
);
const rows = Type.Array(row, { minItems: 1, maxItems: ROWS_MAX, expected: "a list of models" });

export interface CatalogueFile {
  readonly cards: readonly ModelCard[];
  /** Changes with the file's text. Missing without a file. */
  readonly digest?: string;
  /** The day whose prices these are, as `YYYY-MM-DD`. Missing if the file doesn't say. */
  readonly asOf?: string;
}

/**
 * Reads the file that the field `catalogue` names, if any: a list of models, or an object with its day (`as_of`) and the
 * list (`models`). Reports the first thing that is wrong with it.
 */
export function readCatalogueFile(
  file: string | undefined,
  readFile: Environment["readFile"],
  issues: Issues,
): CatalogueFile {
  if (file === undefined) return { cards: [] };
  const wrong = (what: string) => {
    issues.atValue(["catalogue"], `${file}: ${what}`);
    return { cards: [] };
  };
  try {
    const found = parseCatalogue(readFile(file, CATALOGUE_BYTES_MAX));
    return typeof found === "string" ? wrong(found) : found;
  } catch (thrown) {
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

/** Returns what the file's text says, or the first thing that is wrong with it. Throws an Error for a row that isn't valid. */
export function parseCatalogue(text: string): CatalogueFile | string {
  if (remembered?.text === text) return remembered.found;
  const parsed = parseJson(text);
  if (parsed === undefined) return "the file is not valid JSON";
  const { as_of: asOf, models: value = parsed } = asObject(parsed);
  if (asOf !== undefined && !isDay(asOf)) return "as_of: expected a date like 2027-01-31";
  const [issue] = Value.Check(rows, value) ? [] : listIssues(rows, value);
  if (issue) return `${nameField(issue.path, value)}${issue.message}`;
  const cards = buildCards(value);
  const digest = createHash("sha256").update(text).digest("hex");
  return findUnitMistake(cards) ?? { cards, digest, ...(asOf === undefined ? {} : { asOf }) };
}

function isDay(value: unknown): value is string {
  return typeof value === "string" && parseDay(value) !== null;
}

/** The field of a row as people look for it: by the model's id. */
function nameField([at, ...path]: Path, value: unknown): string {
  if (at === undefined) return "";
  const id = Array.isArray(value) ? asString(asObject(value[Number(at)]).id) : null;
  const field = path.length > 0 ? `, ${formatField(path)}` : "";
  return `row ${Number(at) + 1}${id ? ` (${id})` : ""}${field}: `;
}

/** Describes a price that differs so much from the built-in one that it must be a mistake. Null if there is none. */
function findUnitMistake(cards: readonly ModelCard[]): string | null {
  const shipped = new Map(loadShippedCards().map((card) => [card.id, card.price]));
  for (const { id, price: given } of cards) {
    const known = shipped.get(id);
    if (!given || !known || !isUnitMistake(given, known)) continue;
    const { input, output } = priceView(known);
    return `the price of ${id} differs by a factor of 100 or more from the known one (input ${input}, output ${output}); prices are in USD per million tokens`;
  }
  return null;
}
