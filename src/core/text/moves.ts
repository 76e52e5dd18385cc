// Moves the positions that annotations give into an answer's texts, once parts of these texts are replaced.

/** A number of characters as they leave: as they came (`by` null), or replaced. */
interface MovedPart {
  readonly length: number;
  readonly by: string | null;
}

/** As of `TextPlace`. */
interface WatchedPlace {
  readonly kind: string;
  readonly path: string;
}

/** Takes one text in pieces, and returns its parts in order once they are decided. */
interface PartFilter {
  push(text: string): readonly MovedPart[];
  end(): readonly MovedPart[];
}

/** Bytes of UTF-8, or characters: UTF-16 units or code points, since few APIs say which. */
export type PositionUnit = "characters" | "bytes";

/** A position in a text, or in the texts of several paths joined. An `end` stands behind the last character. */
export interface TextPosition {
  readonly paths: readonly string[];
  readonly edge: "start" | "end";
  readonly unit: PositionUnit;
  readonly at: number;
}

/** Returns the position in the changed answer. */
export interface MovePosition {
  (position: TextPosition): number;
  /**
   * For annotations that repeat what they cite: returns `text` if it stands in the changed answer, and otherwise what stands
   * there now.
   */
  readonly quote?: (text: string, start: TextPosition, end: TextPosition) => string;
}

interface TextSize {
  readonly units: number;
  readonly points: number;
  readonly bytes: number;
}

/** A part that was replaced: where it began and ended, the size of what stands there now, and how far the rest has moved. */
interface Replacement {
  readonly from: TextSize;
  readonly to: TextSize;
  readonly now: TextSize;
  readonly shift: TextSize;
}

const NONE: TextSize = { units: 0, points: 0, bytes: 0 };
/** Nothing cites half of what is replaced: a position within it was counted in the other way. */
const COUNTED: Readonly<Record<PositionUnit, readonly [keyof TextSize, (keyof TextSize)?]>> = {
  characters: ["units", "points"],
  bytes: ["bytes"],
};

/** One text, of which more may come, as one filter changes it. */
class MovedText {
  readonly #keepsText: boolean;
  readonly #replaced: Replacement[] = [];
  #undecided = "";
  /** The changed text as far as it has left. Empty if it isn't kept. */
  left = "";
  received = NONE;
  decided = NONE;

  constructor(keepsText: boolean) {
    this.#keepsText = keepsText;
  }

  get shift(): TextSize {
    return this.#replaced.at(-1)?.shift ?? NONE;
  }

  get isChanged(): boolean {
    return this.#replaced.length > 0;
  }

  get isOpen(): boolean {
    return this.#undecided !== "";
  }

  add(text: string): void {
    this.#undecided += text;
    this.received = sum(this.received, measure(text));
  }

  take(parts: readonly MovedPart[]): readonly MovedPart[] {
    let from = 0;
    for (const { length, by } of parts) {
      const text = this.#undecided.slice(from, from + length);
      from += length;
      const size = measure(text);
      if (by !== null && by !== text) this.#replace(size, measure(by));
      if (this.#keepsText) this.left += by ?? text;
      this.decided = sum(this.decided, size);
    }
    this.#undecided = this.#undecided.slice(from);
    return parts;
  }

  #replace(size: TextSize, now: TextSize): void {
    const to = sum(this.decided, size);
    this.#replaced.push({ from: this.decided, to, now, shift: sum(this.shift, now, size) });
  }

  /** Returns the last part that begins before the position. */
  find(at: number, counted: keyof TextSize): Replacement | undefined {
    let low = 0;
    let high = this.#replaced.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#replaced[middle]?.from[counted] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return this.#replaced[low - 1];
  }
}

/** A position's place within one of the texts that it counts through. */
interface ReplacedPlace {
  /** The last that begins before the position. */
  readonly part: Replacement | undefined;
  readonly isInside: boolean;
  readonly isDecided: boolean;
  /** The position in the text itself, and how far the texts before it have moved it. */
  readonly at: number;
  readonly moved: number;
  readonly counted: keyof TextSize;
}

/**
 * The texts of one answer, each changed by a filter. Positions in a stream's texts are those in all of their pieces joined,
 * however they are cut.
 */
export class TextMoves {
  readonly #keepsTexts: boolean;
  readonly #texts = new Map<string, MovedText>();
  /** The changed texts of the paths that were quoted last. */
  #quoted: { readonly paths: readonly string[]; readonly text: string } | null = null;

  /** `keepsTexts`: annotations repeat what they cite. */
  constructor(keepsTexts = false) {
    this.#keepsTexts = keepsTexts;
  }

  /**
   * Returns the filter of a text, whose parts are noted from now on. Texts with the same path are joined: each piece of one
   * may have a filter of its own.
   */
  watch(place: WatchedPlace, filter: PartFilter): PartFilter {
    if (place.kind !== "text") return filter;
    const moved = this.#texts.getOrInsertComputed(place.path, () => new MovedText(this.#keepsTexts));
    return {
      push: (text) => {
        this.#quoted = null;
        moved.add(text);
        return moved.take(filter.push(text));
      },
      end: () => {
        this.#quoted = null;
        return moved.take(filter.end());
      },
    };
  }

  /** True if a text was changed. */
  get isChanged(): boolean {
    return this.#texts.values().some((text) => text.isChanged);
  }

  /** True if the end of a text is undecided, so that it may still be changed. */
  get isOpen(): boolean {
    return this.#texts.values().some((text) => text.isOpen);
  }

  /** Returns the position in the changed text, taking the undecided part as unchanged. */
  move(position: TextPosition): number {
    const place = this.#find(position);
    return place.moved + moveWithin(place, position.edge);
  }

  /** True unless the position lies in a part of its text that has come and isn't decided yet. */
  isDecided(position: TextPosition): boolean {
    return this.#find(position).isDecided;
  }

  /** As of `MovePosition`, with positions in bytes. Providers' own positions may be a few characters off. */
  quote(text: string, start: TextPosition, end: TextPosition): string {
    const { paths } = start;
    if (this.#quoted?.paths !== paths) this.#quoted = { paths, text: this.#join(paths) };
    const joined = this.#quoted.text;
    if (joined.includes(text)) return text;
    return Buffer.from(joined).toString("utf8", this.move(start), this.move(end));
  }

  #join(paths: readonly string[]): string {
    return paths.map((path) => this.#texts.get(path)?.left ?? "").join("");
  }

  #find({ paths, unit, at }: TextPosition): ReplacedPlace {
    const texts = paths.flatMap((path) => this.#texts.get(path) ?? []);
    const [first, second = first] = COUNTED[unit];
    const place = findPlace(texts, at, first);
    if (!place.isInside) return place;
    const other = findPlace(texts, at, second);
    return other.isInside ? place : other;
  }
}

function findPlace(texts: readonly MovedText[], position: number, counted: keyof TextSize): ReplacedPlace {
  let at = position;
  let before = 0;
  let text = texts[0];
  for (const next of texts.slice(1)) {
    const length = text?.received[counted] ?? 0;
    if (at <= length) break;
    at -= length;
    before += length + (text?.shift[counted] ?? 0);
    text = next;
  }
  const part = text?.find(at, counted);
  const isInside = part !== undefined && at < part.to[counted];
  const { decided = NONE, received = NONE } = text ?? {};
  const isDecided = at <= decided[counted] || at > received[counted];
  return { part, isInside, isDecided, at, moved: before, counted };
}

function moveWithin({ part, isInside, at, counted }: ReplacedPlace, edge: TextPosition["edge"]): number {
  if (part === undefined) return at;
  const { to, now, shift } = part;
  if (!isInside) return at + shift[counted];
  return to[counted] + shift[counted] - (edge === "start" ? now[counted] : 0);
}

function sum(first: TextSize, second: TextSize, without = NONE): TextSize {
  return {
    units: first.units + second.units - without.units,
    points: first.points + second.points - without.points,
    bytes: first.bytes + second.bytes - without.bytes,
  };
}

/** The sizes of a text's pieces add up to its own, wherever it is cut: each half of a pair counts for itself. */
function measure(text: string): TextSize {
  const units = text.length;
  if (Buffer.byteLength(text) === units) return { units, points: units, bytes: units };
  let points = 0;
  let bytes = 0;
  for (let at = 0; at < units; at++) {
    const code = text.charCodeAt(at);
    const isLow = code >= 0xdc00 && code <= 0xdfff;
    const isHigh = code >= 0xd800 && code <= 0xdbff;
    points += isLow ? 0 : 1;
    bytes += code < 0x80 ? 1 : code < 0x800 || isLow || isHigh ? 2 : 3;
  }
  return { units, points, bytes };
}
