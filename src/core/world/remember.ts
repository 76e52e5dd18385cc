// Remembers the facts of an object as long as it lives.

/**
 * Returns a function that makes a thing of each object only once. It looks first: `getOrInsertComputed` takes seven times
 * as long for an object that is known, and twice as long for one that isn't.
 */
export function remember<Key extends object, Value extends object>(make: (key: Key) => Value) {
  const known = new WeakMap<Key, Value>();
  return (key: Key): Value => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
