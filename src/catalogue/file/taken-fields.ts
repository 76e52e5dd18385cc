// The fields that can be taken from a list: how each is written in a row, set on a card, and digested.
import { createHash } from "node:crypto";
import { isObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { TakenField } from "../../core/money/taken-mark.ts";
import { viewLaterPrices } from "../later-prices.ts";
import { priceView } from "../price.ts";
import { viewRow } from "../write-rows.ts";

type CardFacts = Partial<ModelCard>;

interface FieldForm {
  /** The fields of a row that hold it. Undefined ones are left out of its JSON. */
  readonly view: (facts: CardFacts) => object;
  /** Only the fields that hold it. */
  readonly pick: (facts: CardFacts) => CardFacts;
}

/** Each replaces the fields that hold it: a price that is taken without announced ones drops those there were. */
const FORMS: Readonly<Record<Exclude<TakenField, "model">, FieldForm>> = {
  price: {
    view: ({ price = null, laterPrices }) => {
      const later = viewLaterPrices({ laterPrices });
      return {
        price: price === null ? null : priceView(price),
        later_prices: later.length === 0 ? undefined : later,
      };
    },
    pick: ({ price = null, laterPrices }) => ({ price, laterPrices }),
  },
  shutdown: {
    view: ({ shutdownDate = null, successor }) => ({ shutdown: shutdownDate, successor }),
    pick: ({ shutdownDate, successor }) => ({ shutdownDate, successor }),
  },
  context: {
    view: ({ contextTokensMax = null }) => ({ context: contextTokensMax }),
    pick: ({ contextTokensMax = null }) => ({ contextTokensMax }),
  },
  output: {
    view: ({ outputTokensMax = null }) => ({ output: outputTokensMax }),
    pick: ({ outputTokensMax = null }) => ({ outputTokensMax }),
  },
};

/** The fields that can be taken by themselves. */
export const SINGLE_FIELDS = ["price", "shutdown", "context", "output"] as const;
export type SingleField = (typeof SINGLE_FIELDS)[number];

export function viewFields(facts: CardFacts, fields: readonly SingleField[]): object {
  return Object.fromEntries(fields.flatMap((field) => Object.entries(FORMS[field].view(facts))));
}

export function pickFields(facts: CardFacts, fields: readonly SingleField[]): CardFacts {
  const picked: CardFacts = {};
  for (const field of fields) Object.assign(picked, FORMS[field].pick(facts));
  return picked;
}

/** Returns the card with these fields of another. */
export function setFields(card: ModelCard, facts: CardFacts, fields: readonly SingleField[]): ModelCard {
  const set: ModelCard = { ...card, ...pickFields(facts, fields) };
  // A card without announced prices or a successor has no such field.
  const { laterPrices, successor, ...rest } = set;
  return {
    ...rest,
    ...(successor === undefined ? {} : { successor }),
    ...(laterPrices === undefined ? {} : { laterPrices }),
  };
}

export function listTaken(was: object): readonly SingleField[] {
  return SINGLE_FIELDS.filter((field) => Object.hasOwn(was, field));
}

/** Returns the fields in which two cards differ. */
export function listDifferences(one: ModelCard, other: ModelCard): readonly SingleField[] {
  return SINGLE_FIELDS.filter((field) => digestField(one, field) !== digestField(other, field));
}

const DIGEST_CHARACTERS = 16;

/** Returns a digest of the field's value, which doesn't depend on the order of names. Null without a card. */
export function digestField(card: ModelCard | undefined, field: TakenField): string | null {
  if (card === undefined) return null;
  const value = field === "model" ? viewRow(card) : FORMS[field].view(card);
  return createHash("sha256").update(sortNames(value)).digest("hex").slice(0, DIGEST_CHARACTERS);
}

/** A later program may write the same price with its rates in another order. */
function sortNames(value: object): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => Number(a > b) - Number(a < b)))
      : one,
  );
}
