// The first few of many, without sorting the others.

/** The places of the `count` highest of the first `size` values, in order; `compare` is asked about equal ones alone. */
export function pickFirst(
  values: Float64Array,
  size: number,
  count: number,
  compare: (a: number, b: number) => number,
): readonly number[] {
  const first: number[] = [];
  for (let one = 0; one < size; one++) {
    const value = values[one] ?? 0;
    let place = first.length;
    for (; place > 0; place--) {
      const before = first[place - 1] ?? 0;
      const ahead = (values[before] ?? 0) - value;
      if (ahead > 0 || (ahead === 0 && compare(before, one) < 0)) break;
      if (place < count) first[place] = before;
    }
    if (place < count) first[place] = one;
  }
  return first;
}
