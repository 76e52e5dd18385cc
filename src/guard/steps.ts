// Work that can be interrupted.

export type Steps<Result> = Generator<undefined, Result>;

/** Takes all steps at once. */
export function takeAll<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
