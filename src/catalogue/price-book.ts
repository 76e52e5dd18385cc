// The ids of prices, which rows keep, and what each id stands for: the whole price, with its tiers and services.
import { createHash } from "node:crypto";
import { asObject, asString, isObject, parseJson } from "../core/json/json.ts";
import { type ModelCard, type Price, readProvider } from "../core/models/card.ts";
import { type PriceFields, priceView } from "./price.ts";
import type { RateFields } from "./rates.ts";

/** As many digits as tell a million prices apart. */
const ID_CHARACTERS = 16;
/** A few hundred bytes each. The oldest are forgotten first. */
const KEPT_MAX = 5000;
/** Those of names that no card has, of which clients may make up any number. */
const FAMILY_MAX = 500;

/** A price as it is kept. */
interface KeptPrice {
  /** The first model that was charged by it. */
  readonly model: string;
  /** When it was first used, Unix milliseconds. */
  readonly atMs: number;
  readonly price: PriceFields & RateFields;
  /** The relative whose price it is, if the model's own wasn't known. */
  readonly like?: string;
  /** The months whose requests were priced again. */
  readonly reratedMonths?: readonly string[];
}

/** A model that was charged at the price of its family, before a card had it. */
export interface FamilyUse {
  readonly model: string;
  readonly like: string;
  /** The first such answer, Unix milliseconds. */
  readonly sinceMs: number;
  readonly reratedMonths: readonly string[];
}

export class PriceBook {
  readonly #ids = new WeakMap<Price, string>();
  readonly #onFamily: (provider: string) => void;
  #fresh = new Map<string, { readonly model: string; readonly price: Price; readonly like?: string }>();

  /** `onFamily` is called for each answer at the price of a family, with its provider. */
  constructor(onFamily: (provider: string) => void = () => {}) {
    this.#onFamily = onFamily;
  }

  /** Returns the id of the card's price. Undefined if it has none. */
  identify({ id: model, price, pricedLike }: ModelCard): string | undefined {
    if (price === null) return undefined;
    const known = this.#ids.get(price);
    if (known !== undefined) return known;
    if (pricedLike !== undefined) return this.#identifyFamily(model, pricedLike, price);
    const id = digest(price);
    this.#ids.set(price, id);
    this.#fresh.set(id, { model, price });
    return id;
  }

  /** Each such model has an id of its own, by which it is found once a card has it. */
  #identifyFamily(model: string, like: string, price: Price): string {
    this.#onFamily(readProvider(model));
    const id = digest(price, `${model} like ${like}`);
    if (this.#fresh.has(id) || this.#fresh.size < FAMILY_MAX) this.#fresh.set(id, { model, price, like });
    return id;
  }

  get hasNew(): boolean {
    return this.#fresh.size > 0;
  }

  /** Returns the kept prices with those that were used since. Call `forget` once they are written. */
  addTo(kept: string | null, nowMs: number): string {
    const all = new Map(Object.entries(asObject(parseJson(kept ?? ""))));
    for (const [id, { model, price, like }] of this.#fresh) {
      const relative = like === undefined ? {} : { like };
      if (!all.has(id)) all.set(id, { model, atMs: nowMs, price: priceView(price), ...relative });
    }
    const families = [...all.keys()].filter((id) => asObject(all.get(id)).like !== undefined);
    for (const id of families.slice(0, -FAMILY_MAX)) all.delete(id);
    const entries = [...all].slice(-KEPT_MAX);
    return JSON.stringify(Object.fromEntries(entries));
  }

  forget(written: string): void {
    const kept = asObject(parseJson(written));
    this.#fresh = new Map([...this.#fresh].filter(([id]) => !Object.hasOwn(kept, id)));
  }
}

function digest(price: Price, of = ""): string {
  const text = `${JSON.stringify(priceView(price))}${of}`;
  return createHash("sha256").update(text).digest("hex").slice(0, ID_CHARACTERS);
}

/** Returns what the id stands for. Null if that isn't kept. */
export function findKeptPrice(kept: string | null, id: string): KeptPrice | null {
  const found = asObject(parseJson(kept ?? ""))[id];
  return isKept(found) ? found : null;
}

function isKept(value: unknown): value is KeptPrice {
  return isObject(value) && asString(value.model) !== undefined && isObject(value.price);
}

/** Returns the models that were charged at the price of their families, as far as they are kept. */
export function listFamilyUse(kept: string | null): readonly FamilyUse[] {
  return Object.values(asObject(parseJson(kept ?? ""))).flatMap((one) => {
    if (!isKept(one) || one.like === undefined) return [];
    const { model, like, atMs: sinceMs, reratedMonths = [] } = one;
    return [{ model, like, sinceMs, reratedMonths }];
  });
}

/** Returns what is kept with a mark on the families' prices of these models: their requests of a month were priced again. */
export function markRerated(kept: string | null, models: ReadonlySet<string>, month: string): string {
  const all = Object.entries(asObject(parseJson(kept ?? ""))).map(([id, one]) => {
    if (!isKept(one) || one.like === undefined || !models.has(one.model)) return [id, one] as const;
    return [id, { ...one, reratedMonths: [...new Set([...(one.reratedMonths ?? []), month])] }] as const;
  });
  return JSON.stringify(Object.fromEntries(all));
}
