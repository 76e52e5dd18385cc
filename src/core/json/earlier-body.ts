// The body of an earlier turn of a conversation, from which the next one is read: only what is new in it is parsed.

import { freezeDeep } from "../world/frozen.ts";
import { REQUEST_SHAPE } from "./bounds.ts";
import { GrowingList } from "./growing.ts";
import type { JsonObject } from "./json.ts";
import { countElements, readPlain } from "./plain.ts";
import { holdRepeated } from "./repeated.ts";
import { type FieldPlace, keepSource, listLarge } from "./source.ts";
import { readMarks, scanBytes } from "./text-scan.ts";

/** The lists that hold a conversation, in all wire formats. */
const LISTS: ReadonlySet<string> = new Set(["messages", "input", "contents"]);
/** With less in common, a body is parsed almost as fast as it is compared. */
const SHARED_BYTES_MIN = 8192;
/** A short part in the middle of a list tells most conversations of a client apart. */
const PROBE_BYTES = 64;
const CLOSE = 0x5d;
/** Stands for the elements that are known. Nothing goes on with an object, as a number could. */
const KNOWN = Buffer.from("[{}");
/** The list is one level deep in its body. */
const LIST_SHAPE = { ...REQUEST_SHAPE, depth: REQUEST_SHAPE.depth - 1 };

/** A body that reads the same everywhere. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  /** The elements and fields in the whole text. */
  readonly elements: number;
}

/** The list's place in the text, and that of its last bracket. */
interface ListPlace extends FieldPlace {
  readonly close: number;
}

/** The first elements of a list: as many as a scan marks. */
interface Elements {
  /** The places of what separates each from the next. */
  readonly ends: readonly number[];
  /** The elements and fields of the list up to the end of each. */
  readonly counts: readonly number[];
  /** The elements and fields outside the list. */
  readonly around: number;
}

interface Parts extends ReadBody {
  readonly list: readonly unknown[];
  readonly place: ListPlace;
  /** The other long values. None once they have bytes of their own. */
  readonly others: readonly FieldPlace[];
  readonly growing: GrowingList;
  /** Null until a body goes on from this one. */
  readonly known: Elements | null;
}

/** All bodies that go on from this one share its values, so these are frozen. */
export class EarlierBody {
  readonly bytes: Buffer;
  readonly #parts: Parts;
  #known: Elements | null;

  private constructor(parts: Parts) {
    const { buffer, byteOffset, length } = parts.bytes;
    this.bytes = Buffer.from(buffer, byteOffset, length);
    this.#parts = parts;
    this.#known = parts.known;
  }

  /** Returns null if the body has no long list. `marks` are those of its outermost colons and commas. */
  static of(read: ReadBody, marks: Int32Array): EarlierBody | null {
    const { body, bytes } = read;
    const large = listLarge(bytes, marks);
    const found = large.find(({ name, start, end }) => LISTS.has(name) && end - start >= SHARED_BYTES_MIN);
    const list = found && body[found.name];
    // Spreading a body makes a field of this name its prototype.
    if (found === undefined || !Array.isArray(list) || Object.hasOwn(body, "__proto__")) return null;
    return new EarlierBody({
      ...read,
      body: { ...body },
      // The request's own list is emptied once its answer has begun.
      list: list.slice(),
      place: { ...found, close: bytes.lastIndexOf(CLOSE, found.end) },
      others: large.filter((one) => one !== found),
      growing: new GrowingList(),
      known: null,
    });
  }

  /** The bytes of the list that another body has to begin with: with less, it is another conversation. */
  get #leastShared(): number {
    const { start, end } = this.#parts.place;
    return Math.max(SHARED_BYTES_MIN, Math.floor((end - start) / 2));
  }

  /** True if another body may go on from this one: it has the same bytes up to the middle of the list. */
  mayBegin(bytes: Buffer): boolean {
    const to = this.#parts.place.start + this.#leastShared;
    return isEqual(this.bytes, bytes, to - PROBE_BYTES, to) && isEqual(this.bytes, bytes, 0, to);
  }

  /**
   * Reads a body that differs from this one in the last elements of its list alone. Null if it has too little in common,
   * and for all that doesn't read the same everywhere or exceeds a bound: the text itself tells why.
   */
  readNext(bytes: Buffer): EarlierBody | null {
    const { place } = this.#parts;
    const close = bytes.length - (this.bytes.length - place.close);
    if (close < place.start || bytes.compare(this.bytes, place.close, this.bytes.length, close) !== 0)
      return null;
    const known = this.#know();
    const shared = known === null ? 0 : this.#countShared(bytes, known.ends, close);
    const cut = known?.ends[shared - 1];
    if (known === null || cut === undefined || cut < place.start + this.#leastShared) return null;
    const rest = readPlain(Buffer.concat([KNOWN, bytes.subarray(cut, close + 1)]), LIST_SHAPE);
    if (rest === null || !Array.isArray(rest.value)) return null;
    const ends = known.ends.slice(0, shared - 1);
    for (const mark of readMarks()) ends.push(cut + mark - KNOWN.length);
    const counts = known.counts.slice(0, shared);
    const added: readonly unknown[] = rest.value.slice(1);
    for (const one of added) counts.push((counts.at(-1) ?? 0) + 1 + countElements(one));
    const elements = known.around + (known.counts[shared - 1] ?? 0) + rest.elements - 1;
    if (elements > REQUEST_SHAPE.elements) return null;
    return new EarlierBody({
      ...this.#parts,
      bytes,
      elements,
      list: [...this.#parts.list.slice(0, shared), ...added.map(freezeDeep)],
      place: { ...place, close, end: close + place.end - place.close },
      others: [],
      known: { ends, counts, around: known.around },
    });
  }

  /** Returns the body as a request may have it. */
  give(): JsonObject {
    const { body, place, list, growing } = this.#parts;
    const own = list.slice();
    growing.follow(own);
    keepSource(own, this.bytes.subarray(place.start, place.end));
    return { ...body, [place.name]: own };
  }

  /** Makes the values fit to be shared, and finds the list's elements. Null if they aren't found. */
  #know(): Elements | null {
    if (this.#known !== null) return this.#known;
    const { body, list, place, others, elements } = this.#parts;
    const { start, close } = place;
    if (scanBytes(this.bytes.subarray(start, close + 1), LIST_SHAPE) === null) return null;
    const ends = Array.from(readMarks(), (mark) => start + mark);
    for (const name in body) if (name !== place.name) freezeDeep(body[name]);
    for (const one of list) freezeDeep(one);
    for (const { name, start: from, end } of others) {
      const value = body[name];
      holdRepeated(value, this.bytes.subarray(from, end), countElements(value));
    }
    const counts: number[] = [];
    for (const one of list) counts.push((counts.at(-1) ?? 0) + 1 + countElements(one));
    this.#known = { ends, counts, around: elements - (counts.at(-1) ?? 0) };
    return this.#known;
  }

  /** Returns the number of first elements that another body's list begins with, which ends at `close`. */
  #countShared(bytes: Buffer, ends: readonly number[], close: number): number {
    let from = 0;
    let low = 0;
    let high = ends.length;
    // First all of them: most requests only add some.
    for (let middle = high; low < high; middle = Math.ceil((low + high) / 2)) {
      const end = ends[middle - 1] ?? 0;
      if (end <= close && isEqual(this.bytes, bytes, from, end)) {
        from = end;
        low = middle;
      } else high = middle - 1;
    }
    return low;
  }
}

/** True if two texts have the same bytes from one place to another. */
function isEqual(one: Buffer, other: Buffer, from: number, to: number): boolean {
  return other.length >= to && one.compare(other, from, to, from, to) === 0;
}
