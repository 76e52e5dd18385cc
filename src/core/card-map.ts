// A map by a model's id whose values can also be read by the model's place in a list, without a look-up for each.

/** The place of each model in a list, by id. */
export type Places = ReadonlyMap<string, number>;

export class CardMap<Value> extends Map<string, Value> {
  #places: Places | null = null;
  #listed: (Value | undefined)[] = [];

  override set(id: string, value: Value): this {
    const place = this.#places?.get(id);
    if (place !== undefined) this.#listed[place] = value;
    return super.set(id, value);
  }

  override delete(id: string): boolean {
    const place = this.#places?.get(id);
    if (place !== undefined) this.#listed[place] = undefined;
    return super.delete(id);
  }

  /** Returns the values by place, kept up to date for the last list asked for. */
  listBy(places: Places): readonly (Value | undefined)[] {
    if (places === this.#places) return this.#listed;
    this.#places = places;
    this.#listed = listByPlace(places, this);
    return this.#listed;
  }
}

export function listByPlace<Value>(places: Places, values: ReadonlyMap<string, Value>) {
  const listed = new Array<Value | undefined>(places.size).fill(undefined);
  for (const [id, value] of values) {
    const place = places.get(id);
    if (place !== undefined) listed[place] = value;
  }
  return listed;
}
