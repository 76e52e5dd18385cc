// The operator's patterns of values that are never found.

interface Pattern {
  readonly head: string;
  /** The parts between the stars, in order. */
  readonly middle: readonly string[];
  readonly tail: string;
}

/** Patterns by their fixed ends: a value is compared with those that end, or begin, as it does. */
export class AllowList {
  readonly #whole = new Set<string>();
  readonly #byTail = new Map<string, Pattern[]>();
  readonly #byHead = new Map<string, Pattern[]>();
  readonly #open: Pattern[] = [];
  readonly #tails: readonly number[];
  readonly #heads: readonly number[];

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) this.#add(pattern.toLowerCase());
    this.#tails = listLengths(this.#byTail);
    this.#heads = listLengths(this.#byHead);
  }

  has(value: string): boolean {
    const folded = value.toLowerCase();
    if (this.#whole.has(folded)) return true;
    const matches = (pattern: Pattern) => matchPattern(pattern, folded);
    return (
      this.#tails.some((length) => this.#byTail.get(folded.slice(-length))?.some(matches)) ||
      this.#heads.some((length) => this.#byHead.get(folded.slice(0, length))?.some(matches)) ||
      this.#open.some(matches)
    );
  }

  #add(pattern: string): void {
    const parts = pattern.split("*");
    const head = parts[0] ?? "";
    const tail = parts.at(-1) ?? "";
    if (parts.length === 1) {
      this.#whole.add(pattern);
      return;
    }
    const row = { head, middle: parts.slice(1, -1).filter((part) => part !== ""), tail };
    if (tail !== "") addTo(this.#byTail, tail, row);
    else if (head !== "") addTo(this.#byHead, head, row);
    else this.#open.push(row);
  }
}

function addTo(map: Map<string, Pattern[]>, key: string, pattern: Pattern): void {
  const list = map.get(key);
  if (list) list.push(pattern);
  else map.set(key, [pattern]);
}

function listLengths(map: ReadonlyMap<string, unknown>): readonly number[] {
  return [...new Set([...map.keys()].map(({ length }) => length))];
}

function matchPattern({ head, middle, tail }: Pattern, value: string): boolean {
  if (value.length < head.length + tail.length || !value.startsWith(head) || !value.endsWith(tail))
    return false;
  let at = head.length;
  for (const part of middle) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= value.length - tail.length;
}
