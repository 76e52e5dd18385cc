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
  readonly #made = new Map<object, GrowingList>();

  /** True if the JSON of its elements is remembered, and of those made of them: they are written once. */
  readonly keepsJson: boolean;

  constructor(keepsJson = false) {
    this.keepsJson = keepsJson;
  }

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

  /** The list that a work makes of this one. */
  findMade(work: object): GrowingList {
    const known = this.#made.get(work);
    if (known) return known;
    const made = new GrowingList(this.keepsJson);
    this.#made.set(work, made);
    return made;
  }
}

export function isGrowing(list: List): boolean {
  return growing.has(list);
}

export function keepsJson(list: List): boolean {
  return growing.get(list)?.keepsJson === true;
}

/** Notes that a list goes on from an earlier one. It grows if that one does. */
export function followEarlier(earlier: List, next: List): void {
  growing.get(earlier)?.follow(next);
}

/** Lets a list that goes on from another grow for itself, since that one also grows otherwise. */
export function partFrom(other: List, list: List): void {
  const owner = growing.get(list);
  if (owner !== undefined && owner === growing.get(other)) new GrowingList(owner.keepsJson).follow(list);
}

/** Notes that a work made a list of another one. It grows if that one does. */
export function followMade(given: List, made: List, work: object): void {
  if (given !== made) growing.get(given)?.findMade(work).follow(made);
}

/** All that a result depends on beside the element: a value, or a list of them. */
type Terms = unknown;

/** The work on a list, under the same terms. */
interface Column<State> {
  readonly terms: Terms;
  readonly elements: List;
  /** The first elements on which it was done. */
  readonly count: number;
  readonly state: State;
}

/** The latest work of a kind on each list that grows. */
class Columns<State> {
  readonly #done = new WeakMap<GrowingList, Column<State>>();

  /** `shared` is the number of those elements that the list has, too. */
  find(list: List, terms: Terms): (Column<State> & { readonly shared: number }) | null {
    const owner = growing.get(list);
    const done = owner && this.#done.get(owner);
    if (done === undefined || !isSame(done.terms, terms)) return null;
    return { ...done, shared: countShared(list, done.elements, done.count) };
  }

  keep(list: List, count: number, terms: Terms, state: State): void {
    const owner = growing.get(list);
    const elements = owner?.copy(list);
    if (owner && elements) this.#done.set(owner, { terms, elements, count, state });
  }
}

/** A kind of work on each element of a list. Its result depends on nothing but the element, its place and the terms. */
export class ElementWork<Result = never> {
  readonly #done = new Columns<readonly Result[]>();

  /** Returns the number of first elements on which it needn't be done again. 0 for lists that don't grow. */
  count(list: List, terms: Terms = null): number {
    return this.#done.find(list, terms)?.shared ?? 0;
  }

  /** Notes that it was done on the first `count` elements, under these terms. */
  note(list: List, count: number, terms: Terms = null): void {
    this.#done.keep(list, count, terms, NO_RESULTS);
  }

  /** Returns the results for all elements. Null if the list doesn't grow: then nothing is remembered. */
  listResults<Element>(
    list: readonly Element[],
    work: (element: Element, index: number) => Result,
    terms: Terms = null,
  ): readonly Result[] | null {
    if (!growing.has(list)) return null;
    const known = this.#done.find(list, terms);
    const results = known === null ? [] : known.state.slice(0, known.shared);
    for (const element of list.slice(results.length)) results.push(work(element, results.length));
    this.#done.keep(list, list.length, terms, results);
    return results;
  }
}

/** A kind of work that goes through a list in order, and leaves a state from which it can go on. */
export class ListProgress<State> {
  readonly #done = new Columns<State>();

  /** Returns the latest state, and how many of the elements behind it the list begins with. */
  find(list: List, terms: Terms = null): { readonly shared: number; readonly state: State } | null {
    return this.#done.find(list, terms);
  }

  /** Notes the state after the first `count` elements. */
  keep(list: List, count: number, state: State, terms: Terms = null): void {
    this.#done.keep(list, count, terms, state);
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

/**
 * The same for work whose results are remembered: what is made of an element is the same object each time, so that the list
 * that is made grows as well. `given` grows.
 */
export function mapRemembered<Element, Made = Element>(
  given: readonly Element[],
  replace: (element: Element, index: number) => Made,
  work: ElementWork<Made>,
  terms: Terms = null,
): readonly (Element | Made)[] {
  const results = work.listResults(given, replace, terms) ?? given.map(replace);
  if (results.every((one, at) => Object.is(one, given[at]))) return given;
  // Those that are remembered stay, whatever becomes of the request's own list.
  const made = results.slice();
  followMade(given, made, work);
  return made;
}
