// A task that runs once, however often it is called for.

export function once<Given, Result>(
  task: (given: Given) => Promise<Result>,
): (given: Given) => Promise<Result> {
  let running: Promise<Result> | null = null;
  return (given) => {
    running ??= task(given);
    return running;
  };
}
