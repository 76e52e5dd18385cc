// Remembers which keys' admissions need more than the usual, from decisions that lacked it.
import type { Lacking } from "../core/demand.ts";
import type { GatewayKey } from "../core/keys/key.ts";

/** True for what is made before the decision asks for it. */
export type Want = Pick<Lacking, "offers" | "reserved" | "load">;

/** More keys than this are learned again. */
const KEYS_MAX = 10_000;
/** After this many admissions the limits may have changed. */
const TIMES_MAX = 1000;

export const NOTHING: Want = { offers: false, reserved: false, load: false };
/** For a request that has entered: until it is admitted in full, its decision must not be put off. */
export const EVERYTHING: Want = { offers: true, reserved: true, load: true };

interface RepeatedWant extends Want {
  times: number;
}

/** Offers and estimates take reading the whole prompt, and most requests meet no limit that needs them. */
export class Wants {
  readonly #keys = new Map<string, RepeatedWant>();

  of({ id }: Pick<GatewayKey, "id">): Want {
    if (this.#keys.size === 0) return NOTHING;
    const known = this.#keys.get(id);
    if (known === undefined) return NOTHING;
    known.times++;
    if (known.times > TIMES_MAX) this.#keys.delete(id);
    return known;
  }

  learn({ id }: Pick<GatewayKey, "id">, { offers, reserved, load }: Want): void {
    if (!offers && !reserved && !load) return;
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear();
    const known = this.#keys.get(id) ?? NOTHING;
    this.#keys.set(id, {
      offers: known.offers || offers,
      reserved: known.reserved || reserved,
      load: known.load || load,
      times: 0,
    });
  }
}
