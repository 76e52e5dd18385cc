// An open-addressing hash table of hashes: a lookup takes a few nanoseconds, and a long text needs thousands.

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
