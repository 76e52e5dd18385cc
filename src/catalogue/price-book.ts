// The ids of prices, which rows keep, and what each id stands for: the whole price, with its tiers and services.
import { createHash } from "node:crypto";
import { asObject, asString, isObject, parseJson } from "../core/json/json.ts";
import type { ModelCard, Price } from "../core/models/card.ts";
import { type PriceFields, priceView } from "./price.ts";
import type { RateFields } from "./rates.ts";

/** As many digits as tell a million prices apart. */
const ID_CHARACTERS = 16;
/** A few hundred bytes each. The oldest are forgotten first. */
const KEPT_MAX = 5000;

/** A price as it is kept. */
interface KeptPrice {
  /** The first model that was charged by it. */
  readonly model: string;
  /** When it was first used, Unix milliseconds. */
  readonly atMs: number;
  readonly price: PriceFields & RateFields;
}

export class PriceBook {
  readonly #ids = new WeakMap<Price, string>();
  #fresh = new Map<string, { readonly model: string; readonly price: Price }>();

  /** Returns the id of the card's price. Undefined if it has none. */
  identify({ id: model, price }: ModelCard): string | undefined {
    if (price === null) return undefined;
    const known = this.#ids.get(price);
    if (known !== undefined) return known;
    const id = digest(price);
    this.#ids.set(price, id);
    this.#fresh.set(id, { model, price });
    return id;
  }

  get hasNew(): boolean {
    return this.#fresh.size > 0;
  }

  /** Returns the kept prices with those that were used since. Call `forget` once they are written. */
  addTo(kept: string | null, nowMs: number): string {
    const all = new Map(Object.entries(asObject(parseJson(kept ?? ""))));
    for (const [id, { model, price }] of this.#fresh) {
      if (!all.has(id)) all.set(id, { model, atMs: nowMs, price: priceView(price) });
    }
    const entries = [...all].slice(-KEPT_MAX);
    return JSON.stringify(Object.fromEntries(entries));
  }

  forget(written: string): void {
    const kept = asObject(parseJson(written));
    this.#fresh = new Map([...this.#fresh].filter(([id]) => !Object.hasOwn(kept, id)));
  }
}

function digest(price: Price): string {
  const text = JSON.stringify(priceView(price));
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
