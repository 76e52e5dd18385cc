// Counts the fields that providers refused since the process began, so that an operator can have them left out.

/** Clients may invent names of models. */
const MODELS_MAX = 500;

export class RefusedFields {
  readonly #byModel = new Map<string, Map<string, number>>();

  add(model: string, field: string): void {
    const counts = this.#byModel.get(model) ?? new Map<string, number>();
    counts.set(field, (counts.get(field) ?? 0) + 1);
    this.#byModel.delete(model);
    this.#byModel.set(model, counts);
    const [oldest] = this.#byModel.keys();
    if (this.#byModel.size > MODELS_MAX && oldest !== undefined) this.#byModel.delete(oldest);
  }

  /** Returns the counts of a model by field. */
  list(model: string): ReadonlyMap<string, number> {
    return this.#byModel.get(model) ?? NONE;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();
