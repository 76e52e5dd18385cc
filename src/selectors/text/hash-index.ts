// Open-addressing hash tables of hashes: a lookup takes a few nanoseconds, and a long text needs thousands. Hashes are
// signed 32-bit integers: larger numbers are floating-point, which takes several times as long.

/**
 * Returns a function that finds the place of a hash, signed or not, among these: the first one if it is there more than
 * once. −1 if it isn't one of them.
 */
export function indexHashes(hashes: Uint32Array | Int32Array): (hash: number) => number {
  const slots = 1 << Math.ceil(Math.log2(hashes.length * 2 + 2));
  const mask = slots - 1;
  // A hash stands beside its place, from 1: a look-up mostly waits for memory, and so waits once.
  const table = new Int32Array(2 * slots);
  for (let place = 0; place < hashes.length; place++) {
    const hash = hashes[place] ?? 0;
    let slot = hash & mask;
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
    table[2 * slot] = hash;
    table[2 * slot + 1] = place + 1;
  }
  return (hash) => {
    const key = hash | 0;
    let slot = key & mask;
    for (;;) {
      const place = table[2 * slot + 1] ?? 0;
      if (place === 0 || table[2 * slot] === key) return place - 1;
      slot = (slot + 1) & mask;
    }
  };
}

const ROOM_LEAST = 64;

/** Returns the next power of two. */
function roundRoom(hashes: number): number {
  return Math.max(ROOM_LEAST, 2 ** Math.ceil(Math.log2(hashes)));
}

/** A set of signed hashes in the order in which they were added. */
export class HashSet {
  #hashes: Int32Array;
  /** The places in `#hashes`, from 1. Twice as many slots as there is room for hashes, the others unused. */
  #places: Int32Array;
  #room: number;
  #size = 0;

  /** `expected` is the number of hashes for which there is room without growing. */
  constructor(expected: number) {
    this.#room = roundRoom(expected);
    this.#hashes = new Int32Array(this.#room);
    this.#places = new Int32Array(2 * this.#room);
  }

  get size(): number {
    return this.#size;
  }

  /** Empties it, for as many hashes. Large arrays take longer to make than to fill. */
  clear(expected: number): void {
    this.#size = 0;
    this.#makeRoom(roundRoom(expected));
  }

  #makeRoom(room: number): void {
    this.#room = room;
    if (room <= this.#hashes.length) {
      this.#places.fill(0, 0, 2 * room);
      return;
    }
    const hashes = new Int32Array(room);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#places = new Int32Array(2 * room);
  }

  /** Returns the hash's place in the order. */
  add(hash: number): number {
    const hashes = this.#hashes;
    const places = this.#places;
    const mask = 2 * this.#room - 1;
    let slot = hash & mask;
    for (let place = places[slot] ?? 0; place !== 0; place = places[slot] ?? 0) {
      if (hashes[place - 1] === hash) return place - 1;
      slot = (slot + 1) & mask;
    }
    const added = this.#size++;
    hashes[added] = hash;
    places[slot] = added + 1;
    if (added + 1 === this.#room) this.#grow();
    return added;
  }

  /** The hash at a place of the order. */
  at(place: number): number {
    return this.#hashes[place] ?? 0;
  }

  /** Copied: a view would first have to move what it shows. */
  list(): Int32Array {
    return this.#hashes.slice(0, this.#size);
  }

  #grow(): void {
    this.#makeRoom(2 * this.#room);
    const mask = 2 * this.#room - 1;
    for (let place = 1; place <= this.#size; place++) {
      let slot = (this.#hashes[place - 1] ?? 0) & mask;
      while (this.#places[slot] !== 0) slot = (slot + 1) & mask;
      this.#places[slot] = place;
    }
  }
}

/** Sums by signed hash, in the order in which the hashes were first added. They are read unsigned. */
export class HashCounts implements Iterable<readonly [hash: number, count: number]> {
  readonly #hashes: HashSet;
  #counts: Float64Array;

  /** As in `HashSet`. */
  constructor(expected: number) {
    this.#hashes = new HashSet(expected);
    this.#counts = new Float64Array(roundRoom(expected));
  }

  get size(): number {
    return this.#hashes.size;
  }

  /** As in `HashSet`. */
  clear(expected: number): void {
    this.#counts.fill(0, 0, this.size);
    this.#hashes.clear(expected);
  }

  add(hash: number, count: number): void {
    const place = this.#hashes.add(hash);
    if (place === this.#counts.length) this.#grow();
    this.#counts[place] = (this.#counts[place] ?? 0) + count;
  }

  hashAt(place: number): number {
    return this.#hashes.at(place);
  }

  countAt(place: number): number {
    return this.#counts[place] ?? 0;
  }

  /** The hashes as they are shipped and trained with, unsigned. */
  keys(): Uint32Array {
    return Uint32Array.from(this.#hashes.list());
  }

  *[Symbol.iterator](): Iterator<readonly [hash: number, count: number]> {
    for (const [at, hash] of this.keys().entries()) yield [hash, this.countAt(at)];
  }

  #grow(): void {
    const counts = new Float64Array(2 * this.#counts.length);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}
