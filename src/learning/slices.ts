// Long work in slices, so that requests are served between them: a generator pauses after each.

/** Prompts per slice. */
const SLICE = 20;

/** Like `map`, in slices. */
export function* mapInSlices<In, Out>(
  all: readonly In[],
  make: (one: In, at: number) => Out,
): Generator<void, readonly Out[]> {
  const made: Out[] = [];
  for (const [at, one] of all.entries()) {
    made.push(make(one, at));
    if (at % SLICE === SLICE - 1) yield;
  }
  return made;
}

/** Does all slices at once, and returns what they lead to. */
export function finishSlices<Out>(slices: Generator<void, Out>): Out {
  let step = slices.next();
  while (step.done !== true) step = slices.next();
  return step.value;
}
