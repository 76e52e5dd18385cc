// A map by a model's id whose values can also be read by the model's place in a list, without a look-up for each.

/** The place of each model in a list, by id. */
export type Places = ReadonlyMap<string, number>;

export class CardMap<Value> extends Map<string, Value> {
  #places: Places = new Map();
  #listed: (Value | undefined)[] = [];

  override set(id: string, value: Value): this {
    const place = this.#places.get(id);
    if (place !== undefined) this.#listed[place] = value;
    return super.set(id, value);
  }

  override delete(id: string): boolean {
    const place = this.#places.get(id);
    if (place !== undefined) this.#listed[place] = undefined;
    return super.delete(id);
  }

  /** Returns the values by place. The result for the latest list is kept up to date. */
  listBy(places: Places): readonly (Value | undefined)[] {
    if (places === this.#places) return this.#listed;
    this.#places = places;
    this.#listed = new Array<Value | undefined>(places.size).fill(undefined);
    for (const [id, value] of this) this.set(id, value);
    return this.#listed;
  }
}
