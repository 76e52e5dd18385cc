// Keeps findings in their order.

/** Adds a finding in its order: a value may begin before one that was found earlier. */
export function addInOrder<F extends { readonly from: number }>(list: F[], found: F): void {
  list.push(found);
  for (let at = list.length - 1; at > 0; at--) {
    const before = list[at - 1];
    if (before === undefined || before.from <= found.from) break;
    list[at] = before;
    list[at - 1] = found;
  }
}
