// Open-addressing hash tables of hashes: a lookup takes a few nanoseconds, and a long text needs thousands.

/** Returns a function that finds the place of a hash among these. −1 if it isn't one of them. */
export function indexHashes(hashes: Uint32Array): (hash: number) => number {
  const slots = 1 << Math.ceil(Math.log2(hashes.length * 2 + 2));
  const mask = slots - 1;
  const keys = new Uint32Array(slots);
  const places = new Int32Array(slots).fill(-1);
  for (const [place, hash] of hashes.entries()) {
    let slot = hash & mask;
    while (places[slot] !== -1) slot = (slot + 1) & mask;
    keys[slot] = hash;
    places[slot] = place;
  }
  return (hash) => {
    let slot = hash & mask;
    while (places[slot] !== -1) {
      if (keys[slot] === hash) return places[slot] ?? -1;
      slot = (slot + 1) & mask;
    }
    return -1;
  };
}

/** A set of hashes in the order in which they were added. Several times as fast as a Set, which boxes large numbers. */
export class HashSet {
  readonly #hashes: Uint32Array;
  /** The places in `#hashes`, from 1. */
  readonly #places: Uint16Array;
  #size = 0;

  /** At most 65,535, of which none may be added beyond `most`. */
  constructor(most: number) {
    this.#hashes = new Uint32Array(most);
    this.#places = new Uint16Array(1 << Math.ceil(Math.log2(most * 2 + 2)));
  }

  add(hash: number): void {
    const hashes = this.#hashes;
    const places = this.#places;
    const mask = places.length - 1;
    let slot = hash & mask;
    for (let place = places[slot] ?? 0; place !== 0; place = places[slot] ?? 0) {
      if (hashes[place - 1] === hash) return;
      slot = (slot + 1) & mask;
    }
    hashes[this.#size++] = hash;
    places[slot] = this.#size;
  }

  list(): Uint32Array {
    return this.#hashes.subarray(0, this.#size);
  }
}

const COUNTS_AT_FIRST = 512;

/**
 * Sums by hash, in the order in which the hashes were first added. Several times as fast as a Map, which boxes large
 * numbers.
 */
export class HashCounts implements Iterable<readonly [hash: number, count: number]> {
  #hashes = new Uint32Array(COUNTS_AT_FIRST);
  #counts = new Float64Array(COUNTS_AT_FIRST);
  /** The places in `#hashes`, from 1. Twice as many slots as there is room for hashes. */
  #places = new Uint32Array(2 * COUNTS_AT_FIRST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(hash: number, count: number): void {
    const hashes = this.#hashes;
    const counts = this.#counts;
    const places = this.#places;
    const mask = places.length - 1;
    let slot = hash & mask;
    for (let place = places[slot] ?? 0; place !== 0; place = places[slot] ?? 0) {
      if (hashes[place - 1] === hash) {
        counts[place - 1] = (counts[place - 1] ?? 0) + count;
        return;
      }
      slot = (slot + 1) & mask;
    }
    hashes[this.#size] = hash;
    counts[this.#size++] = count;
    places[slot] = this.#size;
    if (this.#size === hashes.length) this.#grow();
  }

  forEach(see: (count: number, hash: number) => void): void {
    for (let at = 0; at < this.#size; at++) see(this.#counts[at] ?? 0, this.#hashes[at] ?? 0);
  }

  keys(): Uint32Array {
    return this.#hashes.subarray(0, this.#size);
  }

  *[Symbol.iterator](): Iterator<readonly [hash: number, count: number]> {
    for (let at = 0; at < this.#size; at++) yield [this.#hashes[at] ?? 0, this.#counts[at] ?? 0];
  }

  #grow(): void {
    const room = 2 * this.#hashes.length;
    const [hashes, counts] = [new Uint32Array(room), new Float64Array(room)];
    hashes.set(this.#hashes);
    counts.set(this.#counts);
    [this.#hashes, this.#counts, this.#places] = [hashes, counts, new Uint32Array(2 * room)];
    const mask = this.#places.length - 1;
    for (let place = 1; place <= this.#size; place++) {
      let slot = (hashes[place - 1] ?? 0) & mask;
      while (this.#places[slot] !== 0) slot = (slot + 1) & mask;
      this.#places[slot] = place;
    }
  }
}
