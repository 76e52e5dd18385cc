// A public list of prices as facts about our own models: what each format is read into.
import type { Capability, ModelCard } from "../../core/models/card.ts";
import type { PriceFields } from "../price.ts";
import type { RateFields } from "../rates.ts";

/** The rates that a list states. A missing one is not stated, and 0 is kept, so that it can be refused. */
export interface StatedPrice extends Omit<PriceFields, "tiers"> {
  readonly tiers?: readonly (Partial<RateFields> & { readonly above_tokens: number })[];
}

/** Null and missing values are not stated. */
export interface FeedRow {
  /** Our id of the model, whether the catalogue has it or not. */
  readonly id: string;
  readonly price: StatedPrice | null;
  /** Days from which another price applies. */
  readonly laterPrices: readonly (StatedPrice & { readonly from: string })[];
  readonly context: number | null;
  readonly output: number | null;
  /** The last day, as `YYYY-MM-DD`. */
  readonly shutdown: string | null;
  /** The abilities of a chat model. Null if the list doesn't say: such a model is compared, but can't be added. */
  readonly capabilities: readonly Capability[] | null;
  /** The whole row of a list in our own form. */
  readonly card?: ModelCard;
  /** The day on which the row was right. Missing if the list doesn't say: then it is the day of the look. */
  readonly asOf?: string;
}

/** The ids of a catalogue, by the same in lower case. */
export type KnownIds = ReadonlyMap<string, string>;

/** The reasons why a list can't be used, each in a word. */
export type FeedCause =
  | "signature"
  | "form"
  | "older"
  | "reused"
  | "pinned"
  | "size"
  | "redirect"
  | "unreachable"
  | "value";

/** The list can't be used at all. The message is for the operator. */
export class FeedError extends Error {
  readonly why: FeedCause;

  constructor(message: string, why: FeedCause = "form") {
    super(message);
    this.why = why;
  }
}

const PRICE_DIGITS = 1e6;

/** Reads USD per million tokens. Undefined if not stated. Throws a FeedError for what no price can be. */
export function readRate(value: unknown, at: string, perToken = false): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isNumber = typeof value === "number" && Number.isFinite(value);
  if (!isNumber) throw new FeedError(`${at} is not a number of USD`, "value");
  if (value < 0) throw new FeedError(`${at} is negative: ${value}`, "value");
  const perMillion = perToken ? value * PRICE_DIGITS : value;
  return Math.round(perMillion * PRICE_DIGITS) / PRICE_DIGITS;
}

/** Returns the object without its undefined fields. Null if none is left. */
export function keepStated<Fields extends object>(fields: Fields): Fields | null {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) Reflect.deleteProperty(fields, name);
  }
  return Object.keys(fields).length === 0 ? null : fields;
}

export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}
