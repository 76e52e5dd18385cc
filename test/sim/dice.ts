// Seeded chance: a seed gives the same day in every run.

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    for (let warm = 0; warm < 4; warm++) this.next();
  }

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<One>(list: readonly One[]): One {
    const one = list[Math.floor(this.next() * list.length)];
    if (one === undefined) throw new Error("There is nothing to pick from.");
    return one;
  }

  /** Returns one of the names, each in proportion to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights).filter((name): name is Name => name in weights);
    let mark = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      mark -= weights[name];
      if (mark < 0) return name;
    }
    return this.pick(names);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(count).map(() => this.int(0, 255));
  }
}
