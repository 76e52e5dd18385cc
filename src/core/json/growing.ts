// Lists that go on from an earlier one, such as a conversation's messages: work on an element is done once.

type List = readonly unknown[];

const NONE: List = [];
const NO_RESULTS: readonly never[] = [];

/** The lists that go on from an earlier one. */
const growing = new WeakMap<List, GrowingList>();

/** A list that grows from request to request. Work on its elements remembers by it what was done before. */
export class GrowingList {
  #list: List = NONE;
  /** A copy of the latest list, which is emptied when its request lets go of it. */
  #elements: List = NONE;
  #made: GrowingList | null = null;

  /** Goes on with a list, which has some of the same elements: the same objects, which nothing changes in place. */
  follow(list: List): void {
    this.#list = list;
    this.#elements = list.slice();
    growing.set(list, this);
  }

  /** Returns the elements if the list is the latest one, or else null. */
  copy(list: List): List | null {
    return this.#list === list ? this.#elements : null;
  }

  /** The list that is made of this one. */
  get made(): GrowingList {
    this.#made ??= new GrowingList();
    return this.#made;
  }
}

export function isGrowing(list: List): boolean {
  return growing.has(list);
}

/** Notes that a list was made of another one. It grows if that one does. */
export function followMade(given: List, made: List): void {
  if (given !== made) growing.get(given)?.made.follow(made);
}

/** All that a result depends on beside the element: a value, or a list of them. */
type Terms = unknown;

/** The work on a list, under the same terms. */
interface Column<Result> {
  readonly terms: Terms;
  readonly elements: List;
  /** The first elements on which it was done. */
  readonly count: number;
  /** Empty if the work has no results. */
  readonly results: readonly Result[];
}

/** A kind of work on each element of a list. Its result depends on nothing but the element, its place and the terms. */
export class ElementWork<Result = never> {
  readonly #done = new WeakMap<GrowingList, Column<Result>>();

  /** Returns the number of first elements on which it needn't be done again. 0 for lists that don't grow. */
  count(list: List, terms: Terms = null): number {
    return this.#find(list, terms)?.count ?? 0;
  }

  /** Notes that it was done on the first `count` elements, under these terms. */
  note(list: List, count: number, terms: Terms = null): void {
    this.#keep(list, count, terms, NO_RESULTS);
  }

  /** Returns the results for all elements. Null if the list doesn't grow: then nothing is remembered. */
  listResults<Element>(
    list: readonly Element[],
    work: (element: Element, index: number) => Result,
    terms: Terms = null,
  ): readonly Result[] | null {
    if (!growing.has(list)) return null;
    const known = this.#find(list, terms);
    const results = known === null ? [] : known.results.slice(0, known.count);
    for (const element of list.slice(results.length)) results.push(work(element, results.length));
    this.#keep(list, list.length, terms, results);
    return results;
  }

  #find(list: List, terms: Terms): { readonly count: number; readonly results: readonly Result[] } | null {
    const owner = growing.get(list);
    const done = owner && this.#done.get(owner);
    if (done === undefined || !isSame(done.terms, terms)) return null;
    return { count: countShared(list, done.elements, done.count), results: done.results };
  }

  #keep(list: List, count: number, terms: Terms, results: readonly Result[]): void {
    const owner = growing.get(list);
    const elements = owner?.copy(list);
    if (owner && elements) this.#done.set(owner, { terms, elements, count, results });
  }
}

function isSame(one: Terms, other: Terms): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && countShared(one, other) === one.length;
}

/** Returns how many of their first elements two lists share. */
function countShared(one: List, other: List, most = Number.POSITIVE_INFINITY): number {
  const end = Math.min(one.length, other.length, most);
  let count = 0;
  while (count < end && one[count] === other[count]) count++;
  return count;
}

/** Returns the list with each element replaced, or the same list if none was. Work on those that stayed is done once. */
export function mapGrowing<Element, Made = Element>(
  list: readonly Element[],
  replace: (element: Element, index: number) => Made,
  work: ElementWork,
  terms: Terms = null,
): readonly (Element | Made)[] {
  const goesOn = growing.has(list);
  const from = goesOn ? work.count(list, terms) : 0;
  let same = from;
  let mapped: (Element | Made)[] | null = null;
  let index = from;
  for (const element of from === 0 ? list : list.slice(from)) {
    const made = replace(element, index);
    if (mapped === null && Object.is(made, element)) same++;
    else mapped ??= list.slice(0, index);
    mapped?.push(made);
    index++;
  }
  if (goesOn && same > from) work.note(list, same, terms);
  return mapped ?? list;
}
