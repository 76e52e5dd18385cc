// Finds any of many patterns in a text, in one pass: Aho and Corasick's automaton, whose patterns begin and end at borders.

interface Alphabet {
  /** By code unit: 1 for what may not stand directly beside a match. */
  readonly beside: Uint8Array;
  /** By code unit: what it counts as. Null: itself. */
  readonly folds: Uint16Array | null;
  /** True if a space of a pattern stands for one to four. */
  readonly hasWideSpaces: boolean;
}

/** One text's way through the automaton. */
export interface Cursor {
  state: number;
  /** The code unit before the next. */
  previous: number;
  spaces: number;
  /** The characters that were counted, runs of spaces as one. */
  counted: number;
  /** The places of the last characters: a power of two of them. */
  readonly places: Int32Array;
}

const SPACE = 32;
const SPACES_MAX = 4;
export const PATTERN_CHARACTERS_MAX = 256;
const ASCII = 128;
const FIRST_SLOTS = 1024;
/** A code of none. */
const NONE = 0;

export class Automaton {
  readonly #alphabet: Alphabet;
  /** The code of what stands for one to four, or one that there isn't. */
  readonly #wideSpace: number;
  /** Edges as a hash table: state, character and next state of each slot. State 0 has none to itself, so 0 is a free slot. */
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #nexts = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #states = 1;
  /** The characters of the longest pattern. */
  #longest = 0;
  /** The first edges of ASCII characters, where most searches end. */
  readonly #roots = new Int32Array(ASCII);
  #parents = new Int32Array(FIRST_SLOTS);
  #characters = new Uint16Array(FIRST_SLOTS);
  #depths = new Uint16Array(FIRST_SLOTS);
  #failures = new Int32Array(FIRST_SLOTS);
  /** The pattern that ends in a state, plus one. */
  #patterns = new Int32Array(FIRST_SLOTS);
  /** The next shorter state in which a pattern ends. */
  #outputs = new Int32Array(FIRST_SLOTS);
  /** 1 for a state in which a pattern ends, or a shorter one. */
  #ends = new Uint8Array(FIRST_SLOTS);
  /** The states by depth, as far as their failures are known. */
  #linked = 0;
  #order: Int32Array | null = null;

  constructor(alphabet: Alphabet) {
    this.#alphabet = alphabet;
    this.#wideSpace = alphabet.hasWideSpaces ? SPACE : -1;
  }

  /** Adds a pattern under a number. One that is there keeps the number that it has, which is returned. */
  add(pattern: string, number: number): number {
    let state = 0;
    for (let at = 0; at < pattern.length; at++) {
      const code = this.#fold(pattern.charCodeAt(at));
      state = this.#find(state, code) || this.#grow(state, code);
    }
    const known = this.#patterns[state] ?? 0;
    if (known > 0) return known - 1;
    this.#patterns[state] = number + 1;
    return number;
  }

  /** Links about so many states, after the last pattern was added. True once all are linked. */
  link(statesMax: number): boolean {
    this.#order ??= this.#sort();
    const end = Math.min(this.#states - 1, this.#linked + statesMax);
    for (; this.#linked < end; this.#linked++) this.#linkState(this.#order[this.#linked] ?? 0);
    return this.#linked === this.#states - 1;
  }

  /** Call it once all patterns are added. */
  begin(): Cursor {
    const places = new Int32Array(2 ** Math.ceil(Math.log2(this.#longest + 1)));
    return { state: 0, previous: NONE, spaces: 0, counted: 0, places };
  }

  /** The place at which the longest pattern begins that may stand here, or Infinity. */
  startOf({ state, counted, places }: Cursor): number {
    if (state === 0) return Number.POSITIVE_INFINITY;
    return places[(counted - (this.#depths[state] ?? 0)) & (places.length - 1)] ?? 0;
  }

  /** Goes on in a text from one place to another. `offset` is added to all places. */
  feed(
    cursor: Cursor,
    text: string,
    from: number,
    to: number,
    tell: (pattern: number, from: number, to: number) => void,
    offset = 0,
  ): void {
    const { beside } = this.#alphabet;
    const roots = this.#roots;
    const { places } = cursor;
    let { state, previous } = cursor;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      const isInside = beside[previous] === 1;
      previous = code;
      // Nothing begins within a word, so one that no pattern has is passed by without a look-up.
      if (state === 0 && isInside) continue;
      const folded = this.#fold(code);
      if (state === 0 && roots[folded] === 0) continue;
      state = this.#goOn(cursor, state, folded, isInside);
      if (state === 0 || (folded === SPACE && cursor.spaces > 1)) continue;
      places[cursor.counted++ & (places.length - 1)] = at + offset;
      if (this.#ends[state] === 1) this.#tell(cursor, state, text, at + 1, tell, offset);
    }
    cursor.state = state;
    cursor.previous = previous;
  }

  #goOn(cursor: Cursor, state: number, folded: number, isInside: boolean): number {
    // No pattern begins with a space, so none is counted before one has begun.
    if (folded === SPACE && state !== 0 && cursor.spaces > 0) {
      cursor.spaces++;
      return cursor.spaces > SPACES_MAX ? 0 : state;
    }
    cursor.spaces = folded === this.#wideSpace ? 1 : 0;
    return this.#step(state, folded, isInside);
  }

  #tell(
    { places, counted }: Cursor,
    last: number,
    text: string,
    to: number,
    tell: (pattern: number, from: number, to: number) => void,
    offset: number,
  ): void {
    if (to < text.length && this.#alphabet.beside[text.charCodeAt(to)] === 1) return;
    for (let state = last; state !== 0; state = this.#outputs[state] ?? 0) {
      const pattern = this.#patterns[state] ?? 0;
      const from = places[(counted - (this.#depths[state] ?? 0)) & (places.length - 1)] ?? 0;
      if (pattern > 0) tell(pattern - 1, from, to + offset);
    }
  }

  #fold(code: number): number {
    const { folds } = this.#alphabet;
    return folds === null ? code : (folds[code] ?? code);
  }

  #step(from: number, code: number, isInside: boolean): number {
    if (from === 0 && code < ASCII) return isInside ? 0 : (this.#roots[code] ?? 0);
    let state = from;
    while (state !== 0) {
      const next = this.#find(state, code);
      if (next !== 0) return next;
      state = this.#failures[state] ?? 0;
    }
    return isInside ? 0 : this.#find(0, code);
  }

  #find(state: number, code: number): number {
    if (state === 0 && code < ASCII) return this.#roots[code] ?? 0;
    for (let slot = hash(state, code) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const next = this.#nexts[slot] ?? 0;
      if (next === 0) return 0;
      if (this.#slots[slot * 2] === state && this.#slots[slot * 2 + 1] === code) return next;
    }
  }

  #grow(state: number, code: number): number {
    const next = this.#states++;
    if (next * 2 > this.#mask) this.#widen();
    this.#put(state, code, next);
    if (state === 0 && code < ASCII) this.#roots[code] = next;
    this.#parents[next] = state;
    this.#characters[next] = code;
    const depth = (this.#depths[state] ?? 0) + 1;
    this.#depths[next] = depth;
    this.#longest = Math.max(this.#longest, depth);
    return next;
  }

  #put(state: number, code: number, next: number): void {
    let slot = hash(state, code) & this.#mask;
    while (this.#nexts[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot * 2] = state;
    this.#slots[slot * 2 + 1] = code;
    this.#nexts[slot] = next;
  }

  #widen(): void {
    const count = (this.#mask + 1) * 2;
    this.#mask = count - 1;
    this.#slots = new Int32Array(count * 2);
    this.#nexts = new Int32Array(count);
    this.#parents = widen(this.#parents, new Int32Array(count));
    this.#characters = widen(this.#characters, new Uint16Array(count));
    this.#depths = widen(this.#depths, new Uint16Array(count));
    this.#failures = new Int32Array(count);
    this.#outputs = new Int32Array(count);
    this.#ends = new Uint8Array(count);
    this.#patterns = widen(this.#patterns, new Int32Array(count));
    for (let state = 1; state < this.#states - 1; state++) {
      this.#put(this.#parents[state] ?? 0, this.#characters[state] ?? 0, state);
    }
  }

  /** The states from the shallowest, since a state's failure is shallower. */
  #sort(): Int32Array {
    const starts = new Uint32Array(PATTERN_CHARACTERS_MAX + 2);
    for (let state = 1; state < this.#states; state++) {
      const behind = (this.#depths[state] ?? 0) + 1;
      starts[behind] = (starts[behind] ?? 0) + 1;
    }
    for (let depth = 1; depth < starts.length; depth++) {
      starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0);
    }
    const order = new Int32Array(this.#states - 1);
    for (let state = 1; state < this.#states; state++) {
      const depth = this.#depths[state] ?? 0;
      const place = starts[depth] ?? 0;
      order[place] = state;
      starts[depth] = place + 1;
    }
    return order;
  }

  #linkState(state: number): void {
    const parent = this.#parents[state] ?? 0;
    if (parent !== 0) {
      // A suffix counts only if it begins at a border.
      const isInside = this.#alphabet.beside[this.#characters[parent] ?? 0] === 1;
      const failure = this.#step(this.#failures[parent] ?? 0, this.#characters[state] ?? 0, isInside);
      this.#failures[state] = failure;
      this.#outputs[state] = (this.#patterns[failure] ?? 0) > 0 ? failure : (this.#outputs[failure] ?? 0);
    }
    if ((this.#patterns[state] ?? 0) > 0 || (this.#outputs[state] ?? 0) > 0) this.#ends[state] = 1;
  }
}

function hash(state: number, code: number): number {
  const mixed = Math.imul(state, 0x9e3779b1) ^ Math.imul(code, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

function widen<A extends Int32Array | Uint16Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
